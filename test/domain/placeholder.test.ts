import { describe, expect, test } from 'vitest';
import { hasDrifted, readDeployment, readPlaceholder } from '../../functions/domain/placeholder.ts';
import type { LiveDeployment, PlaceholderPod, RawDeployment } from '../../functions/domain/placeholder.ts';
import { wantedDeployment } from '../../functions/domain/placeholder-manifest.ts';
import type { RawPod } from '../../functions/domain/pod.ts';
import { aDeployment } from '../support/fakes.ts';

const LABELS = {
  'app.kubernetes.io/name': 'node-placeholder',
  'app.kubernetes.io/instance': 'base',
  'app.kubernetes.io/managed-by': 'calendar-node-pool-autoscaler',
};
const COLD = { ...LABELS, 'calendar-node-pool-autoscaler/warmth': 'cold' };
const CREATED = '2026-03-02T08:05:00Z';

function pod(overrides: RawPod = {}): RawPod {
  return {
    metadata: {
      name: 'base-placeholder-1',
      namespace: 'node-placeholder',
      uid: 'uid-1',
      labels: COLD,
      creationTimestamp: CREATED,
      ...overrides.metadata,
    },
    spec: { nodeName: 'gke-a-1', ...overrides.spec },
    status: { phase: 'Running', ...overrides.status },
  };
}

const RUNNING: PlaceholderPod = {
  name: 'base-placeholder-1',
  uid: 'uid-1',
  poolName: 'base',
  nodeName: 'gke-a-1',
  phase: 'Running',
  isTerminating: false,
  createdAt: Date.parse(CREATED),
  warmth: 'cold',
  pendingMessage: undefined,
};

const MESSAGE = '0/3 nodes are available: 3 Insufficient memory.';

describe('a placeholder pod', () => {
  test.each<readonly [string, RawPod, Partial<PlaceholderPod>]>([
    ['running', pod(), {}],
    [
      'waiting for a node, in the words of the scheduler',
      pod({
        spec: { nodeName: undefined },
        status: {
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: MESSAGE }],
        },
      }),
      { nodeName: undefined, phase: 'Pending', pendingMessage: MESSAGE },
    ],
    [
      'bound, not started yet',
      pod({
        status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True', message: 'x' }] },
      }),
      { phase: 'Pending' },
    ],
    [
      'scheduled, its container not ready',
      pod({
        status: {
          phase: 'Pending',
          conditions: [
            { type: 'Ready', status: 'False', message: 'containers with unready status: [pause]' },
            { type: 'PodScheduled', status: 'True' },
          ],
        },
      }),
      { phase: 'Pending' },
    ],
    ['with an empty node name', pod({ spec: { nodeName: '' } }), { nodeName: undefined }],
    ['on a node that went silent', pod({ status: { phase: 'Unknown' } }), { phase: 'Unknown' }],
    ['on its way out', pod({ metadata: { deletionTimestamp: CREATED } }), { isTerminating: true }],
    [
      'marked warm',
      pod({ metadata: { labels: { ...LABELS, 'calendar-node-pool-autoscaler/warmth': 'warm' } } }),
      { warmth: 'warm' },
    ],
    [
      'born without the label: the budget does not cover it',
      pod({ metadata: { labels: LABELS } }),
      { warmth: 'warm' },
    ],
    ['without a UID', pod({ metadata: { uid: undefined } }), { uid: 'base-placeholder-1' }],
    [
      'of which two labels and the namespace are all that is known',
      {
        metadata: {
          namespace: 'node-placeholder',
          labels: {
            'app.kubernetes.io/name': 'node-placeholder',
            'app.kubernetes.io/managed-by': 'calendar-node-pool-autoscaler',
          },
        },
      },
      {
        name: '',
        uid: '',
        poolName: '',
        nodeName: undefined,
        phase: 'Unknown',
        createdAt: 0,
        warmth: 'warm',
      },
    ],
  ])('%s', (_name, raw, differing) => {
    expect(readPlaceholder(raw, 'node-placeholder')).toEqual({ ...RUNNING, ...differing });
  });
});

describe('no placeholder of ours', () => {
  test.each<readonly [string, RawPod]>([
    ['without labels', pod({ metadata: { labels: undefined } })],
    [
      'managed by somebody else',
      pod({ metadata: { labels: { ...LABELS, 'app.kubernetes.io/managed-by': 'Helm' } } }),
    ],
    ['of another name', pod({ metadata: { labels: { ...LABELS, 'app.kubernetes.io/name': 'x' } } })],
    ['in another namespace', pod({ metadata: { namespace: 'other' } })],
    ['evicted', pod({ status: { phase: 'Failed' } })],
    ['done', pod({ status: { phase: 'Succeeded' } })],
    ['nothing at all', {}],
  ])('%s', (_name, raw) => {
    expect(readPlaceholder(raw, 'node-placeholder')).toBeUndefined();
  });
});

const SELECTOR = { 'app.kubernetes.io/name': 'node-placeholder', 'app.kubernetes.io/instance': 'base' };

function deployment(overrides: RawDeployment = {}): RawDeployment {
  return {
    metadata: {
      name: 'base-placeholder',
      uid: 'uid-d',
      resourceVersion: '812',
      generation: 4,
      labels: LABELS,
      annotations: { 'calendar-node-pool-autoscaler/template-hash': 'abc' },
      ...overrides.metadata,
    },
    spec: { replicas: 3, selector: { matchLabels: SELECTOR }, ...overrides.spec },
    ...(overrides.status === undefined ? {} : { status: overrides.status }),
  };
}

const LIVE: LiveDeployment = {
  name: 'base-placeholder',
  uid: 'uid-d',
  resourceVersion: '812',
  generation: 4,
  replicas: 3,
  templateHash: 'abc',
  poolName: 'base',
  hasOurSelector: true,
  replicaFailure: undefined,
};

function withFailure(status: string, message: string | undefined): RawDeployment {
  const failure = { type: 'ReplicaFailure', status, reason: 'FailedCreate', message };
  return deployment({ status: { conditions: [{ type: 'Progressing', status: 'True' }, failure] } });
}

describe('a Deployment', () => {
  const foreign = { labels: { app: 'node-placeholder-scaler' }, annotations: undefined };
  test.each<readonly [string, RawDeployment, Partial<LiveDeployment>]>([
    ['ours', deployment(), {}],
    ['scaled to zero', deployment({ spec: { replicas: 0 } }), { replicas: 0 }],
    ['without replicas, which means one', deployment({ spec: { replicas: undefined } }), { replicas: 1 }],
    [
      "somebody else's, under our name",
      deployment({
        metadata: foreign,
        spec: { selector: { matchLabels: { app: 'node-placeholder-scaler', component: 'placeholder' } } },
      }),
      { poolName: undefined, templateHash: undefined, hasOurSelector: false },
    ],
    [
      'with one selector label more',
      deployment({ spec: { selector: { matchLabels: { ...SELECTOR, tier: 'x' } } } }),
      { hasOurSelector: false },
    ],
    [
      "with another pool's selector",
      deployment({ spec: { selector: { matchLabels: { ...SELECTOR, 'app.kubernetes.io/instance': 'x' } } } }),
      { hasOurSelector: false },
    ],
    [
      'with an expression in its selector',
      deployment({ spec: { selector: { matchLabels: SELECTOR, matchExpressions: [{}] } } }),
      { hasOurSelector: false },
    ],
    ['without a selector', deployment({ spec: { selector: undefined } }), { hasOurSelector: false }],
    ['whose pods are refused', withFailure('True', 'quota exceeded'), { replicaFailure: 'quota exceeded' }],
    [
      'whose pods are refused without a word',
      withFailure('True', undefined),
      { replicaFailure: 'FailedCreate' },
    ],
    [
      'whose pods are refused without a reason either',
      deployment({ status: { conditions: [{ type: 'ReplicaFailure', status: 'True' }] } }),
      { replicaFailure: 'no message given' },
    ],
    ['whose pods were refused once', withFailure('False', 'quota exceeded'), {}],
    [
      'of which nothing is known',
      {},
      {
        name: '',
        uid: '',
        resourceVersion: '',
        generation: 0,
        replicas: 1,
        templateHash: undefined,
        poolName: undefined,
        hasOurSelector: false,
      },
    ],
  ])('%s', (_name, raw, differing) => {
    expect(readDeployment(raw)).toEqual({ ...LIVE, ...differing });
  });
});

describe('drift', () => {
  const settings = {
    poolName: 'base',
    namespace: 'node-placeholder',
    image: 'registry.k8s.io/pause:3.10.1',
    priorityClassName: 'node-placeholder',
    nodeSelector: {},
    requests: { memory: '60738518784' },
    limits: {},
    tolerations: [],
  };
  const why = { reason: 'x', event: undefined, changedAt: 0 };
  const wanted = wantedDeployment(settings, { replicas: 2, why, warmFirst: true });
  const same = aDeployment({ replicas: 2, templateHash: wanted.templateHash });

  test.each<readonly [string, LiveDeployment | undefined, boolean]>([
    ['there is none yet', undefined, true],
    ['the same', same, false],
    ['scaled by hand', { ...same, replicas: 3 }, true],
    ['another template', { ...same, templateHash: 'other' }, true],
    ['never applied by us', { ...same, templateHash: undefined }, true],
    ['only its status moved on', { ...same, resourceVersion: '999', generation: 7 }, false],
  ])('%s', (_name, live, expected) => {
    expect(hasDrifted(live, wanted)).toBe(expected);
  });
});
