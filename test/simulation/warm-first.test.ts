import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WARMTH_LABEL } from '../../functions/domain/placeholder.ts';
import type { ClusterModel } from '../../functions/embedded/model.ts';
import type { Pod } from '../../functions/embedded/objects.ts';
import type { ClassSession } from '../../functions/simulation/people.ts';
import { drawVisits } from '../../functions/simulation/people.ts';
import { isUser } from '../../functions/simulation/recorder.ts';
import { referenceMorning, timeOfDay } from '../../functions/simulation/reference-morning.ts';
import { runPolicy } from '../../functions/simulation/run.ts';
import type { Scenario } from '../../functions/simulation/scenario.ts';
import { clusterOf } from '../../functions/simulation/scenario.ts';
import { watchLaws } from '../embedded/laws.ts';

const MINUTE = 60_000;

const minuteOfMorning = fc.integer({ min: 10, max: 170 });
const morning = fc.record({
  seed: fc.nat(10_000),
  boot: fc.integer({ min: 30, max: 300 }),
  pull: fc.integer({ min: 10, max: 900 }),
  classes: fc.array(
    fc.record({
      minute: minuteOfMorning,
      people: fc.integer({ min: 1, max: 90 }),
      stay: fc.integer({ min: 5, max: 90 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  events: fc.array(
    fc.record({ minute: minuteOfMorning, length: fc.integer({ min: 5, max: 60 }), count: fc.nat(6) }),
    { maxLength: 4 },
  ),
});

type Morning = typeof morning extends fc.Arbitrary<infer T> ? T : never;

function scenarioOf({ boot, pull, classes, events }: Morning): Scenario {
  const reference = referenceMorning();
  const startAt = timeOfDay('08:00');
  const sessions = classes.map(({ minute, people, stay }, index): ClassSession => ({
    title: `class ${String(index)}`,
    pool: 'base',
    people,
    startAt: startAt + minute * MINUTE,
    arriveMinutes: [-2, 5],
    stay,
  }));
  const { fromAt, toAt, timeZone } = reference;
  return {
    ...reference,
    pools: reference.pools.map(({ spec, user }) => ({ spec: { ...spec, boot, pull }, user })),
    events: events
      .map(({ minute, length, count }, index) => ({
        id: String(index),
        title: `event ${String(index)}`,
        text: `base: ${String(count)}`,
        startAt: startAt + minute * MINUTE,
        endAt: startAt + (minute + length) * MINUTE,
      }))
      .sort((a, b) => a.startAt - b.startAt),
    visits: (seed) => drawVisits({ sessions, trickles: [], cullMinutes: 0, fromAt, toAt, timeZone }, seed),
  };
}

/** Evictions of a cold placeholder by a user while a warm one stood on another node. */
function watchEvictions(model: ClusterModel, namespace: string): readonly string[] {
  const wrong: string[] = [];
  const isTakeable = (pod: Pod): boolean =>
    pod.meta.labels[WARMTH_LABEL] === 'warm' && pod.node !== undefined && !pod.node.isCordoned;
  model.listen((event) => {
    if (event.kind !== 'podPreempted' || !isUser(event.by)) return;
    if (event.pod.meta.labels[WARMTH_LABEL] !== 'cold') return;
    const warm = [...model.podsIn(namespace)].filter((pod) => pod !== event.pod && isTakeable(pod));
    if (warm.length > 0)
      wrong.push(`${event.pod.meta.name} was taken though ${String(warm.length)} were warm`);
  });
  return wrong;
}

describe('warm first', () => {
  it('never gives a cold placeholder away while a warm one stands, whatever comes when; and the model keeps its laws', async () => {
    await fc.assert(
      fc.asyncProperty(morning, async (each) => {
        const scenario = scenarioOf(each);
        const watched: (readonly string[])[] = [];
        await runPolicy(
          scenario,
          { kind: 'warm-first' },
          {
            seed: each.seed,
            onStart: (model) => {
              watched.push(watchEvictions(model, clusterOf(scenario).namespace), watchLaws(model));
            },
          },
        );
        expect(watched).toEqual([[], []]);
      }),
      { numRuns: 25 },
    );
  }, 120_000);
});
