import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NodeFacts } from '../../functions/domain/node.ts';
import { judgeNode, measureLoad } from '../../functions/domain/room.ts';
import type { NodeSituation, RoomReason } from '../../functions/domain/room.ts';
import { aNode, aUsage } from '../support/fakes.ts';

const NOW = Date.UTC(2026, 2, 2, 9);
const SETTINGS = {
  scalingStrategy: 'balanced',
  cpuThreshold: 0.2,
  memoryThreshold: 0.2,
  nodeGraceSeconds: 600,
} as const;
/** 4000 millicores, 10,000 bytes: ratios can be read off. */
const SMALL: NodeFacts = aNode({
  name: 'a',
  allocatable: { kind: 'known', cpuMillis: 4000, memoryBytes: 10_000 },
});
const LONG_WATCHED = { name: 'a', firstSeenAt: NOW - 3_600_000, lastBusyAt: undefined };

function situation(overrides: Partial<NodeSituation> = {}): NodeSituation {
  return { node: SMALL, usage: undefined, hostsPlaceholder: false, settings: SETTINGS, ...overrides };
}

function secondsBeforeNow(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : NOW - seconds * 1000;
}

function reasonOf(one: NodeSituation, record = LONG_WATCHED): RoomReason {
  return judgeNode(one, record, NOW).reason;
}

describe('free ratios', () => {
  test.each([
    ['no pods', 4000, undefined, { cpu: 1, memory: 1 }],
    ['DaemonSet and mirror pods of 300m', 4000, aUsage({ cpuMillis: 300 }), { cpu: 0.925, memory: 1 }],
    ['1750m of 4000m', 4000, aUsage({ cpuMillis: 1750 }), { cpu: 0.5625, memory: 1 }],
    ['overcommitted', 4000, aUsage({ memoryBytes: 15_000 }), { cpu: 1, memory: -0.5 }],
  ])('%s', (...[, cpuMillis, usage, free]) => {
    const node = { ...SMALL, allocatable: { kind: 'known', cpuMillis, memoryBytes: 10_000 } } as const;
    expect(measureLoad(situation({ node, usage })).free).toEqual(free);
  });
});

describe('the threshold', () => {
  const full = 4000 * 0.8;
  test.each([
    ['balanced: both free', 'balanced', 0, 0, true],
    ['balanced: cpu at the threshold is not above it', 'balanced', full, 0, false],
    ['balanced: cpu just above', 'balanced', full - 1, 0, true],
    ['balanced: memory at the threshold', 'balanced', 0, 8000, false],
    ['cpu: memory does not matter', 'cpu', 0, 10_000, true],
    ['cpu: at the threshold', 'cpu', full, 0, false],
    ['mem: cpu does not matter', 'mem', 4000, 7999, true],
    ['mem: at the threshold', 'mem', 0, 8000, false],
  ] as const)('%s', (...[, scalingStrategy, cpuMillis, memoryBytes, hasRoom]) => {
    const one = situation({
      usage: aUsage({ cpuMillis, memoryBytes }),
      settings: { ...SETTINGS, scalingStrategy },
    });
    expect(judgeNode(one, LONG_WATCHED, NOW).hasRoom).toBe(hasRoom);
    expect(measureLoad(one).isBusy).toBe(!hasRoom);
  });
});

describe('why a node does not count', () => {
  const usage = aUsage({ cpuMillis: 3200 });
  const unreadable = { kind: 'unreadable', problem: 'no allocatable cpu reported' } as const;
  test.each<readonly [string, NodeSituation, RoomReason]>([
    ['hosts a placeholder', situation({ hostsPlaceholder: true }), { kind: 'hostsPlaceholder' }],
    ['cordoned', situation({ node: { ...SMALL, isCordoned: true } }), { kind: 'cordoned' }],
    [
      'suspended, which is cordoned too',
      situation({ node: { ...SMALL, isSuspended: true, isCordoned: true } }),
      { kind: 'suspended' },
    ],
    [
      'being deleted',
      situation({ node: { ...SMALL, leaving: 'deletionTimestamp' } }),
      { kind: 'leaving', by: 'deletionTimestamp' },
    ],
    [
      'to be deleted by the autoscaler',
      situation({ node: { ...SMALL, leaving: 'toBeDeletedTaint' } }),
      { kind: 'leaving', by: 'toBeDeletedTaint' },
    ],
    ['not Ready', situation({ node: { ...SMALL, ready: 'False' } }), { kind: 'notReady', ready: 'False' }],
    ['silent', situation({ node: { ...SMALL, ready: 'Unknown' } }), { kind: 'notReady', ready: 'Unknown' }],
    [
      'no readable allocatable',
      situation({ node: { ...SMALL, allocatable: unreadable } }),
      { kind: 'unreadableAllocatable', problem: 'no allocatable cpu reported' },
    ],
    [
      'a pod that cannot be read',
      situation({ usage: aUsage({ unreadable: 'pod hub/x, cpu: …' }) }),
      { kind: 'unreadablePod', problem: 'pod hub/x, cpu: …' },
    ],
    [
      'at the threshold',
      situation({ usage }),
      { kind: 'belowThreshold', strategy: 'balanced', cpuThreshold: 0.2, memoryThreshold: 0.2 },
    ],
  ])('%s', (_name, one, reason) => {
    expect(judgeNode(one, LONG_WATCHED, NOW)).toMatchObject({ hasRoom: false, reason });
  });

  test('a verdict is whole: node, uid, ratios, reason', () => {
    expect(judgeNode(situation({ usage }), LONG_WATCHED, NOW)).toEqual({
      nodeName: 'a',
      uid: SMALL.uid,
      hasRoom: false,
      free: { cpu: 0.2, memory: 1 },
      reason: { kind: 'belowThreshold', strategy: 'balanced', cpuThreshold: 0.2, memoryThreshold: 0.2 },
    });
  });
});

describe('the grace period', () => {
  test.each<readonly [string, number, number | undefined, RoomReason]>([
    ['watched for 599 s', 599, undefined, { kind: 'newlySeen', watchedSeconds: 599, graceSeconds: 600 }],
    ['watched for 600 s', 600, undefined, { kind: 'room' }],
    ['busy 599 s ago', 5000, 599, { kind: 'recentlyBusy', idleSeconds: 599, graceSeconds: 600 }],
    ['busy 600 s ago', 5000, 600, { kind: 'room' }],
    ['just seen', 0, undefined, { kind: 'newlySeen', watchedSeconds: 0, graceSeconds: 600 }],
  ])('%s', (...[, watched, idle, reason]) => {
    const record = {
      name: 'a',
      firstSeenAt: NOW - watched * 1000,
      lastBusyAt: secondsBeforeNow(idle),
    };
    expect(judgeNode(situation(), record, NOW).reason).toEqual(reason);
  });

  test('a grace period of 0 lets a new node count at once', () => {
    const settings = { ...SETTINGS, nodeGraceSeconds: 0 };
    const record = { name: 'a', firstSeenAt: NOW, lastBusyAt: undefined };
    expect(judgeNode(situation({ settings }), record, NOW).hasRoom).toBe(true);
  });
});

describe('busy', () => {
  test.each([
    ['hosts a placeholder', situation({ hostsPlaceholder: true }), true],
    ['empty', situation(), false],
    ['cannot be read', situation({ usage: aUsage({ unreadable: 'x' }) }), true],
    ['cordoned and empty', situation({ node: { ...SMALL, isCordoned: true } }), false],
  ])('%s', (_name, one, isBusy) => {
    expect(measureLoad(one).isBusy).toBe(isBusy);
  });
});

test('law: no node with an unreadable quantity ever has room', () => {
  const offered = { kind: 'unreadable', problem: 'x' } as const;
  const unreadable = fc.constantFrom<Partial<NodeSituation>>(
    { node: { ...SMALL, allocatable: offered } },
    { node: { ...SMALL, allocatable: offered }, usage: aUsage({ unreadable: 'x' }) },
    { usage: aUsage({ unreadable: 'x' }) },
  );
  const threshold = fc.double({ min: 0, max: 1, noNaN: true });
  const strategy = fc.constantFrom('cpu' as const, 'mem' as const, 'balanced' as const);
  fc.assert(
    fc.property(unreadable, threshold, strategy, (part, ratio, scalingStrategy) => {
      const settings = {
        scalingStrategy,
        cpuThreshold: ratio,
        memoryThreshold: ratio,
        nodeGraceSeconds: 0,
      };
      const one = situation({ ...part, settings });
      expect(reasonOf(one).kind).toMatch(/^unreadable/);
      expect(measureLoad(one).isBusy).toBe(true);
    }),
  );
});
