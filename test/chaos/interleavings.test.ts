/** Ten thousand schedules of overlapping passes by seed, over a store in memory; `npm run test:soak -- --seeds N` plays more of them. */
import { describe, expect, test } from 'vitest';

import { NINE, MINUTE, aScene } from '../pass/scene.ts';
import type { Call, Method } from '../support/fakes.ts';
import { aNode, aUsage, anEvent } from '../support/fakes.ts';
import { violationsOf } from './laws.ts';
import type { Met } from './schedule.ts';
import { playSchedule } from './schedule.ts';

const BLOCK = 500;
const BLOCKS = 10;

interface Played {
  readonly violations: readonly string[];
  readonly met: Met;
}

async function playBlock(block: number, passCount: number): Promise<Played> {
  const violations: string[] = [];
  const met: Met = { kills: 0, held: 0, fenced: 0, conflicts: 0 };
  for (let seed = block * BLOCK; seed < (block + 1) * BLOCK; seed += 1) {
    const outcome = await playSchedule(seed, passCount);
    violations.push(...violationsOf(outcome));
    for (const key of Object.keys(met) as (keyof Met)[]) met[key] += outcome.met[key];
  }
  return { violations, met };
}

describe.each([2, 3])(
  '%i overlapping passes, stopped and killed at any crossing to the outside',
  (passCount) => {
    const blocks = Array.from({ length: BLOCKS }, (_, block) => block + (passCount - 2) * BLOCKS);

    test.each(blocks)(
      'block %i of seeds: one writer, nothing applied out of order, no history lost',
      async (block) => {
        const { violations, met } = await playBlock(block, passCount);
        expect(violations).toEqual([]);
        // The block met what it is there for.
        expect(met.kills).toBeGreaterThan(100);
        expect(met.held).toBeGreaterThan(50);
        expect(met.fenced).toBeGreaterThan(0);
      },
      60_000,
    );
  },
);

describe('a slow pass that wakes up after a later one', () => {
  /** The pass of 09:00, when an event asks for three, stops at a crossing; that of 09:01, after it, does not. */
  async function overtake(at: { method: Method; moment: 'before' | 'after'; nth?: number }) {
    const scene = aScene({ events: [anEvent({ endAt: NINE + MINUTE / 2 })] });
    scene.world.nodes = [aNode({ name: 'n1' })];
    scene.world.usage = new Map([['n1', aUsage({ cpuMillis: 16_000, podCount: 4 })]]);
    const { promise: woken, resolve: wake } = Promise.withResolvers<undefined>();
    const { promise: asleep, resolve: fallAsleep } = Promise.withResolvers<undefined>();
    let seen = 0;
    scene.outside.gate = async (call: Call, moment) => {
      const isTheOne = call.method === at.method && moment === at.moment;
      if (!isTheOne || (seen += 1) !== (at.nth ?? 1)) return;
      fallAsleep(undefined);
      await woken;
    };
    const slow = scene.pass(0);
    await asleep;
    const later = await scene.pass(1);
    const counts = () => scene.world.deployments().map(({ name, replicas }) => `${name} ${replicas}`);
    const afterLater = counts();
    wake(undefined);
    await slow;
    const next = await scene.pass(2);
    return { later, next, afterLater, afterSlow: counts(), state: await scene.store.peek('default', NEVER) };
  }
  const NEVER = new AbortController().signal;
  const AFTER_THE_EVENT = ['base-placeholder 1', 'workshop-placeholder 1'];

  test.each([
    { method: 'calendar.read', moment: 'before' },
    { method: 'calendar.read', moment: 'after' },
    { method: 'cluster.read', moment: 'before' },
    { method: 'cluster.read', moment: 'after' },
    { method: 'state.acquire', moment: 'after' },
    { method: 'state.save', moment: 'before' },
    { method: 'state.save', moment: 'after' },
    { method: 'cluster.apply', moment: 'before' },
    { method: 'cluster.apply', moment: 'before', nth: 2 },
    { method: 'cluster.apply', moment: 'after', nth: 2 },
  ] as const)('at $method, $moment it counts: the later decision stands', async (at) => {
    const { later, next, afterLater, afterSlow, state } = await overtake(at);
    expect([later.exitCode, next.exitCode]).toEqual([0, 0]);
    expect([...afterLater].sort()).toEqual(AFTER_THE_EVENT);
    expect([...afterSlow].sort()).toEqual(AFTER_THE_EVENT);
    expect(state.lastPass?.owner).toBe('pass-2');
    expect(state.history.nodes.get('uid-of-n1')).toMatchObject({ firstSeenAt: NINE + startOf(at) });
  });

  /** A pass that saved before it fell asleep has seen the node first. */
  function startOf({ method, moment }: { method: Method; moment: string }): number {
    const hasSaved = method === 'cluster.apply' || (method === 'state.save' && moment === 'after');
    return hasSaved ? 0 : MINUTE;
  }
});
