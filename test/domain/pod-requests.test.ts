import { describe, expect, test } from 'vitest';
import { createPodRequestsReader } from '../../functions/domain/pod-requests.ts';
import type { PodRequests } from '../../functions/domain/pod-requests.ts';
import type { RawContainer, RawPod } from '../../functions/domain/pod.ts';

const MIB = 1024 * 1024;

function container(name: string, cpu: string, memory: string): RawContainer {
  return { name, resources: { requests: { cpu, memory } } };
}

function sidecar(name: string, cpu: string, memory: string): RawContainer {
  return { ...container(name, cpu, memory), restartPolicy: 'Always' };
}

function known(cpuMillis: number, mebibytes: number): PodRequests {
  return { kind: 'known', cpuMillis, memoryBytes: mebibytes * MIB };
}

const app = container('app', '500m', '512Mi');

const COUNTED: readonly (readonly [string, RawPod, PodRequests])[] = [
  ['nothing asked', { spec: { containers: [{ name: 'app' }] } }, known(0, 0)],
  ['no spec at all', {}, known(0, 0)],
  ['zero asked', { spec: { containers: [container('app', '0', '0')] } }, known(0, 0)],
  [
    'an init container that asks for nothing',
    { spec: { initContainers: [{ name: 'init' }], containers: [app] } },
    known(500, 512),
  ],
  [
    'containers together',
    { spec: { containers: [app, container('log', '250m', '128Mi')] } },
    known(750, 640),
  ],
  [
    'a sidecar first, then an init container, then the app: the init moment takes the cpu, the run the memory',
    {
      spec: {
        initContainers: [sidecar('proxy', '200m', '256Mi'), container('init', '1000m', '128Mi')],
        containers: [app],
      },
    },
    known(1200, 768),
  ],
  [
    'an init container before the sidecar runs alone',
    {
      spec: {
        initContainers: [container('init', '1000m', '128Mi'), sidecar('proxy', '200m', '256Mi')],
        containers: [app],
      },
    },
    known(1000, 768),
  ],
  [
    'init containers run one after the other',
    {
      spec: {
        initContainers: [container('one', '300m', '900Mi'), container('two', '800m', '100Mi')],
        containers: [app],
      },
    },
    known(800, 900),
  ],
  [
    'overhead on top',
    { spec: { containers: [container('app', '1', '2Gi')], overhead: { cpu: '50m', memory: '200Mi' } } },
    known(1050, 2248),
  ],
  [
    'pod-level requests stand in for the containers, resource by resource, with overhead',
    {
      spec: {
        resources: { requests: { cpu: '2' } },
        containers: [app],
        overhead: { cpu: '100m' },
      },
    },
    known(2100, 512),
  ],
  [
    'fractions are summed before they are rounded up',
    {
      spec: {
        containers: [
          { name: 'a', resources: { requests: { cpu: '0.5m' } } },
          { name: 'b', resources: { requests: { cpu: '0.5m' } } },
        ],
      },
    },
    known(1, 0),
  ],
  [
    'while a resize is under way, the larger of what is asked and what the container still has',
    {
      spec: { containers: [app] },
      status: {
        containerStatuses: [
          {
            name: 'app',
            resources: { requests: { cpu: '800m', memory: '256Mi' } },
            allocatedResources: { cpu: '500m', memory: '1Gi' },
          },
        ],
      },
    },
    known(800, 1024),
  ],
  [
    'a resize that the node cannot do is not counted',
    {
      spec: { containers: [container('app', '64', '1Ti')] },
      status: {
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'PodResizePending', status: 'True', reason: 'Infeasible' },
        ],
        containerStatuses: [
          {
            name: 'app',
            resources: { requests: { cpu: '500m', memory: '512Mi' } },
            allocatedResources: { cpu: '500m', memory: '512Mi' },
          },
        ],
      },
    },
    known(500, 512),
  ],
  [
    'a deferred one is',
    {
      spec: { containers: [container('app', '2', '512Mi')] },
      status: {
        conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Deferred' }],
        containerStatuses: [
          {
            name: 'app',
            resources: { requests: { cpu: '500m', memory: '512Mi' } },
            allocatedResources: { cpu: '500m', memory: '512Mi' },
          },
        ],
      },
    },
    known(2000, 512),
  ],
  [
    'a resized sidecar too, an init container that is done not',
    {
      spec: {
        initContainers: [sidecar('proxy', '100m', '64Mi'), container('init', '100m', '64Mi')],
        containers: [{ name: 'app' }],
      },
      status: {
        initContainerStatuses: [
          { name: 'proxy', resources: { requests: { cpu: '300m' } } },
          { name: 'init', resources: { requests: { cpu: '9' } } },
        ],
      },
    },
    known(400, 128),
  ],
  [
    'a pod-level resize under way',
    {
      spec: { resources: { requests: { cpu: '1', memory: '1Gi' } }, containers: [app] },
      status: {
        resources: { requests: { cpu: '3', memory: '512Mi' } },
        allocatedResources: { cpu: '2', memory: '2Gi' },
      },
    },
    known(3000, 2048),
  ],
  [
    'a pod-level resize leaves alone what is not asked for the pod',
    {
      spec: { resources: { requests: { memory: '1Gi' } }, containers: [app] },
      status: {
        resources: { requests: { cpu: '3', memory: '1Gi' } },
        allocatedResources: { cpu: '3', memory: '1Gi' },
      },
    },
    known(500, 1024),
  ],
  [
    'a pod-level resize that the node cannot do is not counted',
    {
      spec: { resources: { requests: { cpu: '64', memory: '1Ti' } }, containers: [app] },
      status: {
        conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }],
        resources: { requests: { cpu: '1', memory: '1Gi' } },
      },
    },
    known(1000, 1024),
  ],
];

describe('what a pod asks for, as the scheduler counts it', () => {
  test.each(COUNTED)('%s', (_name, pod, expected) => {
    expect(createPodRequestsReader()(pod)).toEqual(expected);
  });
});

describe('a pod with a quantity that cannot be read asks for nobody knows what', () => {
  test.each<readonly [string, RawPod, string]>([
    [
      'in a container',
      { spec: { containers: [container('app', '1', '16g')] } },
      'memory: "16g" is not a Kubernetes quantity (suffixes are G for powers of 1000, Gi for powers of 1024)',
    ],
    [
      'in an init container that is not the greediest',
      { spec: { initContainers: [container('init', 'abc', '1')], containers: [app] } },
      'cpu: "abc" is not a Kubernetes quantity',
    ],
    [
      'in the overhead',
      { spec: { containers: [app], overhead: { memory: '1E2Mi' } } },
      'memory: "1E2Mi" is not a Kubernetes quantity',
    ],
    ['a negative one', { spec: { containers: [container('app', '-1', '1Gi')] } }, 'cpu: -1 is negative'],
  ])('%s', (_name, pod, problem) => {
    expect(createPodRequestsReader()(pod)).toEqual({ kind: 'unreadable', problem });
  });

  test('the next pod is read afresh', () => {
    const read = createPodRequestsReader();
    read({ spec: { containers: [container('app', 'abc', 'abc')] } });
    expect(read({ spec: { containers: [app] } })).toEqual(known(500, 512));
  });
});
