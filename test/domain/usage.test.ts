import { describe, expect, test } from 'vitest';
import type { RawPod } from '../../functions/domain/pod.ts';
import { createUsageTally, NO_USAGE } from '../../functions/domain/usage.ts';
import type { NodeUsage } from '../../functions/domain/usage.ts';

const QUERY = {
  userPodSelectors: ['component=singleuser-server,app=jupyterhub', 'role=student'],
  imagePullerSelectors: ['component=continuous-image-puller', 'component=hook-image-puller'],
};

function pod(cpu: string, overrides: RawPod = {}): RawPod {
  return {
    ...overrides,
    metadata: { name: 'p', namespace: 'hub', ...overrides.metadata },
    spec: { nodeName: 'n', containers: [{ name: 'c', resources: { requests: { cpu } } }], ...overrides.spec },
    status: { phase: 'Running', ...overrides.status },
  };
}

function tally(pods: readonly RawPod[]): ReadonlyMap<string, NodeUsage> {
  const one = createUsageTally(QUERY);
  for (const each of pods) one.add(each);
  return one.usage();
}

function labelled(labels: Readonly<Record<string, string>>, status: RawPod['status'] = {}): RawPod {
  return pod('0', { metadata: { labels }, status: { phase: 'Running', ...status } });
}

const RUNNING = { containerStatuses: [{ name: 'c', state: { running: {} } }] };
const STARTING = { containerStatuses: [{ name: 'c', state: {} }] };
const READY = { conditions: [{ type: 'Ready', status: 'True' }] };
const USER = { component: 'singleuser-server', app: 'jupyterhub' };

describe('the requests of the pods on a node', () => {
  test('terminal pods are out, bound Pending and terminating ones in', () => {
    const usage = tally([
      pod('1000m'),
      pod('2000m', { status: { phase: 'Succeeded' } }),
      pod('2000m', { status: { phase: 'Failed' } }),
      pod('250m', { status: { phase: 'Pending' } }),
      pod('500m', { metadata: { deletionTimestamp: '2026-03-02T09:00:00Z' } }),
    ]);
    expect([...usage]).toEqual([['n', { ...NO_USAGE, cpuMillis: 1750, podCount: 3, otherCpuMillis: 1750 }]]);
  });

  test('memory is counted like cpu', () => {
    const asking = (memory: string, labels: Readonly<Record<string, string>> = {}): RawPod =>
      pod('0', {
        metadata: { labels },
        spec: { containers: [{ name: 'c', resources: { requests: { memory } } }] },
      });
    const usage = tally([asking('1Gi'), asking('512Mi'), asking('2Gi', USER)]);
    expect(usage.get('n')).toMatchObject({
      memoryBytes: 3584 * 2 ** 20,
      otherMemoryBytes: 1536 * 2 ** 20,
    });
  });

  test('a pod without a node weighs on none', () => {
    const nowhere = [pod('1', { spec: { nodeName: '' } }), { spec: { containers: [] } }, {}];
    expect([...tally(nowhere)]).toEqual([]);
  });

  test('a pod of which only its node and its containers are known counts like any other', () => {
    const bare = {
      spec: { nodeName: 'n', containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] },
    };
    expect(tally([bare]).get('n')).toEqual({
      ...NO_USAGE,
      cpuMillis: 1000,
      otherCpuMillis: 1000,
      podCount: 1,
    });
  });

  test('each pod is rounded up on its own', () => {
    expect(tally([pod('0.1m'), pod('0.1m')]).get('n')?.cpuMillis).toBe(2);
  });

  test('nodes are kept apart', () => {
    const usage = tally([pod('1'), pod('2', { spec: { nodeName: 'm' } })]);
    expect([usage.get('n')?.cpuMillis, usage.get('m')?.cpuMillis]).toEqual([1000, 2000]);
  });

  test('the first quantity that cannot be read is named with its pod, and the others still count', () => {
    const usage = tally([pod('1'), pod('16g', { metadata: { name: 'odd' } }), pod('xyz'), pod('1')]);
    expect(usage.get('n')).toEqual({
      ...NO_USAGE,
      cpuMillis: 2000,
      otherCpuMillis: 2000,
      podCount: 4,
      unreadable:
        'pod hub/odd, cpu: "16g" is not a Kubernetes quantity (suffixes are G for powers of 1000, Gi for powers of 1024)',
    });
  });

  test('what users and placeholders ask is no part of what is always there', () => {
    const placeholder = {
      'app.kubernetes.io/name': 'node-placeholder',
      'app.kubernetes.io/managed-by': 'calendar-node-pool-autoscaler',
    };
    const usage = tally([
      pod('100m'),
      pod('200m', { metadata: { labels: USER } }),
      pod('400m', { metadata: { labels: placeholder } }),
    ]);
    expect(usage.get('n')).toMatchObject({ cpuMillis: 700, otherCpuMillis: 100 });
  });
});

describe("a user's pod runs on the node", () => {
  test.each<readonly [string, RawPod, boolean]>([
    ['with all its containers running', labelled(USER, RUNNING), true],
    ['by another of the selectors', labelled({ role: 'student' }, RUNNING), true],
    ['with one label of two', labelled({ component: 'singleuser-server' }, RUNNING), false],
    ['with a container still starting', labelled(USER, STARTING), false],
    [
      'with one container of two still starting',
      labelled(USER, { containerStatuses: [...RUNNING.containerStatuses, { name: 'd', state: {} }] }),
      false,
    ],
    [
      'with a container of which nothing is known',
      labelled(USER, { containerStatuses: [{ name: 'c' }] }),
      false,
    ],
    ['Running, by its phase alone', labelled(USER), true],
    ['before it has a status', { metadata: { labels: USER }, spec: { nodeName: 'n' } }, false],
    ['while Pending', labelled(USER, { phase: 'Pending', ...RUNNING }), false],
    ['without labels', pod('0', { status: RUNNING }), false],
  ])('%s', (_name, one, expected) => {
    expect(tally([one]).get('n')?.hasRunningUserPod).toBe(expected);
  });
});

describe('the image puller of a node', () => {
  const puller = { component: 'continuous-image-puller' };
  const hook = { component: 'hook-image-puller' };

  test.each<readonly [string, readonly RawPod[], NodeUsage['imagePuller']]>([
    ['none', [labelled(USER, RUNNING)], undefined],
    ['still pulling', [labelled(puller, { phase: 'Pending' })], 'notReady'],
    [
      'running, not yet Ready',
      [labelled(puller, { conditions: [{ type: 'Ready', status: 'False' }] })],
      'notReady',
    ],
    [
      'scheduled, not yet Ready',
      [
        labelled(puller, {
          conditions: [
            { type: 'PodScheduled', status: 'True' },
            { type: 'Ready', status: 'False' },
          ],
        }),
      ],
      'notReady',
    ],
    ['Ready', [labelled(puller, READY)], 'ready'],
    [
      'Ready, among other conditions',
      [labelled(puller, { conditions: [{ type: 'Initialized', status: 'True' }, ...READY.conditions] })],
      'ready',
    ],
    ['without a status yet', [{ metadata: { labels: puller }, spec: { nodeName: 'n' } }], 'notReady'],
    ['one of two Ready, in either order', [labelled(puller, READY), labelled(hook)], 'ready'],
    ['one of two Ready, the other way round', [labelled(hook), labelled(puller, READY)], 'ready'],
    [
      'on its way out, which tells nothing',
      [
        pod('0', {
          metadata: { labels: hook, deletionTimestamp: '2026-03-02T09:00:00Z' },
          status: READY,
        }),
      ],
      undefined,
    ],
  ])('%s', (_name, pods, expected) => {
    expect(tally(pods).get('n')?.imagePuller).toBe(expected);
  });
});

test('a selector that cannot be read matches no pod, rather than every one', () => {
  const one = createUsageTally({ userPodSelectors: ['', 'component in (a)'], imagePullerSelectors: [','] });
  one.add(labelled(USER, { ...RUNNING, ...READY }));
  expect(one.usage().get('n')).toMatchObject({ hasRunningUserPod: false, imagePuller: undefined });
});
