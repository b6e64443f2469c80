import { describe, expect, it } from 'vitest';
import type { Visit } from '../../functions/embedded/users.ts';
import { referenceMorning, timeOfDay } from '../../functions/simulation/reference-morning.ts';
import type { Run } from '../../functions/simulation/run.ts';
import { runPolicy } from '../../functions/simulation/run.ts';
import { lowestNodeHours, summarize, summarizeWaits } from '../../functions/simulation/summary.ts';
import type { Scenario } from '../../functions/simulation/scenario.ts';

function visit(at: string, minutes: number): Visit {
  return { at: timeOfDay(at), pool: 'base', staySeconds: minutes * 60, group: 'g', sessionAt: undefined };
}

/** The reference machines, 08:00 to 11:00, with these people. */
function morningOf(...visits: readonly Visit[]): Scenario {
  return { ...referenceMorning(), visits: () => visits };
}

async function run(scenario: Scenario, seed = 1): Promise<Run> {
  return await runPolicy(scenario, { kind: 'none' }, { seed });
}

describe('what is taken down of a run', () => {
  it('counts node-hours from the request to the end, and those without users as idle', async () => {
    const scenario = morningOf(visit('09:00', 30), visit('09:15', 45));
    const { nodeHours, idleNodeHours } = summarize(scenario, await run(scenario));
    expect(nodeHours).toBeCloseTo(3, 6);
    // From 09:00 until a second after the last one leaves at 10:00.
    expect(idleNodeHours).toBeCloseTo(2 - 1 / 3600, 6);
  });

  it('takes minutes down as they were', async () => {
    const scenario = morningOf(visit('09:00', 30), visit('09:15', 45));
    const { pools } = await run(scenario);
    const { timeline } = pools[0]!;
    const at = (minute: number): readonly number[] => [timeline.usersIn[minute]!, timeline.nodes[minute]!];
    expect([59, 61, 80, 95, 121].map(at)).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
      [1, 1],
      [0, 1],
    ]);
  });

  it('counts waits, and those who never got in with the time they waited in vain', async () => {
    // Thirty fill the one node of 28; the two left over leave before the new node is warm, after five minutes.
    const crowd = Array.from({ length: 30 }, () => visit('09:00', 5));
    const scenario = morningOf(...crowd);
    const { visits, toAt } = await run(scenario);
    expect(summarizeWaits(visits, toAt)).toEqual({
      visits: 30,
      p50: 3,
      p95: 300,
      max: 300,
      overOneMinute: 2,
      neverIn: 2,
      histogram: [28, 0, 0, 2, 0, 0],
      interruptions: 0,
    });
  });

  it('knows the least that anybody could do with', () => {
    const crowd = Array.from({ length: 29 }, () => visit('09:00', 30));
    const scenario = morningOf(...crowd, visit('09:30', 60));
    expect(lowestNodeHours(scenario, 1)).toBeCloseTo(2 * 0.5 + 1, 6);
    expect(lowestNodeHours(scenario, 1, timeOfDay('09:15'))).toBeCloseTo(2 * 0.25, 6);
  });

  it('starts a server anew whose spot node is taken back, and counts that', async () => {
    const reference = morningOf(visit('08:01', 170));
    const pools = reference.pools.map(({ spec, user }) => ({ spec: { ...spec, spotMeanHours: 0.5 }, user }));
    const { visits } = await run({ ...reference, pools });
    expect(visits[0]!.interruptions).toBeGreaterThan(0);
    expect(visits[0]!.readyAt).toBe(timeOfDay('08:01') + 3000);
  });
});
