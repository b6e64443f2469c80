import { describe, expect, test } from 'vitest';
import { ApiCluster } from '../../functions/cluster/api.ts';
import type { ApiClusterOptions } from '../../functions/cluster/api.ts';
import { DEFAULT_RETRY } from '../../functions/cluster/retry.ts';
import type { ClusterQuery, ClusterReading } from '../../functions/ports.ts';
import { json, PROTOCOLS, refusal, startLoopbackServer } from './loopback-server.ts';
import type { LoopbackServer, Protocol, ReceivedRequest, Reply, Script } from './loopback-server.ts';

const KEY = 'hub.jupyter.org/pool-name';

const QUERY: ClusterQuery = {
  namespace: 'node-placeholder',
  nodePoolSelectorKey: KEY,
  nodeLabels: ['base', 'workshop'],
  userImages: [],
  imagePullerSelectors: ['component=continuous-image-puller'],
  userPodSelectors: ['component=singleuser-server'],
  priorityClassName: 'node-placeholder',
  withObjects: false,
};

function node(name: string, pool = 'base'): object {
  return {
    metadata: {
      name,
      uid: `uid-${name}`,
      labels: { [KEY]: pool },
      creationTimestamp: '2026-03-02T08:00:00Z',
    },
    spec: {},
    status: {
      allocatable: { cpu: '4', memory: '16Gi' },
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-03-02T08:02:00Z' }],
    },
  };
}

interface PodShape {
  readonly name: string;
  readonly nodeName?: string;
  readonly cpu?: string;
  readonly phase?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

function pod({
  name,
  nodeName,
  cpu = '100m',
  phase = 'Running',
  namespace = 'hub',
  labels,
}: PodShape): object {
  return {
    metadata: {
      name,
      namespace,
      uid: `uid-${name}`,
      labels,
      creationTimestamp: '2026-03-02T08:00:00Z',
      managedFields: [{}],
    },
    spec: {
      nodeName,
      containers: [
        { name: 'main', env: [{ name: 'A', value: ']' }], resources: { requests: { cpu, memory: '1Mi' } } },
      ],
    },
    status: { phase },
  };
}

const OURS = {
  'app.kubernetes.io/name': 'node-placeholder',
  'app.kubernetes.io/instance': 'base',
  'app.kubernetes.io/managed-by': 'calendar-node-pool-autoscaler',
};

/** Enough of an API server to filter and to page. */
interface World {
  readonly nodes: readonly object[];
  readonly pods: readonly object[];
  readonly deployments?: readonly object[];
  /** By path; before anything else. */
  readonly replies?: Readonly<Record<string, Reply>>;
}

type AnyPod = { metadata: { namespace: string }; spec: { nodeName?: string }; status: { phase: string } };

function serve(world: World, request: ReceivedRequest): Reply {
  const scripted = world.replies?.[request.path];
  const kinds: Record<string, () => Reply> = {
    '/api/v1/nodes': () => page('NodeList', world.nodes, request),
    '/api/v1/pods': () => page('PodList', selectPods(world, request), request),
    '/api/v1/namespaces/node-placeholder/pods': () =>
      page(
        'PodList',
        selectPods(world, request).filter((one) => one.metadata.namespace === 'node-placeholder'),
        request,
      ),
    '/apis/apps/v1/namespaces/node-placeholder/deployments': () =>
      page('DeploymentList', world.deployments ?? [], request),
  };
  return scripted ?? kinds[request.path]?.() ?? refusal(404, `no ${request.path}`);
}

function selectPods(world: World, request: ReceivedRequest): readonly AnyPod[] {
  const terms = (request.query['fieldSelector'] ?? '').split(',');
  const nodeName = terms.find((term) => term.startsWith('spec.nodeName='))?.split('=')[1];
  return (world.pods as readonly AnyPod[]).filter(
    (one) =>
      !terms.includes(`status.phase!=${one.status.phase}`) &&
      (nodeName === undefined || one.spec.nodeName === nodeName),
  );
}

function page(kind: string, items: readonly object[], { query }: ReceivedRequest): Reply {
  const from = Number(query['continue'] ?? 0);
  const to = Math.min(items.length, from + Number(query['limit']));
  const more = to < items.length;
  const remaining =
    more && query['fieldSelector'] === undefined ? { remainingItemCount: items.length - to } : {};
  return json({
    kind,
    apiVersion: 'v1',
    metadata: { resourceVersion: '7', ...(more ? { continue: String(to) } : {}), ...remaining },
    items: items.slice(from, to),
  });
}

/** Like `serve`, but for the requests that `isBroken` tells. */
function serveBut(world: World, isBroken: (request: ReceivedRequest) => boolean, reply: Reply): Script {
  return (request) => (isBroken(request) ? reply : serve(world, request));
}

interface Read {
  readonly reading: ClusterReading;
  readonly requests: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly connections: number;
}

function openOn(server: LoopbackServer, more: Partial<ApiClusterOptions> = {}): ApiCluster {
  const { endpoint } = server;
  const retry = { ...DEFAULT_RETRY, wait: () => Promise.resolve(true) };
  return new ApiCluster({ label: 'hub-west', namespace: 'node-placeholder', endpoint, retry, ...more });
}

async function readWorld(
  world: World,
  query: ClusterQuery = QUERY,
  protocol: Protocol = 'h2',
): Promise<Read> {
  await using server = await startLoopbackServer((request) => serve(world, request), protocol);
  const cluster = openOn(server);
  const reading = await cluster.read(query, new AbortController().signal);
  await cluster.close();
  const requests = server.requests.map(({ path, query: { fieldSelector = '', continue: token } }) =>
    [path.split('/').slice(3).join('/'), fieldSelector.split(',')[0], token].filter(Boolean).join(' '),
  );
  return { reading, requests, counts: cluster.requests(), connections: server.connections() };
}

const SMALL: World = {
  nodes: [node('n1'), node('n2', 'workshop')],
  pods: [
    pod({ name: 'running', nodeName: 'n1', cpu: '1000m' }),
    pod({ name: 'done', nodeName: 'n1', cpu: '2000m', phase: 'Succeeded' }),
    pod({ name: 'failed', nodeName: 'n1', cpu: '2000m', phase: 'Failed' }),
    pod({ name: 'bound', nodeName: 'n1', cpu: '250m', phase: 'Pending' }),
    pod({ name: 'spare', nodeName: 'n2', namespace: 'node-placeholder', labels: OURS }),
    pod({ name: 'waiting', phase: 'Pending', namespace: 'node-placeholder', labels: OURS }),
  ],
  deployments: [
    {
      metadata: { name: 'base-placeholder', uid: 'd1', resourceVersion: '9', generation: 2, labels: OURS },
      spec: { replicas: 2, selector: { matchLabels: {} } },
      status: {
        conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota' }],
      },
    },
  ],
};

describe.each(PROTOCOLS)('a reading over %s', (protocol) => {
  test('is three lists over one TLS connection', async () => {
    const { requests, counts, connections } = await readWorld(SMALL, QUERY, protocol);
    expect([...requests].sort()).toEqual([
      'nodes',
      'pods status.phase!=Succeeded',
      'v1/namespaces/node-placeholder/deployments',
    ]);
    expect(counts).toEqual({ list: 3 });
    expect(connections).toBe(1);
  });
});

describe('a reading', () => {
  test('holds nodes, usage, placeholders and Deployments', async () => {
    const { reading } = await readWorld(SMALL);
    expect(reading.nodes.map(({ name, poolLabel }) => [name, poolLabel])).toEqual([
      ['n1', 'base'],
      ['n2', 'workshop'],
    ]);
    expect(reading.usage.get('n1')).toMatchObject({ cpuMillis: 1250, podCount: 2 });
    expect(reading.placeholders.map(({ name, nodeName }) => [name, nodeName])).toEqual([
      ['spare', 'n2'],
      ['waiting', undefined],
    ]);
    expect(reading.deployments).toMatchObject([
      { name: 'base-placeholder', replicas: 2, resourceVersion: '9', replicaFailure: 'exceeded quota' },
    ]);
    expect(reading.objects).toBeUndefined();
    expect(reading.how).toEqual({ podsOf: 'cluster', managedNodes: 2, podsInCluster: undefined });
  });

  test('asks for the nodes of the managed pools alone', async () => {
    await using server = await startLoopbackServer((request) => serve(SMALL, request));
    const cluster = openOn(server);
    await cluster.read(QUERY, new AbortController().signal);
    await cluster.close();
    const nodes = server.requests.find(({ path }) => path === '/api/v1/nodes');
    expect(nodes?.query).toEqual({ limit: '500', labelSelector: `${KEY} in (base,workshop)` });
  });

  test('of no pools lists no nodes', async () => {
    const { reading, requests } = await readWorld(SMALL, { ...QUERY, nodeLabels: [] });
    expect(reading.nodes).toEqual([]);
    expect(requests).not.toContain('nodes');
  });

  test('of an empty cluster is empty', async () => {
    const { reading } = await readWorld({ nodes: [], pods: [] });
    expect(reading).toMatchObject({ nodes: [], placeholders: [], deployments: [] });
    expect(reading.usage.size).toBe(0);
  });
});

describe('the objects that placeholders lean on', () => {
  const CLASS = '/apis/scheduling.k8s.io/v1/priorityclasses/node-placeholder';
  const BUDGET = '/apis/policy/v1/namespaces/node-placeholder/poddisruptionbudgets/node-placeholder-cold';
  const withObjects = { ...QUERY, withObjects: true };

  test.each<{ name: string; replies: Record<string, Reply>; expected: ClusterReading['objects'] }>([
    {
      name: 'both there',
      replies: { [CLASS]: json({ value: -10, preemptionPolicy: 'Never' }), [BUDGET]: json({ metadata: {} }) },
      expected: {
        priorityClass: { kind: 'present', value: -10, preemptionPolicy: 'Never' },
        warmBudget: 'present',
      },
    },
    {
      name: 'a class of zero, which the API leaves out',
      replies: { [CLASS]: json({ metadata: {} }), [BUDGET]: json({ metadata: {} }) },
      expected: {
        priorityClass: { kind: 'present', value: 0, preemptionPolicy: 'PreemptLowerPriority' },
        warmBudget: 'present',
      },
    },
    {
      name: 'neither there',
      replies: { [CLASS]: refusal(404, 'none'), [BUDGET]: refusal(404, 'none') },
      expected: { priorityClass: { kind: 'missing' }, warmBudget: 'missing' },
    },
    {
      name: 'neither to be looked at',
      replies: { [CLASS]: refusal(403, 'no'), [BUDGET]: refusal(403, 'no') },
      expected: { priorityClass: { kind: 'forbidden' }, warmBudget: 'forbidden' },
    },
  ])('$name', async ({ replies, expected }) => {
    const { reading, counts } = await readWorld({ ...SMALL, replies }, withObjects);
    expect(reading.objects).toEqual(expected);
    expect(counts).toEqual({ list: 3, get: 2 });
  });

  test('an error in looking at them is one of the reading', async () => {
    const replies = { [CLASS]: refusal(401, 'expired'), [BUDGET]: json({}) };
    await expect(readWorld({ ...SMALL, replies }, withObjects)).rejects.toMatchObject({
      kind: 'unauthenticated',
    });
  });
});

/** `managed` nodes and others, every node with 20 pods and one spare of ours on each managed one. */
function mixed(managed: number, others: number): World {
  const all = Array.from({ length: managed + others }, (_, at) => `n${String(at)}`);
  const ours = all.slice(0, managed);
  return {
    nodes: ours.map((name) => node(name)),
    pods: [
      ...Array.from({ length: 20 }, (_, at) =>
        all.map((nodeName) => pod({ name: `p${String(at)}-${nodeName}`, nodeName })),
      ).flat(),
      ...ours.map((nodeName) =>
        pod({ name: `spare-${nodeName}`, nodeName, namespace: 'node-placeholder', labels: OURS }),
      ),
      pod({ name: 'waiting', phase: 'Pending', namespace: 'node-placeholder', labels: OURS }),
    ],
  };
}

describe('where the managed pools are a small part of the cluster', () => {
  test('only their nodes’ pods are listed, and the spares that have no node', async () => {
    const { reading, requests, connections } = await readWorld(mixed(3, 97));
    expect(reading.how).toEqual({ podsOf: 'managedNodes', managedNodes: 3, podsInCluster: 2004 });
    expect([...reading.usage.keys()].sort()).toEqual(['n0', 'n1', 'n2']);
    expect(reading.usage.get('n1')).toMatchObject({ podCount: 21, cpuMillis: 2100 });
    expect(reading.placeholders.map(({ name }) => name)).toEqual([
      'spare-n0',
      'spare-n1',
      'spare-n2',
      'waiting',
    ]);
    expect([...requests].sort()).toEqual(
      [
        'nodes',
        'pods',
        'pods spec.nodeName=n0',
        'pods spec.nodeName=n1',
        'pods spec.nodeName=n2',
        'pods status.phase!=Succeeded',
        'v1/namespaces/node-placeholder/deployments',
        'namespaces/node-placeholder/pods status.phase!=Succeeded',
      ].sort(),
    );
    expect(connections).toBe(1);
  });

  test('says the same of the managed nodes as the whole list does', async () => {
    const world = mixed(3, 97);
    const part = await readWorld(world);
    const whole = await readWorld({
      ...world,
      nodes: [...world.nodes, ...Array.from({ length: 40 }, (_, at) => node(`n${String(at + 3)}`))],
    });
    expect(whole.reading.how?.podsOf).toBe('cluster');
    expect(part.reading.how?.podsOf).toBe('managedNodes');
    const names = ['n0', 'n1', 'n2'];
    expect(names.map((name) => part.reading.usage.get(name))).toEqual(
      names.map((name) => whole.reading.usage.get(name)),
    );
    expect(part.reading.placeholders).toEqual(whole.reading.placeholders);
  });

  test('the pods of nodes that were there before are listed too, so that a list that lacks them shows', async () => {
    const world = { ...mixed(3, 97), nodes: [node('n0')] };
    const { reading } = await readWorld(world, { ...QUERY, knownNodes: ['n0', 'n1', 'n2', 'gone'] });
    expect(reading.how).toEqual({ podsOf: 'managedNodes', managedNodes: 4, podsInCluster: 2004 });
    expect(reading.nodes.map(({ name }) => name)).toEqual(['n0']);
    expect(['n0', 'n1', 'n2', 'gone'].map((name) => reading.usage.get(name)?.podCount)).toEqual([
      21,
      21,
      21,
      undefined,
    ]);
  });

  test('a list of nodes that is suddenly short does not make many nodes few', async () => {
    const world = { ...mixed(100, 0), nodes: [] };
    const knownNodes = Array.from({ length: 100 }, (_, at) => `n${String(at)}`);
    const { reading } = await readWorld(world, { ...QUERY, knownNodes });
    expect(reading.how?.podsOf).toBe('cluster');
    expect(reading.usage.size).toBe(100);
  });

  test('an ordinary cluster spends no request on finding out', async () => {
    const { reading, requests } = await readWorld(mixed(100, 0));
    expect(reading.how).toEqual({ podsOf: 'cluster', managedNodes: 100, podsInCluster: undefined });
    expect(requests).toHaveLength(3 + 4);
    expect(reading.placeholders).toHaveLength(101);
  });

  test.each(['managedNodes', 'cluster'] as const)(
    'lists the pods of %s where it is told to',
    async (podsOf) => {
      const read = async (world: World) => {
        await using server = await startLoopbackServer((request) => serve(world, request));
        const cluster = openOn(server, { podsOf });
        const reading = await cluster.read(QUERY, new AbortController().signal);
        await cluster.close();
        return reading.how?.podsOf;
      };
      expect([await read(mixed(3, 97)), await read(mixed(100, 0))]).toEqual([podsOf, podsOf]);
    },
  );

  test('one node that cannot be read fails the reading', async () => {
    const world = mixed(3, 97);
    const isOfNode = ({ query }: ReceivedRequest): boolean =>
      query['fieldSelector']?.startsWith('spec.nodeName=n1') === true;
    await using server = await startLoopbackServer(serveBut(world, isOfNode, refusal(500, 'no')));
    const cluster = openOn(server);
    await expect(cluster.read(QUERY, new AbortController().signal)).rejects.toMatchObject({
      kind: 'unavailable',
    });
    await cluster.close();
  });
});

describe('a reading that fails in one part', () => {
  test.each([
    ['nodes', '/api/v1/nodes'],
    ['pods', '/api/v1/pods'],
    ['Deployments', '/apis/apps/v1/namespaces/node-placeholder/deployments'],
  ])('fails as a whole: %s', async (_, path) => {
    await expect(readWorld({ ...SMALL, replies: { [path]: refusal(403, 'no') } })).rejects.toMatchObject({
      name: 'ClusterError',
      kind: 'forbidden',
      status: 403,
    });
  });

  test('ends the other parts, and reports the first failure', async () => {
    const expired = { ...SMALL, replies: { '/api/v1/nodes': refusal(401, 'expired') } };
    const isOther = ({ path }: ReceivedRequest): boolean => path !== '/api/v1/nodes';
    await using server = await startLoopbackServer(serveBut(expired, isOther, { kind: 'silence' }));
    const cluster = openOn(server);
    const started = performance.now();
    await expect(cluster.read(QUERY, new AbortController().signal)).rejects.toMatchObject({
      kind: 'unauthenticated',
    });
    await cluster.close();
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('a list that expired twice applies nothing and says so', async () => {
    const world = mixed(100, 0);
    const isLaterPage = ({ query }: ReceivedRequest): boolean => query['continue'] !== undefined;
    await using server = await startLoopbackServer(serveBut(world, isLaterPage, refusal(410, 'expired')));
    const cluster = openOn(server);
    await expect(cluster.read(QUERY, new AbortController().signal)).rejects.toMatchObject({
      kind: 'gone',
      status: 410,
    });
    await cluster.close();
  });

  test('ends by its own time limit when the server takes everything in and never answers', async () => {
    await using server = await startLoopbackServer(() => ({ kind: 'silence' }));
    const cluster = openOn(server, { limits: { connect: 1000, headers: 100, silence: 100, whole: 300 } });
    await expect(cluster.read(QUERY, new AbortController().signal)).rejects.toMatchObject({
      kind: 'timeout',
      remedy: 'check the network',
    });
    await cluster.close();
  });
});
