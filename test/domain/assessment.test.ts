import { describe, expect, test } from 'vitest';
import { assessPool } from '../../functions/domain/assessment.ts';
import type { PoolReading } from '../../functions/domain/assessment.ts';
import { collectRecords, EMPTY_HISTORY } from '../../functions/domain/history.ts';
import type { NodeHistory } from '../../functions/domain/history.ts';
import type { NodeFacts } from '../../functions/domain/node.ts';
import { aDeployment, aNode, aPlaceholder, aUsage } from '../support/fakes.ts';
import { aPoolSettings } from '../support/pool-settings.ts';

const NOW = Date.UTC(2026, 2, 2, 9);
const SETTINGS = aPoolSettings({ nodeLabel: 'base-pool' });

function node(name: string, overrides: Partial<NodeFacts> = {}): NodeFacts {
  const readySinceAt = NOW - 3_600_000;
  return aNode({ name, poolLabel: 'base-pool', readySinceAt, ...overrides });
}

/** Watched for an hour by passes that never stopped. */
function watched(nodes: readonly NodeFacts[], lastBusyAt?: number): NodeHistory {
  const firstSeenAt = NOW - 3_600_000;
  return {
    observedAt: NOW - 60_000,
    nodes: new Map(nodes.map(({ uid, name }) => [uid, { name, firstSeenAt, lastBusyAt }])),
  };
}

function reading(overrides: Partial<PoolReading> = {}): PoolReading {
  return {
    settings: SETTINGS,
    nodes: [],
    usage: new Map(),
    placeholders: [],
    history: watched(overrides.nodes ?? []),
    demand: undefined,
    live: aDeployment({ replicas: 1 }),
    floors: [],
    now: NOW,
    ...overrides,
  };
}

function asks(count: number): PoolReading['demand'] {
  return { count, eventId: 'e1', eventTitle: 'Data 8', endAt: 0 };
}

function reasons(one: PoolReading): readonly string[] {
  return assessPool(one).verdicts.map(({ nodeName, reason }) => `${nodeName}: ${reason.kind}`);
}

describe('nodes with room', () => {
  const five = [
    node('fine'),
    node('cordoned', { isCordoned: true }),
    node('tainted', { leaving: 'toBeDeletedTaint' }),
    node('failing', { ready: 'False' }),
    node('silent', { ready: 'Unknown' }),
  ];

  test('of five empty nodes the one that takes pods counts', () => {
    const one = reading({ nodes: five, demand: asks(3) });
    expect(reasons(one)).toEqual([
      'cordoned: cordoned',
      'failing: notReady',
      'fine: room',
      'silent: notReady',
      'tainted: leaving',
    ]);
    expect(assessPool(one).decision).toMatchObject({ replicas: 2, rule: { kind: 'room', nodes: ['fine'] } });
  });

  test('a full one does not, nor does one of another pool', () => {
    const nodes = [node('full'), node('other', { poolLabel: 'other-pool' })];
    const usage = new Map([['full', aUsage({ cpuMillis: 16_000 })]]);
    expect(reasons(reading({ nodes, usage }))).toEqual(['full: belowThreshold']);
  });

  test("a node that hosts another pool's placeholder is taken", () => {
    const placeholders = [aPlaceholder({ name: 'p', poolName: 'workshop', nodeName: 'a' })];
    expect(reasons(reading({ nodes: [node('a')], placeholders }))).toEqual(['a: hostsPlaceholder']);
  });

  test('a terminating placeholder holds no node any more', () => {
    const placeholders = [aPlaceholder({ name: 'p', nodeName: 'a', isTerminating: true })];
    expect(reasons(reading({ nodes: [node('a')], placeholders }))).toEqual(['a: room']);
  });

  test('without a history nobody was watching', () => {
    expect(reasons(reading({ nodes: [node('a')], history: EMPTY_HISTORY }))).toEqual(['a: newlySeen']);
  });

  test('a node that was busy lately waits out its grace period', () => {
    const nodes = [node('a')];
    const history = watched(nodes, NOW - 599_000);
    expect(reasons(reading({ nodes, history }))).toEqual(['a: recentlyBusy']);
  });
});

describe('what the next pass is to know', () => {
  test('a busy node is recorded as busy now, an idle one as before', () => {
    const nodes = [node('busy'), node('idle')];
    const usage = new Map([['busy', aUsage({ cpuMillis: 16_000 })]]);
    const { records } = assessPool(reading({ nodes, usage }));
    const firstSeenAt = NOW - 3_600_000;
    expect(records).toEqual([
      [nodes[0]?.uid, { name: 'busy', firstSeenAt, lastBusyAt: NOW }],
      [nodes[1]?.uid, { name: 'idle', firstSeenAt, lastBusyAt: undefined }],
    ]);
  });

  test('from pass to pass, a node counts once it has been watched for its grace period', () => {
    let history: NodeHistory = EMPTY_HISTORY;
    const seen: boolean[] = [];
    for (let minute = 0; minute <= 11; minute += 1) {
      const now = NOW + minute * 60_000;
      const { verdicts, records } = assessPool(reading({ nodes: [node('a')], history, now }));
      history = collectRecords(records, now);
      seen.push(verdicts[0]?.hasRoom === true);
    }
    expect(seen).toEqual([...Array.from({ length: 10 }, () => false), true, true]);
  });
});

describe('spares', () => {
  const nodes = [
    node('warm-node'),
    node('cold-node', { readySinceAt: NOW - 100_000 }),
    node('user-node', { readySinceAt: NOW - 10_000 }),
  ];
  const usage = new Map([['user-node', aUsage({ hasRunningUserPod: true })]]);
  const placeholders = [
    aPlaceholder({ name: 'p1', nodeName: 'warm-node', warmth: 'cold' }),
    aPlaceholder({ name: 'p2', nodeName: 'cold-node', warmth: 'cold' }),
    aPlaceholder({ name: 'p3', nodeName: 'user-node', warmth: 'warm' }),
    aPlaceholder({
      name: 'p4',
      nodeName: undefined,
      phase: 'Pending',
      warmth: 'cold',
      createdAt: NOW - 599_000,
      pendingMessage: '0/3 nodes are available',
    }),
    aPlaceholder({ name: 'p5', nodeName: 'cold-node', isTerminating: true }),
    aPlaceholder({ name: 'w1', poolName: 'workshop', nodeName: undefined, phase: 'Pending' }),
  ];

  test('are told apart: warm, warming up, waiting for a node', () => {
    const one = reading({ nodes, usage, placeholders, live: aDeployment({ replicas: 4 }), demand: asks(4) });
    expect(assessPool(one).spares).toEqual({
      wanted: 4,
      warm: 2,
      warming: [{ podName: 'p2', nodeName: 'cold-node', expectedWarmAt: NOW + 500_000 }],
      pending: [{ podName: 'p4', sinceAt: NOW - 599_000, message: '0/3 nodes are available' }],
    });
  });

  test('those on warm nodes are to be marked, and the rest stay covered', () => {
    const one = reading({ nodes, usage, placeholders, live: aDeployment({ replicas: 4 }) });
    const { relabels, decision } = assessPool(one);
    expect(relabels.map(({ pod, reason }) => [pod.name, reason])).toEqual([['p1', 'nodeIsWarm']]);
    expect(decision).toMatchObject({
      replicas: 2,
      rule: { kind: 'pending', pods: ['p4'] },
      adjustments: [{ kind: 'covered', coming: { onColdNodes: 1, newlyPending: 1 }, from: 1, to: 2 }],
    });
  });

  test('one that waits for nodeWarmSeconds is no longer covered', () => {
    const waiting = placeholders.map((pod) => ({ ...pod, createdAt: NOW - 600_000 }));
    const one = reading({ nodes, usage, placeholders: waiting, live: aDeployment({ replicas: 4 }) });
    expect(assessPool(one).decision).toMatchObject({ replicas: 1, adjustments: [] });
  });

  test('one that is bound but has not started yet still holds', () => {
    const starting = [aPlaceholder({ name: 'p', nodeName: 'warm-node', phase: 'Pending' })];
    const one = reading({ nodes, placeholders: starting });
    expect(assessPool(one).decision.rule).toEqual({ kind: 'pending', pods: ['p'] });
  });

  test('one that waits and is on its way out holds nothing', () => {
    const leaving = [aPlaceholder({ name: 'p', nodeName: undefined, phase: 'Pending', isTerminating: true })];
    expect(assessPool(reading({ nodes, placeholders: leaving })).decision.rule.kind).toBe('room');
  });

  test('on a node that is not in the list: nobody can say when it is warm', () => {
    const lost = [aPlaceholder({ name: 'p', nodeName: 'gone' })];
    expect(assessPool(reading({ placeholders: lost })).spares.warming).toEqual([
      { podName: 'p', nodeName: 'gone', expectedWarmAt: undefined },
    ]);
  });

  test('without warmFirst nothing is marked or covered', () => {
    const settings = { ...SETTINGS, warmFirst: false };
    const one = reading({ settings, nodes, usage, placeholders, live: aDeployment({ replicas: 4 }) });
    const { relabels, decision } = assessPool(one);
    expect(relabels).toEqual([]);
    expect(decision).toMatchObject({ replicas: 1, adjustments: [] });
  });
});
