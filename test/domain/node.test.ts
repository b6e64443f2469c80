import { describe, expect, test } from 'vitest';
import { readNode } from '../../functions/domain/node.ts';
import type { NodeFacts, RawNode } from '../../functions/domain/node.ts';

const QUERY = { nodePoolSelectorKey: 'hub.jupyter.org/pool-name', userImages: ['quay.io/hub/user'] };
const JOINED = '2026-03-02T08:00:00Z';
const READY = '2026-03-02T08:02:00Z';

const PLAIN: RawNode = {
  metadata: {
    name: 'gke-a-1',
    uid: 'uid-1',
    labels: { 'hub.jupyter.org/pool-name': 'base-pool' },
    creationTimestamp: JOINED,
  },
  spec: {},
  status: {
    allocatable: { cpu: '15890m', memory: '59350076Ki' },
    conditions: [
      { type: 'MemoryPressure', status: 'False' },
      { type: 'Ready', status: 'True', lastTransitionTime: READY },
    ],
    images: [],
  },
};

const FACTS: NodeFacts = {
  uid: 'uid-1',
  name: 'gke-a-1',
  poolLabel: 'base-pool',
  createdAt: Date.parse(JOINED),
  isCordoned: false,
  ready: 'True',
  readySinceAt: Date.parse(READY),
  leaving: undefined,
  isSuspended: false,
  allocatable: { kind: 'known', cpuMillis: 15_890, memoryBytes: 60_774_477_824 },
  userImage: 'absent',
};

function withStatus(status: RawNode['status']): RawNode {
  return { ...PLAIN, status: { ...PLAIN.status, ...status } };
}

function withTaint(key: string, effect: string): RawNode {
  const taint = { key, effect };
  return { ...PLAIN, spec: { taints: [{ key: 'hub.jupyter.org/dedicated' }, taint] } };
}

function withReady(status: string): RawNode {
  return withStatus({ conditions: [{ type: 'Ready', status, lastTransitionTime: READY }] });
}

function withAllocatable(allocatable: Readonly<Record<string, string>>): RawNode {
  return withStatus({ allocatable });
}

function withImages(count: number, names: readonly string[]): RawNode {
  const fillers = Array.from({ length: count }, (_, index) => ({ names: [`other/image:${index}`] }));
  return withStatus({ images: [...fillers, { names }] });
}

const NOT_READY = { ready: 'False', readySinceAt: undefined } as const;
const UNKNOWN = { ready: 'Unknown', readySinceAt: undefined } as const;

describe('a node is read', () => {
  test.each<readonly [string, RawNode, Partial<NodeFacts>]>([
    ['plainly', PLAIN, {}],
    ['cordoned', { ...PLAIN, spec: { unschedulable: true } }, { isCordoned: true }],
    ['not Ready', withReady('False'), NOT_READY],
    ['Ready Unknown', withReady('Unknown'), UNKNOWN],
    ['before it reports at all', withStatus({ conditions: undefined }), UNKNOWN],
    [
      'Ready, since nobody says when',
      withStatus({ conditions: [{ type: 'Ready', status: 'True' }] }),
      { readySinceAt: undefined },
    ],
    [
      'being deleted',
      { ...PLAIN, metadata: { ...PLAIN.metadata, deletionTimestamp: READY } },
      { leaving: 'deletionTimestamp' },
    ],
    [
      'about to be deleted by the cluster autoscaler',
      withTaint('ToBeDeletedByClusterAutoscaler', 'NoSchedule'),
      { leaving: 'toBeDeletedTaint' },
    ],
    [
      'a mere candidate for deletion stays',
      withTaint('DeletionCandidateOfClusterAutoscaler', 'PreferNoSchedule'),
      {},
    ],
    [
      'suspended, by its taint',
      withTaint('buffer.gke.io/standby-capacity-node-suspended', 'NoSchedule'),
      { isSuspended: true },
    ],
    [
      'suspended, by its condition',
      withStatus({
        conditions: [
          { type: 'Ready', status: 'Unknown' },
          { type: 'Suspended', status: 'True' },
        ],
      }),
      { ...UNKNOWN, isSuspended: true },
    ],
    [
      'resumed',
      withStatus({
        conditions: [
          { type: 'Ready', status: 'True', lastTransitionTime: READY },
          { type: 'Suspended', status: 'False' },
        ],
      }),
      {},
    ],
    [
      'a standby node that still runs',
      withTaint('buffer.gke.io/standby-capacity-node', 'PreferNoSchedule'),
      {},
    ],
    ['of no pool', { ...PLAIN, metadata: { ...PLAIN.metadata, labels: undefined } }, { poolLabel: '' }],
    ['with the image, by tag', withImages(3, ['quay.io/hub/user:1']), { userImage: 'present' }],
    ['with the image, by digest', withImages(3, ['quay.io/hub/user@sha256:1']), { userImage: 'present' }],
    [
      'with the image under another name too',
      withImages(3, ['quay.io/hub/base:1', 'quay.io/hub/user:1']),
      { userImage: 'present' },
    ],
    ['with the image last in a full list', withImages(49, ['quay.io/hub/user:1']), { userImage: 'present' }],
    ['with a list of 49 without it', withImages(48, ['other:1']), { userImage: 'absent' }],
    ['with a full list, which proves nothing', withImages(49, ['other:1']), { userImage: 'unknown' }],
    ['with an image without names', withStatus({ images: [{}] }), {}],
  ])('%s', (_name, raw, differing) => {
    expect(readNode(raw, QUERY)).toEqual({ ...FACTS, ...differing });
  });

  test('of which nothing is known', () => {
    expect(readNode({}, QUERY)).toEqual({
      ...FACTS,
      ...UNKNOWN,
      uid: '',
      name: '',
      poolLabel: '',
      createdAt: 0,
      allocatable: { kind: 'unreadable', problem: 'no allocatable cpu reported' },
    });
  });

  test('no pattern: nobody knows', () => {
    const raw = withImages(3, ['quay.io/hub/user:1']);
    expect(readNode(raw, { ...QUERY, userImages: [] }).userImage).toBe('unknown');
  });
});

describe('allocatable that cannot be read is said to be so', () => {
  test.each<readonly [string, RawNode, string]>([
    ['no status', { metadata: PLAIN.metadata }, 'no allocatable cpu reported'],
    ['no memory', withAllocatable({ cpu: '4' }), 'no allocatable memory reported'],
    [
      'a wrong suffix',
      withAllocatable({ cpu: '4', memory: '16g' }),
      'allocatable memory: "16g" is not a Kubernetes quantity (suffixes are G for powers of 1000, Gi for powers of 1024)',
    ],
    [
      'no number',
      withAllocatable({ cpu: 'abc', memory: '1Gi' }),
      'allocatable cpu: "abc" is not a Kubernetes quantity',
    ],
    ['zero', withAllocatable({ cpu: '0', memory: '1Gi' }), 'allocatable cpu is 0'],
    ['negative', withAllocatable({ cpu: '4', memory: '-1' }), 'allocatable memory is -1'],
  ])('%s', (_name, raw, problem) => {
    expect(readNode(raw, QUERY).allocatable).toEqual({ kind: 'unreadable', problem });
  });
});
