/** What must hold of every decision, whatever the cluster and the calendar look like. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assessPool } from '../../functions/domain/assessment.ts';
import type { PoolReading } from '../../functions/domain/assessment.ts';
import type { Floor } from '../../functions/domain/decision.ts';
import { EMPTY_HISTORY } from '../../functions/domain/history.ts';
import type { NodeFacts } from '../../functions/domain/node.ts';
import type { PlaceholderPod } from '../../functions/domain/placeholder.ts';
import { aDeployment, aNode, aPlaceholder, aUsage } from '../support/fakes.ts';

const NOW = Date.UTC(2026, 2, 2, 9);
const RUNS = { numRuns: 300 };

const agos = fc.integer({ min: 0, max: 1500 }).map((seconds) => NOW - seconds * 1000);
const nodeNames = ['a', 'b', 'c', 'd', 'e', 'f'] as const;

const nodes: fc.Arbitrary<readonly NodeFacts[]> = fc
  .subarray([...nodeNames])
  .chain((names) => fc.tuple(...names.map((name) => nodeOf(name))));

function nodeOf(name: string): fc.Arbitrary<NodeFacts> {
  return fc
    .record({
      poolLabel: fc.constantFrom('base', 'base', 'base', 'other'),
      isCordoned: rarely(),
      ready: fc.constantFrom('True' as const, 'True' as const, 'Unknown' as const),
      readySinceAt: fc.option(agos, { nil: undefined }),
      userImage: fc.constantFrom('present' as const, 'absent' as const, 'unknown' as const),
      allocatable: fc.constantFrom<NodeFacts['allocatable']>(
        { kind: 'known', cpuMillis: 4000, memoryBytes: 1000 },
        { kind: 'known', cpuMillis: 8000, memoryBytes: 2000 },
        { kind: 'unreadable', problem: 'x' },
      ),
    })
    .map((overrides) => aNode({ name, ...overrides }));
}

function rarely(): fc.Arbitrary<boolean> {
  return fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0);
}

const usages = fc
  .record({
    cpuMillis: fc.nat(8000),
    memoryBytes: fc.nat(2000),
    unreadable: fc.constantFrom(undefined, undefined, undefined, 'x'),
    hasRunningUserPod: fc.boolean(),
    imagePuller: fc.constantFrom(undefined, 'ready' as const, 'notReady' as const),
  })
  .map((overrides) => aUsage(overrides));

const placeholders: fc.Arbitrary<readonly PlaceholderPod[]> = fc
  .array(
    fc.record({
      poolName: fc.constantFrom('base', 'base', 'workshop'),
      nodeName: fc.constantFrom(undefined, ...nodeNames),
      isTerminating: rarely(),
      createdAt: agos,
      warmth: fc.constantFrom('cold' as const, 'warm' as const),
    }),
    { maxLength: 6 },
  )
  .map((pods) => pods.map((pod, index) => aPlaceholder({ ...pod, name: `p${index}`, phase: phaseOf(pod) })));

function phaseOf({ nodeName }: Pick<PlaceholderPod, 'nodeName'>): PlaceholderPod['phase'] {
  return nodeName === undefined ? 'Pending' : 'Running';
}

const floors = fc.subarray<Floor>(['calendarUnread', 'stateUnread', 'stateUnwritable', 'sharerUnread']);
const demands = fc.option(
  fc.nat(30).map((count) => ({ count, eventId: 'e', eventTitle: 'Event', endAt: 0 })),
  { nil: undefined },
);

const settings = fc.record({
  name: fc.constant('base'),
  nodeLabel: fc.constant('base'),
  scalingStrategy: fc.constantFrom('cpu' as const, 'mem' as const, 'balanced' as const),
  cpuThreshold: fc.constantFrom(0, 0.2, 0.5),
  memoryThreshold: fc.constantFrom(0, 0.2, 0.5),
  nodeGraceSeconds: fc.constantFrom(0, 60, 600),
  baseline: fc.nat(8),
  maxReplicas: fc.nat(20),
  calendarOverrideEnabled: fc.boolean(),
  warmFirst: fc.boolean(),
  nodeWarmSeconds: fc.constantFrom(60, 600),
});

const readings: fc.Arbitrary<PoolReading> = fc
  .record({
    settings,
    nodes,
    usage: fc.array(fc.tuple(fc.constantFrom(...nodeNames), usages)).map((entries) => new Map(entries)),
    placeholders,
    seen: fc.array(fc.tuple(fc.constantFrom(...nodeNames), agos, fc.option(agos, { nil: undefined }))),
    demand: demands,
    live: fc.option(
      fc.nat(25).map((replicas) => aDeployment({ replicas })),
      { nil: undefined },
    ),
    floors,
  })
  .map(({ seen, ...rest }) => ({
    ...rest,
    now: NOW,
    history: {
      observedAt: NOW - 60_000,
      nodes: new Map(
        seen.map(([name, firstSeenAt, lastBusyAt]) => [
          aNode({ name }).uid,
          { name, firstSeenAt, lastBusyAt },
        ]),
      ),
    },
  }));

function replicasOf(reading: PoolReading): number {
  return assessPool(reading).decision.replicas;
}

test('every count lies between 0 and maxReplicas, and is whole', () => {
  fc.assert(
    fc.property(readings, (reading) => {
      const replicas = replicasOf(reading);
      expect(Number.isInteger(replicas)).toBe(true);
      expect(replicas).toBeGreaterThanOrEqual(0);
      expect(replicas).toBeLessThanOrEqual(reading.settings.maxReplicas);
    }),
    RUNS,
  );
});

/**
 * Among events that ask for something. An event of 0 is a cool-off, a different kind of thing: with the override
 * enabled, a larger one may end a hold that 0 left in place.
 */
test('a larger event never lowers a count', () => {
  fc.assert(
    fc.property(readings, fc.integer({ min: 1, max: 30 }), fc.nat(10), (reading, count, more) => {
      const event = { count, eventId: 'e', eventTitle: 'Event', endAt: 0 };
      const small = replicasOf({ ...reading, demand: event });
      const large = replicasOf({ ...reading, demand: { ...event, count: count + more } });
      expect(large).toBeGreaterThanOrEqual(small);
    }),
    RUNS,
  );
});

test('without the override, not even from a cool-off of 0', () => {
  fc.assert(
    fc.property(readings, fc.nat(30), (reading, count) => {
      const plain = { ...reading, settings: { ...reading.settings, calendarOverrideEnabled: false } };
      const event = { count, eventId: 'e', eventTitle: 'Event', endAt: 0 };
      const coolOff = replicasOf({ ...plain, demand: { ...event, count: 0 } });
      expect(replicasOf({ ...plain, demand: event })).toBeGreaterThanOrEqual(coolOff);
    }),
    RUNS,
  );
});

test('the order in which nodes, pods and records were read changes nothing', () => {
  fc.assert(
    fc.property(readings, (reading) => {
      const backwards = {
        ...reading,
        nodes: reading.nodes.toReversed(),
        usage: new Map([...reading.usage].toReversed()),
        placeholders: reading.placeholders.toReversed(),
        history: { ...reading.history, nodes: new Map([...reading.history.nodes].toReversed()) },
        floors: reading.floors.toReversed(),
      };
      expect(assessPool(backwards)).toEqual(assessPool(reading));
    }),
    RUNS,
  );
});

test('what could not be read never lowers a count below the live one, unless maxReplicas does', () => {
  fc.assert(
    fc.property(
      readings,
      fc.constantFrom<Floor>('calendarUnread', 'stateUnread', 'stateUnwritable', 'sharerUnread'),
      (reading, floor) => {
        const replicas = replicasOf({ ...reading, floors: [...reading.floors, floor] });
        const live = reading.live?.replicas ?? 0;
        expect(replicas).toBeGreaterThanOrEqual(Math.min(live, reading.settings.maxReplicas));
      },
    ),
    RUNS,
  );
});

test('a node, a pod or a history that cannot be read never lowers a count', () => {
  const spoil = fc.constantFrom<(reading: PoolReading) => PoolReading>(
    (reading) => ({ ...reading, history: EMPTY_HISTORY }),
    (reading) => ({
      ...reading,
      nodes: reading.nodes.map((node) => ({ ...node, allocatable: { kind: 'unreadable', problem: 'x' } })),
    }),
    (reading) => ({
      ...reading,
      usage: new Map(
        nodeNames.map((name) => [name, { ...aUsage(), ...reading.usage.get(name), unreadable: 'x' }]),
      ),
    }),
  );
  fc.assert(
    fc.property(readings, spoil, (reading, spoilt) => {
      const watchful = { ...reading, settings: { ...reading.settings, nodeGraceSeconds: 600 } };
      expect(replicasOf(spoilt(watchful))).toBeGreaterThanOrEqual(replicasOf(watchful));
    }),
    RUNS,
  );
});

test('without warmFirst the count is that of the plain rules', () => {
  fc.assert(
    fc.property(readings, (reading) => {
      const one = { ...reading, floors: [], settings: { ...reading.settings, warmFirst: false } };
      const { decision, relabels, verdicts } = assessPool(one);
      const room = verdicts.filter((verdict) => verdict.hasRoom).length;
      const { baseline, maxReplicas } = one.settings;
      const plain = {
        override: one.demand?.count ?? 0,
        pending: Math.max(baseline, one.demand?.count ?? 0),
        room: Math.max(0, (one.demand?.count ?? baseline) - room),
      };
      expect(relabels).toEqual([]);
      expect(decision.replicas).toBe(Math.min(maxReplicas, plain[decision.rule.kind]));
    }),
    RUNS,
  );
});

test('warm first never asks for fewer than the plain rules, nor for more than there are', () => {
  fc.assert(
    fc.property(readings, (reading) => {
      const plain = replicasOf({ ...reading, settings: { ...reading.settings, warmFirst: false } });
      const warmFirst = replicasOf({ ...reading, settings: { ...reading.settings, warmFirst: true } });
      expect(warmFirst).toBeGreaterThanOrEqual(plain);
      expect(warmFirst).toBeLessThanOrEqual(Math.max(plain, reading.live?.replicas ?? 0));
    }),
    RUNS,
  );
});

test('no input is changed', () => {
  fc.assert(
    fc.property(readings, (reading) => {
      const copy = structuredClone(reading);
      assessPool(reading);
      expect(reading).toEqual(copy);
    }),
    RUNS,
  );
});
