import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../../functions/config/default-config.ts';
import { loadSettings } from '../../functions/config/load.ts';
import { ConfigError } from '../../functions/errors.ts';
import { findingsOf, formatFindings, parse } from './findings.ts';

const HUB_TOLERATIONS = [
  { key: 'hub.jupyter.org/dedicated', operator: 'Equal', value: 'user', effect: 'NoSchedule' },
  { key: 'hub.jupyter.org_dedicated', operator: 'Equal', value: 'user', effect: 'NoSchedule' },
];

const good = (name: string) => readFileSync(new URL(`./good/${name}.yaml`, import.meta.url), 'utf8');
const example = (name: string) => readFileSync(new URL(`../../examples/${name}`, import.meta.url), 'utf8');

describe('the values file of the in-cluster chart works as it is', () => {
  const clusters = [
    {
      name: 'default',
      target: { kind: 'kubeconfig', path: '/home/me/.kube/config', context: undefined },
      calendar: {
        source: { kind: 'ics', url: 'https://calendar.example/public/basic.ics' },
        timeZone: 'America/Los_Angeles',
        staleAfterSeconds: 86_400,
      },
      namespace: 'node-placeholder',
      nodePoolSelectorKey: 'hub.jupyter.org/pool-name',
      priorityClassName: 'node-placeholder',
      warmFirst: true,
      userImages: [],
      imagePullerSelectors: ['component=continuous-image-puller', 'component=hook-image-puller'],
      userPodSelectors: ['component=singleuser-server'],
      pools: [
        {
          settings: {
            name: 'user',
            nodeLabel: 'user-pool',
            scalingStrategy: 'mem',
            cpuThreshold: 0.2,
            memoryThreshold: 0.35,
            nodeGraceSeconds: 600,
            baseline: 1,
            maxReplicas: 20,
            calendarOverrideEnabled: true,
            warmFirst: true,
            nodeWarmSeconds: 600,
          },
          placeholder: {
            poolName: 'user',
            nodeSelector: { 'hub.jupyter.org/pool-name': 'user-pool' },
            namespace: 'node-placeholder',
            image: 'registry.k8s.io/pause:3.10.1',
            priorityClassName: 'node-placeholder',
            requests: { memory: '60929654784' },
            limits: {},
            tolerations: HUB_TOLERATIONS,
          },
        },
      ],
    },
  ];
  const chartKeys =
    'Keys of the Helm chart that have no effect here: image, replicaCount, imagePullSecrets, nameOverride, ' +
    'fullnameOverride, serviceAccount, podAnnotations, podSecurityContext, securityContext, resources, nodeSelector, ' +
    'affinity, rbac, priorityClass, placeholderPodLabelSelector';
  const noCluster = 'No `cluster` is set: acting on the current context of the kubeconfig';

  test.each([
    {
      name: 'wrapped, beside another chart',
      file: 'chart-wrapped',
      notices: ['Keys beside node-placeholder-scaler have no effect here: ingress', chartKeys, noCluster],
    },
    { name: 'bare', file: 'chart-bare', notices: [chartKeys, noCluster] },
  ])('$name', ({ file, notices }) => {
    expect(parse(good(file))).toEqual({
      source: 'config.yaml',
      caps: [],
      clusters,
      notices,
    });
  });
});

test('a fleet: each cluster inherits from the file and overrides it, each pool from its cluster', () => {
  const inFile = {
    scalingStrategy: 'balanced',
    cpuThreshold: 0.3,
    memoryThreshold: 0.2,
    nodeGraceSeconds: 300,
  };
  const inWest = {
    namespace: 'node-placeholder',
    image: 'registry.k8s.io/pause:3.10.1',
    priorityClassName: 'node-placeholder',
    requests: { memory: '56Gi', cpu: '0.5' },
    limits: { memory: '60Gi' },
  };

  expect(parse(good('fleet'))).toEqual({
    source: 'config.yaml',
    caps: [{ name: 'maxReplicasTotal', most: 30, clusters: new Set(['hub-west', 'hub-east']) }],
    notices: [],
    clusters: [
      {
        name: 'hub-west',
        target: { kind: 'gke', project: 'p-west', location: 'us-west1', name: 'hub' },
        calendar: {
          source: { kind: 'google', calendarId: 'classes@group.calendar.google.com' },
          timeZone: undefined,
          staleAfterSeconds: 3600,
        },
        namespace: 'node-placeholder',
        nodePoolSelectorKey: 'hub.jupyter.org/pool-name',
        priorityClassName: 'node-placeholder',
        warmFirst: true,
        userImages: [],
        imagePullerSelectors: ['component=continuous-image-puller', 'component=hook-image-puller'],
        userPodSelectors: ['component=singleuser-server'],
        pools: [
          {
            settings: {
              ...inFile,
              name: 'base',
              nodeLabel: 'base',
              baseline: 1,
              maxReplicas: 20,
              calendarOverrideEnabled: false,
              warmFirst: true,
              nodeWarmSeconds: 600,
            },
            placeholder: {
              ...inWest,
              poolName: 'base',
              nodeSelector: { 'hub.jupyter.org/pool-name': 'base' },
              tolerations: [{ key: 'hub', operator: 'Exists' }],
            },
          },
          {
            settings: {
              ...inFile,
              name: 'workshop',
              nodeLabel: 'workshop',
              scalingStrategy: 'cpu',
              cpuThreshold: 0.5,
              baseline: 0,
              maxReplicas: 5,
              calendarOverrideEnabled: true,
              warmFirst: true,
              nodeWarmSeconds: 60,
            },
            placeholder: {
              ...inWest,
              poolName: 'workshop',
              nodeSelector: { 'hub.jupyter.org/pool-name': 'workshop' },
              tolerations: [
                { key: 'hub', operator: 'Exists' },
                { key: 'dedicated', value: 'workshop', effect: 'NoSchedule' },
              ],
            },
          },
        ],
      },
      {
        name: 'hub-east',
        target: {
          kind: 'kubeconfig',
          path: '/home/me/.kube/config',
          context: 'arn:aws:eks:us-east-1:1:cluster/hub',
        },
        calendar: {
          source: { kind: 'ics', url: 'https://calendar.example/east.ics' },
          timeZone: 'America/New_York',
          staleAfterSeconds: 3600,
        },
        namespace: 'spares',
        nodePoolSelectorKey: 'cloud.google.com/gke-nodepool',
        priorityClassName: 'spare',
        warmFirst: false,
        userImages: ['quay.io/org/*'],
        imagePullerSelectors: ['component=puller'],
        userPodSelectors: ['app=hub,component=user'],
        pools: [
          {
            settings: {
              ...inFile,
              name: 'base',
              nodeLabel: 'base',
              scalingStrategy: 'mem',
              baseline: 0,
              maxReplicas: 20,
              calendarOverrideEnabled: false,
              warmFirst: false,
              nodeWarmSeconds: 600,
            },
            placeholder: {
              poolName: 'base',
              nodeSelector: { 'cloud.google.com/gke-nodepool': 'base' },
              namespace: 'spares',
              image: 'registry.example/pause:3.10.1',
              priorityClassName: 'spare',
              requests: { memory: '56Gi' },
              limits: {},
              tolerations: [],
            },
          },
        ],
      },
    ],
  });
});

const POOL = 'nodePools: { base: { resources: { requests: { memory: 56Gi } } } }';

describe('a cluster is written in one of four ways', () => {
  test.each([
    ['projects/p/locations/l/clusters/c', { kind: 'gke', project: 'p', location: 'l', name: 'c' }],
    [
      '//container.googleapis.com/projects/p/zones/l-a/clusters/c',
      { kind: 'gke', project: 'p', location: 'l-a', name: 'c' },
    ],
    ['kubeconfig', { kind: 'kubeconfig', path: '/home/me/.kube/config', context: undefined }],
    ['kubeconfig:kind-hub', { kind: 'kubeconfig', path: '/home/me/.kube/config', context: 'kind-hub' }],
    ['embedded', { kind: 'embedded' }],
  ])('%s', (written, target) => {
    expect(parse(`cluster: ${written}\n${POOL}`).clusters[0]!.target).toEqual(target);
  });
});

describe('a calendar is an id, an address or a file', () => {
  test.each([
    ['calendarId: primary', { kind: 'google', calendarId: 'primary' }],
    ['calendarUrl: https://c.example/a.ics', { kind: 'ics', url: 'https://c.example/a.ics' }],
    ['calendarUrl: webcal://c.example/a.ics', { kind: 'ics', url: 'https://c.example/a.ics' }],
    ['calendarUrl: file:///srv/a.ics', { kind: 'ics', url: 'file:///srv/a.ics' }],
    ['calendarUrl: a b.ics', { kind: 'ics', url: 'file:///etc/autoscaler/a%20b.ics' }],
    ['calendarUrl: /srv/a.ics', { kind: 'ics', url: 'file:///srv/a.ics' }],
  ])('%s', (written, source) => {
    expect(parse(`${written}\n${POOL}`).clusters[0]!.calendar!.source).toEqual(source);
  });

  test('none at all is allowed, and told', () => {
    const settings = parse(`cluster: embedded\n${POOL}`);

    expect(settings.clusters[0]!.calendar).toBeUndefined();
    expect(settings.notices).toEqual([
      'No calendar is set (`calendarId` or `calendarUrl`): only the baselines count',
    ]);
  });
});

describe('values as YAML 1.2 has them', () => {
  test.each([
    ['replicas: 010', 10],
    ['replicas: 0o10', 8],
    ['replicas: 0x10', 16],
    ['replicas: 2.0', 2],
    ['replicas: 1e1', 10],
    ['replicas: 0', 0],
  ])('%s', (written, baseline) => {
    const text = `nodePools: { base: { ${written}, resources: { requests: { memory: 56Gi } } } }`;

    expect(parse(text).clusters[0]!.pools[0]!.settings.baseline).toBe(baseline);
  });

  test.each(['True', 'TRUE', 'true'])('calendarOverrideEnabled: %s', (written) => {
    const settings = parse(`calendarOverrideEnabled: ${written}\n${POOL}`);

    expect(settings.clusters[0]!.pools[0]!.settings.calendarOverrideEnabled).toBe(true);
  });

  test.each([
    ['memory: 60929654784', { memory: '60929654784' }],
    ['memory: "60929654784"', { memory: '60929654784' }],
    ['memory: 56.5Gi, cpu: 0.5', { memory: '56.5Gi', cpu: '0.5' }],
    ['memory: 56Gi, nvidia.com/gpu: 1', { memory: '56Gi', 'nvidia.com/gpu': '1' }],
  ])('requests: %s', (written, requests) => {
    const text = `nodePools: { base: { resources: { requests: { ${written} } } } }`;

    expect(parse(text).clusters[0]!.pools[0]!.placeholder.requests).toEqual(requests);
  });

  test('a pool whose name looks like a number keeps it as text', () => {
    const text = 'nodePools: { 101: { resources: { requests: { memory: 56Gi } } } }';

    expect(parse(text).clusters[0]!.pools.map(({ settings }) => settings.name)).toEqual(['101']);
  });

  test('pools keep the order of the file', () => {
    const pools = ['zeta', 'alpha', '7', 'mid'].map(
      (name) => `  ${name}: { resources: { requests: { cpu: 1 } } }`,
    );

    expect(
      parse(`nodePools:\n${pools.join('\n')}`).clusters[0]!.pools.map(({ settings }) => settings.name),
    ).toEqual(['zeta', 'alpha', '7', 'mid']);
  });
});

describe('just allowed', () => {
  const withPool = (pool: string) =>
    `maxReplicasTotal: 20\nnodePools: { base: { ${pool}, resources: { requests: { memory: 56Gi } } } }`;

  test.each([
    'replicas: 20',
    'replicas: 0, maxReplicas: 0',
    'cpuThreshold: 0, memoryThreshold: 1',
    'nodeGracePeriod: 0, nodeWarmSeconds: 2592000',
    'maxReplicas: 10000',
    `nodeSelector: { hub.jupyter.org/pool-name: ${'x'.repeat(63)} }`,
    'tolerations: [{ operator: Exists }, { key: a, effect: NoExecute, tolerationSeconds: 0 }]',
  ])('%s', (pool) => {
    expect(parse(withPool(pool)).clusters).toHaveLength(1);
  });

  test('a pool name that leaves its Deployment 63 characters', () => {
    const name = 'x'.repeat(51);

    expect(
      parse(`nodePools: { ${name}: { resources: { requests: { cpu: 1 } } } }`).clusters[0]!.pools[0]!.settings
        .name,
    ).toBe(name);
  });

  test('a mebibyte, to the byte', async () => {
    const text = `cluster: embedded\n${POOL}\n`;
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'config-')), 'large.yaml');
    writeFileSync(file, text.padEnd(1024 * 1024, '#'));

    expect((await loadSettings(file, { kubeconfigPath: '/k' })).clusters).toHaveLength(1);
  });

  test('the same pool names in two clusters of a fleet, and two embedded clusters', () => {
    const cluster = `{ cluster: embedded, ${POOL} }`;

    expect(parse(`clusters: { one: ${cluster}, two: ${cluster} }`).clusters.map(({ name }) => name)).toEqual([
      'one',
      'two',
    ]);
  });
});

describe('allowed, but told', () => {
  test.each(['0', '64', '500m', '"128k"'])('a memory request of %s has lost its unit', (memory) => {
    const { notices } = parse(
      `cluster: embedded\ncalendarId: a@b\nnodePools: { base: { resources: { requests: { memory: ${memory} } } } }`,
    );

    expect(notices).toEqual([
      `nodePools.base.resources.requests.memory is ${memory.replaceAll('"', '')} bytes: is a unit such as Gi missing?`,
    ]);
  });
});

test('a config that does not say what to request is refused, but for working it out', () => {
  const text = 'cluster: embedded\nnodePools: { base: { replicas: 1 } }';

  expect(findingsOf(text)).toHaveLength(1);
  expect(parse(text, { mayLackRequests: true }).clusters[0]!.pools[0]!.placeholder.requests).toEqual({});
});

test.each(['config.yaml', 'config-fleet.yaml', 'config-laptop.yaml'])('examples/%s is valid', (name) => {
  expect(parse(example(name)).clusters.length).toBeGreaterThan(0);
});

test('the embedded default is valid, and asks for nothing outside', () => {
  const { clusters } = parse(DEFAULT_CONFIG);

  expect(clusters.map(({ target, calendar }) => ({ target, calendar }))).toEqual([
    { target: { kind: 'embedded' }, calendar: undefined },
  ]);
});

describe('files that cannot be a config: one line each', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'config-'));
  const write = (name: string, content: string | Buffer) => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  };
  const load = (file: string) => loadSettings(file, { kubeconfigPath: '/k' });

  test.each([
    {
      name: 'missing',
      file: path.join(folder, 'nothing.yaml'),
      problem: 'does not exist: give the path of the config with --config or CONFIG_PATH',
    },
    {
      name: 'a folder',
      file: folder,
      problem: 'is a folder: give the file inside it with --config or CONFIG_PATH',
    },
    {
      name: 'a file taken for a folder',
      file: path.join(write('plain.yaml', ''), 'config.yaml'),
      problem: 'cannot be read (ENOTDIR): give the path of the config with --config or CONFIG_PATH',
    },
    {
      name: 'too large',
      file: write('large.yaml', '#'.repeat(1024 * 1024 + 1)),
      problem: 'has 1048577 bytes; a config may have 1048576',
    },
    {
      name: 'UTF-16',
      file: write('utf16.yaml', Buffer.from(`\ufeff${POOL}`, 'utf16le')),
      problem: 'is not UTF-8 text: save it as UTF-8',
    },
    { name: 'empty', file: write('empty.yaml', ''), problem: 'is empty: write at least `nodePools`' },
  ])('$name', async ({ file, problem }) => {
    const error: unknown = await load(file).catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({
      source: file,
      findings: [{ path: '', line: undefined, column: undefined, message: problem }],
    });
  });

  test('a byte order mark and Windows line ends are no trouble', async () => {
    const file = write('windows.yaml', `\ufeffcluster: embedded\r\n${POOL}\r\n`);

    expect((await load(file)).clusters[0]!.target).toEqual({ kind: 'embedded' });
  });

  test('a calendar file is found beside the config', async () => {
    const file = write('relative.yaml', `calendarUrl: calendar.ics\n${POOL}`);

    expect((await load(file)).clusters[0]!.calendar!.source).toEqual({
      kind: 'ics',
      url: `file://${folder}/calendar.ics`,
    });
  });

  test('it is read anew each time', async () => {
    const file = write('changing.yaml', `cluster: embedded\n${POOL}`);
    await load(file);
    write('changing.yaml', `cluster: kubeconfig\n${POOL}`);

    expect((await load(file)).clusters[0]!.target.kind).toBe('kubeconfig');
  });
});

test('a flood of problems is cut off', () => {
  const text = Array.from({ length: 500 }, (_, index) => `unknown${index}: 1`).join('\n');
  const findings = findingsOf(`${text}\n${POOL}`);

  expect(findings).toHaveLength(101);
  expect(formatFindings(findings.slice(100))).toBe('-:- (file): and 400 more problems\n');
});

test('the private address of a calendar is never repeated in a finding', () => {
  const secret = 'private-0123456789abcdef';
  const text = `calendarId: a@b\ncalendarUrl: ftp://calendar.example/${secret}/basic.ics\n${POOL}`;

  expect(formatFindings(findingsOf(text))).not.toContain(secret);
});
