import { describe, expect, test } from 'vitest';
import { assessPool } from '../../functions/domain/assessment.ts';
import type { PoolReading } from '../../functions/domain/assessment.ts';
import { EMPTY_HISTORY } from '../../functions/domain/history.ts';
import type { PlaceholderPod } from '../../functions/domain/placeholder.ts';
import { findPoolProblems } from '../../functions/domain/pool-problems.ts';
import type { Problem } from '../../functions/domain/problem.ts';
import { aDeployment, aNode, aPlaceholder, aUsage } from '../support/fakes.ts';
import { aPoolSettings } from '../support/pool-settings.ts';

const NOW = Date.UTC(2026, 2, 2, 9);
const MESSAGE = '0/3 nodes are available: 3 Insufficient memory.';
const NODE = aNode({
  name: 'a',
  poolLabel: 'base',
  allocatable: { kind: 'known', cpuMillis: 16_000, memoryBytes: 60_000 },
});
const UNREADABLE = aNode({
  name: 'b',
  poolLabel: 'base',
  allocatable: { kind: 'unreadable', problem: 'no allocatable cpu reported' },
});

const SETTINGS = aPoolSettings({ maxReplicas: 10 });

interface Scene extends Partial<PoolReading> {
  readonly requests?: Readonly<Record<string, string>>;
}

function problemsOf({ requests = { memory: '55000' }, ...overrides }: Scene): readonly Problem[] {
  const reading: PoolReading = {
    settings: SETTINGS,
    nodes: [NODE],
    usage: new Map(),
    placeholders: [],
    history: EMPTY_HISTORY,
    demand: undefined,
    live: aDeployment(),
    floors: [],
    now: NOW,
    ...overrides,
  };
  return findPoolProblems({
    assessment: assessPool(reading),
    placeholder: { poolName: 'base', namespace: 'node-placeholder', requests },
    nodes: reading.nodes,
    usage: reading.usage,
    live: reading.live,
    now: NOW,
  });
}

function waiting(
  name: string,
  minutes: number,
  pendingMessage: string | undefined = MESSAGE,
): PlaceholderPod {
  return aPlaceholder({
    name,
    nodeName: undefined,
    phase: 'Pending',
    createdAt: NOW - minutes * 60_000,
    pendingMessage,
  });
}

function asks(count: number, eventTitle: string): PoolReading['demand'] {
  return { count, eventId: 'e', eventTitle, endAt: 0 };
}

const SETTING = 'nodePools.base.resources.requests';

describe('what an operator hears', () => {
  test.each<readonly [string, Scene, readonly Problem[]]>([
    ['nothing, when all is well', {}, []],
    ['nothing, with neither nodes nor a Deployment yet', { nodes: [], live: undefined }, []],
    [
      'pods are refused',
      { live: aDeployment({ replicaFailure: 'exceeded quota: pods=10' }) },
      [
        {
          code: 'replica-failure',
          severity: 'error',
          message: 'Deployment base-placeholder cannot create its pods: exceeded quota: pods=10',
        },
      ],
    ],
    [
      "somebody else's Deployment under our name",
      { live: aDeployment({ hasOurSelector: false }) },
      [
        {
          code: 'foreign-deployment',
          severity: 'error',
          message:
            'Deployment base-placeholder was made by another tool, and the selector of a Deployment cannot be changed; ' +
            'remove it, and the next pass makes ours: kubectl -n node-placeholder delete deployment base-placeholder',
        },
      ],
    ],
    [
      'an event asks for too much',
      { demand: asks(300, 'Data 8\nlecture') },
      [
        {
          code: 'clamped',
          severity: 'warning',
          message:
            "event 'Data 8 lecture' (base: 300) asks for more than maxReplicas allows: 10 instead of 300; " +
            'raise nodePools.base.maxReplicas if it is meant',
        },
      ],
    ],
    ['placeholders that wait for a little', { placeholders: [waiting('p1', 9)] }, []],
    [
      'placeholders that wait for long: one warning, about the oldest',
      { placeholders: [waiting('p1', 12, 'other'), waiting('p2', 40), waiting('p3', 1)] },
      [
        {
          code: 'pending-long',
          severity: 'warning',
          message:
            '2 placeholder(s) of base wait for a node, p2 for 40 minutes; the scheduler says: 0/3 nodes are available: ' +
            "3 Insufficient memory. (look at the node pool's maximum, quota and zones)",
        },
      ],
    ],
    [
      'a placeholder that waits for ten minutes, and of which the scheduler says nothing',
      { placeholders: [{ ...waiting('p1', 10), pendingMessage: undefined }] },
      [
        {
          code: 'pending-long',
          severity: 'warning',
          message:
            '1 placeholder(s) of base wait for a node, p1 for 10 minutes; the scheduler says: nothing ' +
            "(look at the node pool's maximum, quota and zones)",
        },
      ],
    ],
    [
      'placeholders that wait for long, the oldest listed first',
      { placeholders: [waiting('p1', 40), waiting('p2', 40, 'other'), waiting('p3', 12, 'other')] },
      [
        {
          code: 'pending-long',
          severity: 'warning',
          message:
            '3 placeholder(s) of base wait for a node, p1 for 40 minutes; the scheduler says: 0/3 nodes are available: ' +
            "3 Insufficient memory. (look at the node pool's maximum, quota and zones)",
        },
      ],
    ],
    [
      'a request that fits twice',
      { requests: { memory: '30000' } },
      [
        {
          code: 'fit-several',
          severity: 'warning',
          message: `${SETTING}: 2 placeholders fit on one node, so one of them is no whole node in reserve; see the command size`,
        },
      ],
    ],
    [
      'a request that never fits',
      { requests: { memory: '60001' } },
      [
        {
          code: 'fit-never',
          severity: 'error',
          message: `${SETTING}: a placeholder of 60001 bytes of memory fits on no node, the roomiest offers 60000; see the command size`,
        },
      ],
    ],
    [
      'one that does not fit beside what always runs there',
      { usage: new Map([['a', aUsage({ memoryBytes: 6000, otherMemoryBytes: 6000 })]]) },
      [
        {
          code: 'fit-tight',
          severity: 'warning',
          message: `${SETTING}: a placeholder of 55000 bytes of memory fits on no node, the roomiest offers 54000 beside the pods that are always there; see the command size`,
        },
      ],
    ],
    [
      'one whose cpu does not fit beside what always runs there',
      {
        requests: { cpu: '15', memory: '55000' },
        usage: new Map([['a', aUsage({ cpuMillis: 2000, otherCpuMillis: 2000 })]]),
      },
      [
        {
          code: 'fit-tight',
          severity: 'warning',
          message: `${SETTING}: a placeholder of 15000m of cpu fits on no node, the roomiest offers 14000 beside the pods that are always there; see the command size`,
        },
      ],
    ],
    [
      'one that does not fit beside what always runs there, and a node that cannot be read',
      {
        nodes: [NODE, UNREADABLE],
        usage: new Map([['a', aUsage({ memoryBytes: 6000, otherMemoryBytes: 6000 })]]),
      },
      [
        {
          code: 'fit-tight',
          severity: 'warning',
          message: `${SETTING}: a placeholder of 55000 bytes of memory fits on no node, the roomiest offers 54000 beside the pods that are always there; see the command size`,
        },
        {
          code: 'unreadable-node',
          severity: 'warning',
          message:
            '1 node(s) of base cannot be read and count as full, such as b: no allocatable cpu reported',
        },
      ],
    ],
    [
      "one that does not fit beside users' pods only: that is what it is for",
      { usage: new Map([['a', aUsage({ memoryBytes: 50_000 })]]) },
      [],
    ],
    [
      'no request',
      { requests: {} },
      [
        {
          code: 'fit-unbounded',
          severity: 'warning',
          message: `${SETTING} names neither cpu nor memory, so placeholders take no room; see the command size`,
        },
      ],
    ],
    [
      'no quantity',
      { requests: { cpu: 'many' } },
      [
        {
          code: 'request-unreadable',
          severity: 'error',
          message: `${SETTING}.cpu: "many" is not a Kubernetes quantity`,
        },
      ],
    ],
    [
      'nodes that cannot be read',
      {
        nodes: [NODE, UNREADABLE],
        usage: new Map([['a', aUsage({ unreadable: 'pod hub/x, cpu: "abc" is not a Kubernetes quantity' })]]),
      },
      [
        {
          code: 'unreadable-node',
          severity: 'warning',
          message:
            '2 node(s) of base cannot be read and count as full, such as a: pod hub/x, cpu: "abc" is not a Kubernetes quantity',
        },
      ],
    ],
  ])('%s', (_name, scene, expected) => {
    expect(problemsOf(scene)).toEqual(expected);
  });

  test.each<readonly [string, Scene, string]>([
    ['the baseline', { settings: { ...SETTINGS, baseline: 12 } }, 'nodePools.base.replicas (12)'],
    [
      'a Deployment scaled by hand',
      { floors: ['stateUnread'], live: aDeployment({ replicas: 12 }) },
      'the live Deployment of base (12)',
    ],
  ])('%s asks for too much', (_name, scene, asker) => {
    expect(problemsOf(scene).map(({ message }) => message)).toEqual([
      `${asker} asks for more than maxReplicas allows: 10 instead of 12; raise nodePools.base.maxReplicas if it is meant`,
    ]);
  });
});
