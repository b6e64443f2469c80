import { describe, expect, test } from 'vitest';
import { ApiCluster } from '../../functions/cluster/api.ts';
import { DEFAULT_RETRY } from '../../functions/cluster/retry.ts';
import type { RetryPolicy } from '../../functions/cluster/retry.ts';
import { wantedDeployment } from '../../functions/domain/placeholder-manifest.ts';
import { readDeployment, TEMPLATE_HASH_ANNOTATION } from '../../functions/domain/placeholder.ts';
import type {
  LiveDeployment,
  PlaceholderPod,
  PlaceholderSettings,
} from '../../functions/domain/placeholder.ts';
import type { ApplyOutcome, WantedDeployment } from '../../functions/ports.ts';
import { json, PROTOCOLS, refusal, startLoopbackServer } from './loopback-server.ts';
import type { LoopbackServer, ReceivedRequest, Reply, Script } from './loopback-server.ts';

const NAMESPACE = 'node-placeholder';
const DEPLOYMENT_PATH = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/base-placeholder`;
const POD_PATH = `/api/v1/namespaces/${NAMESPACE}/pods/base-placeholder-1`;

const SETTINGS: PlaceholderSettings = {
  poolName: 'base',
  namespace: NAMESPACE,
  image: 'registry.k8s.io/pause:3.10.1',
  priorityClassName: 'node-placeholder',
  nodeSelector: { 'hub.jupyter.org/pool-name': 'base' },
  requests: { memory: '60000000000' },
  limits: {},
  tolerations: [],
};
const WANTED: WantedDeployment = wantedDeployment(SETTINGS, {
  replicas: 3,
  warmFirst: true,
  why: { reason: 'because of an event', event: 'Data 8', changedAt: Date.UTC(2026, 2, 2, 8, 50) },
});

/** The Deployment as a server holds it. */
function stored(change: { version: string; generation: number; replicas?: number; uid?: string }): object {
  const { metadata, spec } = WANTED.manifest as { metadata: object; spec: object };
  const { version: resourceVersion, generation, replicas = 1, uid = 'uid-1' } = change;
  return {
    ...WANTED.manifest,
    metadata: { ...metadata, uid, resourceVersion, generation, managedFields: [{ manager: 'someone' }] },
    spec: { ...spec, replicas },
  };
}

const LIVE: LiveDeployment = readDeployment(stored({ version: '100', generation: 4 }));

const POD: PlaceholderPod = {
  name: 'base-placeholder-1',
  uid: 'pod-uid-1',
  poolName: 'base',
  nodeName: 'node-1',
  phase: 'Running',
  isTerminating: false,
  createdAt: 0,
  warmth: 'cold',
  pendingMessage: undefined,
};

const NO_WAIT: RetryPolicy = { ...DEFAULT_RETRY, wait: () => Promise.resolve(true) };
const { signal } = new AbortController();

interface Ran<T> {
  readonly outcome: T | undefined;
  readonly error: unknown;
  readonly requests: readonly ReceivedRequest[];
  readonly counts: Readonly<Record<string, number>>;
}

async function run<T>(server: LoopbackServer, act: (cluster: ApiCluster) => Promise<T>): Promise<Ran<T>> {
  const cluster = new ApiCluster({
    label: 'hub-west',
    namespace: NAMESPACE,
    endpoint: server.endpoint,
    retry: NO_WAIT,
  });
  const settled = await act(cluster).then(
    (outcome) => ({ outcome, error: undefined }),
    (error: unknown) => ({ outcome: undefined, error }),
  );
  await cluster.close();
  return { ...settled, requests: server.requests, counts: cluster.requests() };
}

async function applyOn(script: Script, live: LiveDeployment | undefined): Promise<Ran<ApplyOutcome>> {
  await using server = await startLoopbackServer(script);
  return await run(server, (cluster) => cluster.apply(WANTED, live, signal));
}

/** Answers in this order; a request beyond the last gets the last again. */
function inTurn(...replies: readonly [Reply, ...Reply[]]): Script {
  return (_, index) => replies[index] ?? replies[replies.length - 1] ?? replies[0];
}

function metadataOf(request: ReceivedRequest | undefined): Record<string, unknown> {
  return (JSON.parse(request?.body ?? '') as { metadata: Record<string, unknown> }).metadata;
}

const conflict = refusal(409, 'the object has been modified');

describe('applying', () => {
  test.each(PROTOCOLS)(
    'is server-side apply, by our field manager, with force, over %s',
    async (protocol) => {
      await using server = await startLoopbackServer(
        (request) =>
          request.headers['content-type'] === 'application/apply-patch+yaml' &&
          request.query['fieldManager'] === 'calendar-node-pool-autoscaler' &&
          request.query['force'] === 'true'
            ? json(stored({ version: '101', generation: 5, replicas: 3 }))
            : refusal(415, 'only application/apply-patch+yaml'),
        protocol,
      );
      const ran = await run(server, (cluster) => cluster.apply(WANTED, LIVE, signal));
      expect(ran).toMatchObject({ outcome: 'configured', error: undefined, counts: { apply: 1 } });
      expect(ran.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
        `PATCH ${DEPLOYMENT_PATH}`,
      ]);
    },
  );

  test('sends the manifest whole, fenced by what was read, and nothing of what was read beside', async () => {
    const ran = await applyOn(() => json(stored({ version: '101', generation: 5, replicas: 3 })), LIVE);
    const { metadata, ...rest } = WANTED.manifest as { metadata: object };
    expect(JSON.parse(ran.requests[0]?.body ?? '')).toEqual({
      ...rest,
      metadata: { ...metadata, uid: 'uid-1', resourceVersion: '100' },
    });
  });

  test('never sends managed fields, even when handed them', async () => {
    await using server = await startLoopbackServer(() => json(stored({ version: '101', generation: 5 })));
    const manifest = stored({ version: '77', generation: 3 }) as Readonly<Record<string, unknown>>;
    const ran = await run(server, (cluster) => cluster.apply({ ...WANTED, manifest }, LIVE, signal));
    expect(metadataOf(ran.requests[0])).not.toHaveProperty('managedFields');
    expect(metadataOf(ran.requests[0])).toMatchObject({ resourceVersion: '100', uid: 'uid-1' });
  });

  test.each<{ name: string; live: LiveDeployment | undefined; reply: Reply; expected: ApplyOutcome }>([
    {
      name: 'a new object',
      live: undefined,
      reply: json(stored({ version: '7', generation: 1 }), 201),
      expected: 'created',
    },
    {
      name: 'a changed object',
      live: LIVE,
      reply: json(stored({ version: '101', generation: 5 })),
      expected: 'configured',
    },
    {
      name: 'an object that was so already',
      live: LIVE,
      reply: json(stored({ version: '100', generation: 4 })),
      expected: 'unchanged',
    },
  ])('tells what became of $name', async ({ live, reply, expected }) => {
    expect((await applyOn(() => reply, live)).outcome).toBe(expected);
  });

  test.each<{ name: string; body: unknown }>([
    { name: 'an empty object', body: {} },
    { name: 'an empty list', body: { kind: 'List', items: [], metadata: {} } },
    { name: 'another object', body: { metadata: { name: 'other', resourceVersion: '101' } } },
    { name: 'an object without a version', body: { metadata: { name: 'base-placeholder' } } },
  ])('does not take $name with status 200 for a write that was done', async ({ body }) => {
    const ran = await applyOn(() => json(body), LIVE);
    expect(ran.error).toMatchObject({ name: 'ClusterError', kind: 'malformed' });
  });

  test('of a missing object carries a version that no object has, so that two passes cannot both make it', async () => {
    const ran = await applyOn(() => json(stored({ version: '7', generation: 1 }), 201), undefined);
    expect(metadataOf(ran.requests[0])).toMatchObject({ resourceVersion: '1' });
    expect(metadataOf(ran.requests[0])).not.toHaveProperty('uid');
  });
});

describe('applying what somebody else touched meanwhile', () => {
  test('goes through when only the status moved on', async () => {
    const ran = await applyOn(
      inTurn(
        conflict,
        json(stored({ version: '105', generation: 4 })),
        json(stored({ version: '106', generation: 5, replicas: 3 })),
      ),
      LIVE,
    );
    expect(ran).toMatchObject({ outcome: 'configured', counts: { apply: 2, get: 1 } });
    expect(metadataOf(ran.requests[2])).toMatchObject({ resourceVersion: '105', uid: 'uid-1' });
  });

  test.each<{ name: string; live: LiveDeployment | undefined; replies: [Reply, ...Reply[]]; counts: object }>(
    [
      {
        name: 'another generation',
        live: LIVE,
        replies: [conflict, json(stored({ version: '105', generation: 5, replicas: 0 }))],
        counts: { apply: 1, get: 1 },
      },
      {
        name: 'another object of that name',
        live: LIVE,
        replies: [conflict, json(stored({ version: '105', generation: 4, uid: 'uid-2' }))],
        counts: { apply: 1, get: 1 },
      },
      {
        name: 'an object deleted meanwhile',
        live: LIVE,
        replies: [conflict, refusal(404, 'not found')],
        counts: { apply: 1, get: 1 },
      },
      {
        name: 'an object that somebody made meanwhile',
        live: undefined,
        replies: [conflict, json(stored({ version: '105', generation: 1, replicas: 1 }))],
        counts: { apply: 1, get: 1 },
      },
      {
        name: 'a second conflict',
        live: LIVE,
        replies: [conflict, json(stored({ version: '105', generation: 4 })), conflict],
        counts: { apply: 2, get: 1 },
      },
    ],
  )('$name is left to the next pass', async ({ live, replies, counts }) => {
    const ran = await applyOn(inTurn(...replies), live);
    expect(ran.error).toMatchObject({ name: 'ClusterError', kind: 'conflict', status: 409 });
    expect(ran.counts).toEqual(counts);
  });

  test.each<{ name: string; live: LiveDeployment | undefined; expected: ApplyOutcome }>([
    { name: 'a creation', live: undefined, expected: 'created' },
    { name: 'a change', live: LIVE, expected: 'configured' },
  ])('$name whose answer was cut off meets itself and is no conflict', async ({ live, expected }) => {
    const answer = JSON.stringify(stored({ version: '101', generation: 5, replicas: 3 }));
    const ran = await applyOn(
      inTurn(
        { kind: 'cut', body: answer },
        conflict,
        json(stored({ version: '101', generation: 5, replicas: 3 })),
      ),
      live,
    );
    expect(ran).toMatchObject({ outcome: expected, error: undefined, counts: { apply: 2, get: 1 } });
  });
});

describe('applying in vain', () => {
  test('a selector that another tool made: one error with the one command', async () => {
    const ran = await applyOn(() => refusal(422, 'spec.selector: Invalid value: field is immutable'), LIVE);
    expect(ran.error).toMatchObject({
      name: 'ClusterError',
      kind: 'invalid',
      status: 422,
      message:
        'apply deployment node-placeholder/base-placeholder of hub-west: 422 spec.selector: Invalid value: field is immutable',
      remedy: expect.stringContaining(
        '`kubectl -n node-placeholder delete deployment base-placeholder`',
      ) as string,
    });
    expect(ran.counts).toEqual({ apply: 1 });
  });

  test('without the right: the rule that is missing', async () => {
    const ran = await applyOn(() => refusal(403, 'User "job@example" cannot patch'), LIVE);
    expect(ran.error).toMatchObject({
      kind: 'forbidden',
      remedy: expect.stringContaining(
        '{apiGroups: ["apps"], resources: ["deployments"], verbs: ["create","patch"]} in a Role of node-placeholder',
      ) as string,
    });
  });

  test('an answer that is not JSON', async () => {
    const ran = await applyOn(() => ({ kind: 'text', status: 200, body: '<html>' }), LIVE);
    expect(ran.error).toMatchObject({ kind: 'malformed' });
  });

  test('throttled for good, after as many attempts as a read has', async () => {
    const ran = await applyOn(() => refusal(429, 'too many'), LIVE);
    expect(ran.error).toMatchObject({ kind: 'throttled', status: 429 });
    expect(ran.counts).toEqual({ apply: 5 });
  });
});

describe('scaling to zero what left the config', () => {
  async function scaleDownOn(script: Script): Promise<Ran<void>> {
    await using server = await startLoopbackServer(script);
    return await run(server, (cluster) => cluster.scaleDown(LIVE, signal));
  }

  test('is a merge of the replicas alone, fenced by what was read', async () => {
    const ran = await scaleDownOn(() => json(stored({ version: '101', generation: 5, replicas: 0 })));
    expect(ran).toMatchObject({ error: undefined, counts: { patch: 1 } });
    expect(ran.requests[0]).toMatchObject({
      method: 'PATCH',
      path: DEPLOYMENT_PATH,
      query: { fieldManager: 'calendar-node-pool-autoscaler' },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(JSON.parse(ran.requests[0]?.body ?? '')).toEqual({
      metadata: { resourceVersion: '100', uid: 'uid-1' },
      spec: { replicas: 0 },
    });
  });

  test.each<{ name: string; replies: [Reply, ...Reply[]]; counts: object }>([
    {
      name: 'only the status moved on',
      replies: [
        conflict,
        json(stored({ version: '105', generation: 4 })),
        json(stored({ version: '106', generation: 5, replicas: 0 })),
      ],
      counts: { patch: 2, get: 1 },
    },
    {
      name: 'it is at zero by now',
      replies: [conflict, json(stored({ version: '105', generation: 5, replicas: 0 }))],
      counts: { patch: 1, get: 1 },
    },
    { name: 'it was deleted', replies: [refusal(404, 'not found')], counts: { patch: 1 } },
  ])('is done when $name', async ({ replies, counts }) => {
    expect(await scaleDownOn(inTurn(...replies))).toMatchObject({ error: undefined, counts });
  });

  test('is left to the next pass when somebody changed it', async () => {
    const ran = await scaleDownOn(
      inTurn(conflict, json(stored({ version: '105', generation: 6, replicas: 2 }))),
    );
    expect(ran.error).toMatchObject({ kind: 'conflict', status: 409 });
  });

  test('fails without the right', async () => {
    expect((await scaleDownOn(() => refusal(403, 'no'))).error).toMatchObject({
      kind: 'forbidden',
      status: 403,
    });
  });
});

describe('marking a placeholder warm', () => {
  async function markOn(script: Script): Promise<Ran<'labelled' | 'gone'>> {
    await using server = await startLoopbackServer(script);
    return await run(server, (cluster) => cluster.markWarm(POD, signal));
  }

  test('changes one label of the very pod that was read', async () => {
    const ran = await markOn(() => json({ metadata: { name: POD.name, resourceVersion: '8' } }));
    expect(ran).toMatchObject({ outcome: 'labelled', counts: { patch: 1 } });
    expect(ran.requests[0]).toMatchObject({
      method: 'PATCH',
      path: POD_PATH,
      headers: { 'content-type': 'application/json-patch+json' },
    });
    expect(JSON.parse(ran.requests[0]?.body ?? '')).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'pod-uid-1' },
      { op: 'add', path: '/metadata/labels/calendar-node-pool-autoscaler~1warmth', value: 'warm' },
    ]);
  });

  test.each([
    ['evicted', 404],
    ['going', 409],
    ['another pod by now', 422],
  ])('finds it %s: no error, and it is not tried again', async (_, status) => {
    const ran = await markOn(() => refusal(status, 'no'));
    expect(ran).toMatchObject({ outcome: 'gone', error: undefined, counts: { patch: 1 } });
  });

  test.each([
    ['forbidden', 403, 1],
    ['unauthenticated', 401, 1],
    ['invalid', 400, 1],
    ['unavailable', 500, 5],
  ])('an error that is no race stays one: %s', async (kind, status, patches) => {
    const ran = await markOn(() => refusal(status, 'no'));
    expect(ran.error).toMatchObject({ name: 'ClusterError', kind, status });
    expect(ran.counts).toEqual({ patch: patches });
  });
});

test('the template hash that is compared is the one that is applied', () => {
  const { metadata } = WANTED.manifest as { metadata: { annotations: Record<string, string> } };
  expect(metadata.annotations[TEMPLATE_HASH_ANNOTATION]).toBe(WANTED.templateHash);
});
