import { describe, expect, test } from 'vitest';
import { wantedDeployment } from '../../functions/domain/placeholder-manifest.ts';
import type { WantedCount } from '../../functions/domain/placeholder-manifest.ts';
import type { PlaceholderSettings } from '../../functions/domain/placeholder.ts';

const SETTINGS: PlaceholderSettings = {
  poolName: 'base',
  namespace: 'node-placeholder',
  image: 'registry.k8s.io/pause:3.10.1',
  priorityClassName: 'node-placeholder',
  nodeSelector: { 'hub.jupyter.org/pool-name': 'base-pool', zone: 'b' },
  requests: { memory: '60738518784', cpu: '1' },
  limits: {},
  tolerations: [
    { key: 'hub.jupyter.org/dedicated', operator: 'Equal', value: 'user', effect: 'NoSchedule' },
    { key: 'hub.jupyter.org_dedicated', operator: 'Equal', value: 'user', effect: 'NoSchedule' },
  ],
};

const COUNT: WantedCount = {
  replicas: 3,
  why: {
    reason: "3 = event 'Data 8' asks 3",
    spares: '1 warm, 2 warming (by 09:00Z)',
    event: 'Data 8',
    changedAt: Date.UTC(2026, 2, 2, 8, 50),
  },
  warmFirst: true,
};

const LABELS = {
  'app.kubernetes.io/name': 'node-placeholder',
  'app.kubernetes.io/instance': 'base',
  'app.kubernetes.io/managed-by': 'calendar-node-pool-autoscaler',
};

test('the whole object', () => {
  const wanted = wantedDeployment(SETTINGS, COUNT);
  expect(wanted).toEqual({
    name: 'base-placeholder',
    poolName: 'base',
    replicas: 3,
    templateHash: wanted.templateHash,
    manifest: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {
        name: 'base-placeholder',
        namespace: 'node-placeholder',
        labels: LABELS,
        annotations: {
          'calendar-node-pool-autoscaler/template-hash': wanted.templateHash,
          'calendar-node-pool-autoscaler/reason': "3 = event 'Data 8' asks 3",
          'calendar-node-pool-autoscaler/spares': '1 warm, 2 warming (by 09:00Z)',
          'calendar-node-pool-autoscaler/event': 'Data 8',
          'calendar-node-pool-autoscaler/changed-at': '2026-03-02T08:50:00.000Z',
        },
      },
      spec: {
        replicas: 3,
        revisionHistoryLimit: 1,
        strategy: { type: 'Recreate' },
        selector: {
          matchLabels: {
            'app.kubernetes.io/name': 'node-placeholder',
            'app.kubernetes.io/instance': 'base',
          },
        },
        template: {
          metadata: {
            labels: { ...LABELS, 'calendar-node-pool-autoscaler/warmth': 'cold' },
            annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' },
          },
          spec: {
            priorityClassName: 'node-placeholder',
            preemptionPolicy: 'Never',
            terminationGracePeriodSeconds: 0,
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            nodeSelector: { 'hub.jupyter.org/pool-name': 'base-pool', zone: 'b' },
            tolerations: SETTINGS.tolerations,
            securityContext: {
              runAsNonRoot: true,
              runAsUser: 65535,
              runAsGroup: 65535,
              seccompProfile: { type: 'RuntimeDefault' },
            },
            containers: [
              {
                name: 'pause',
                image: 'registry.k8s.io/pause:3.10.1',
                resources: { requests: { memory: '60738518784', cpu: '1' } },
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ['ALL'] },
                },
              },
            ],
          },
        },
      },
    },
  });
});

test('it survives the wire unchanged', () => {
  const { manifest } = wantedDeployment(SETTINGS, COUNT);
  expect(JSON.parse(JSON.stringify(manifest))).toEqual(manifest);
});

test('without an event there is no annotation of one', () => {
  const { manifest } = wantedDeployment(SETTINGS, { ...COUNT, why: { ...COUNT.why, event: undefined } });
  const annotations = (manifest['metadata'] as { annotations: object }).annotations;
  expect(Object.keys(annotations)).not.toContain('calendar-node-pool-autoscaler/event');
});

test('limits appear when they are configured', () => {
  const { manifest } = wantedDeployment({ ...SETTINGS, limits: { memory: '60738518784' } }, COUNT);
  expect(JSON.stringify(manifest)).toContain('"limits":{"memory":"60738518784"}');
});

test('without warmFirst no pod carries a warmth', () => {
  const { manifest } = wantedDeployment(SETTINGS, { ...COUNT, warmFirst: false });
  expect(JSON.stringify(manifest)).not.toContain('warmth');
});

describe('the template hash', () => {
  const hash = wantedDeployment(SETTINGS, COUNT).templateHash;

  test('is 16 hexadecimal digits', () => {
    expect(hash).toMatch(/^[0-9a-f]{16}$/);
  });

  test.each<readonly [string, PlaceholderSettings, WantedCount]>([
    ['another count', SETTINGS, { ...COUNT, replicas: 7 }],
    ['another reason', SETTINGS, { ...COUNT, why: { reason: 'y', event: undefined, changedAt: 0 } }],
    [
      'another order of the keys',
      {
        ...SETTINGS,
        nodeSelector: { zone: 'b', 'hub.jupyter.org/pool-name': 'base-pool' },
        requests: { cpu: '1', memory: '60738518784' },
        tolerations: SETTINGS.tolerations.map(({ key, operator, value, effect }) => ({
          effect,
          value,
          operator,
          key,
        })),
      },
      COUNT,
    ],
    [
      'a key that is there but undefined',
      {
        ...SETTINGS,
        tolerations: SETTINGS.tolerations.map((one) => ({ ...one, tolerationSeconds: undefined })),
      },
      COUNT,
    ],
  ])('stays the same under %s', (_name, settings, count) => {
    expect(wantedDeployment(settings, count).templateHash).toBe(hash);
  });

  test.each<readonly [string, PlaceholderSettings, WantedCount]>([
    ['another request', { ...SETTINGS, requests: { memory: '60738518785', cpu: '1' } }, COUNT],
    ['another image', { ...SETTINGS, image: 'registry.k8s.io/pause:3.10.2' }, COUNT],
    ['another node selector', { ...SETTINGS, nodeSelector: { zone: 'c' } }, COUNT],
    ['another class', { ...SETTINGS, priorityClassName: 'spare' }, COUNT],
    ['a toleration less', { ...SETTINGS, tolerations: SETTINGS.tolerations.slice(1) }, COUNT],
    ['the tolerations swapped', { ...SETTINGS, tolerations: SETTINGS.tolerations.toReversed() }, COUNT],
    ['a limit', { ...SETTINGS, limits: { cpu: '1' } }, COUNT],
    ['warmFirst turned off', SETTINGS, { ...COUNT, warmFirst: false }],
    ['another pool', { ...SETTINGS, poolName: 'workshop' }, COUNT],
  ])('changes with %s', (_name, settings, count) => {
    expect(wantedDeployment(settings, count).templateHash).not.toBe(hash);
  });

  test('asking twice gives the same answer as asking once', () => {
    const first = wantedDeployment(SETTINGS, { ...COUNT, warmFirst: false });
    expect(wantedDeployment(SETTINGS, { ...COUNT, warmFirst: false })).toEqual(first);
    expect(wantedDeployment(structuredClone(SETTINGS), { ...COUNT, warmFirst: false })).toEqual(first);
    expect(wantedDeployment(SETTINGS, COUNT).templateHash).toBe(hash);
  });
});
