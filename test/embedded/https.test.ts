import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Agent, request } from 'undici';
import type { FaultEffect } from '../../functions/embedded/api/faults.ts';
import type { EmbeddedApi } from '../../functions/embedded/https.ts';
import { startEmbeddedApi } from '../../functions/embedded/https.ts';
import type { ClusterModel } from '../../functions/embedded/model.ts';
import { aCluster, addPod, aPool } from './pool.ts';

const CERTS = new URL('../certs/', import.meta.url);
const [key, cert, ca] = ['server.key', 'server.pem', 'ca.pem'].map((name) =>
  readFileSync(new URL(name, CERTS), 'utf8'),
) as [string, string, string];

const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/hub/deployments';

interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly type?: string;
  readonly token?: string;
}

interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

let model: ClusterModel;
let api: EmbeddedApi;
let dispatcher: Agent;

beforeEach(async () => {
  model = aCluster([aPool({ initialNodes: 1 })]);
  api = await startEmbeddedApi({
    model,
    tls: { key, cert, ca },
    users: {
      root: { name: 'root', groups: ['system:masters'] },
      job: { name: 'job@example.org' },
    },
  });
  dispatcher = new Agent({ connect: { ca }, headersTimeout: 500 });
});

afterEach(async () => {
  await dispatcher.destroy();
  await api.close();
});

async function call(
  path: string,
  { method = 'GET', body, type = 'application/json', token = 'root' }: Call = {},
): Promise<Reply> {
  const response = await request(api.url + path, {
    method,
    dispatcher,
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.statusCode, body: (await response.body.json()) as Record<string, unknown> };
}

function deployment(replicas: number, more: object = {}): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'x', ...more },
    spec: {
      replicas,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
}

const applyTo = (path: string, body: object, type = APPLY): Promise<Reply> =>
  call(`${path}?fieldManager=job&force=true`, { method: 'PATCH', body, type });

function versionOf(reply: Reply): string {
  return (reply.body['metadata'] as { readonly resourceVersion: string }).resourceVersion;
}

describe('who may do what', () => {
  it('is nobody’s business without a token that is known', async () => {
    expect(await call('/api/v1/nodes', { token: 'stolen' })).toMatchObject({
      status: 401,
      body: { kind: 'Status', reason: 'Unauthorized', code: 401 },
    });
  });

  it('is what roles and bindings say, and no more', async () => {
    expect(await call('/api/v1/nodes', { token: 'job' })).toMatchObject({
      status: 403,
      body: {
        message:
          'nodes is forbidden: User "job@example.org" cannot list resource "nodes" in API group "" at the cluster scope',
      },
    });
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const group = 'rbac.authorization.k8s.io/v1';
    const subjects = [{ kind: 'User', name: 'job@example.org' }];
    const add = (path: string, body: object): Promise<Reply> => call(rbac + path, { method: 'POST', body });
    await add('/clusterroles', {
      apiVersion: group,
      kind: 'ClusterRole',
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }],
    });
    await add('/clusterrolebindings', {
      apiVersion: group,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'reader' },
      roleRef: { kind: 'ClusterRole', name: 'reader' },
      subjects,
    });
    await add('/namespaces/hub/roles', {
      apiVersion: group,
      kind: 'Role',
      metadata: { name: 'one' },
      rules: [{ apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['x'], verbs: ['get'] }],
    });
    await add('/namespaces/hub/rolebindings', {
      apiVersion: group,
      kind: 'RoleBinding',
      metadata: { name: 'one' },
      roleRef: { kind: 'Role', name: 'one' },
      subjects,
    });
    const status = async (path: string, method: 'GET' | 'DELETE' = 'GET'): Promise<number> =>
      (await call(path, { token: 'job', method })).status;
    expect(await status('/api/v1/nodes')).toBe(200);
    expect(await status('/api/v1/pods')).toBe(403);
    expect(await status(`${DEPLOYMENTS}/x`)).toBe(404);
    expect(await status(`${DEPLOYMENTS}/y`)).toBe(403);
    expect(await status(DEPLOYMENTS)).toBe(403);
    expect(await status(`${DEPLOYMENTS}/x`, 'DELETE')).toBe(403);
    expect(await status('/apis/apps/v1/namespaces/default/deployments/x')).toBe(403);
  });
});

describe('server-side apply', () => {
  it('creates, does nothing, fences and refuses as a real server was seen to', async () => {
    const path = `${DEPLOYMENTS}/x`;
    const created = await applyTo(path, deployment(1));
    expect(created.status).toBe(201);
    // The controllers have their status written once the pod runs.
    for (let tries = 0; tries < 10; tries += 1) await call('/version');
    const settled = await call(path);
    const again = await applyTo(path, deployment(1));
    expect([again.status, versionOf(again)]).toEqual([200, versionOf(settled)]);
    const changed = await applyTo(path, deployment(2, { resourceVersion: versionOf(again) }));
    expect(changed).toMatchObject({ status: 200, body: { metadata: { generation: 2 } } });
    const refusals: readonly (readonly [object, string, number])[] = [
      [deployment(3, { resourceVersion: versionOf(created) }), APPLY, 409],
      [deployment(3, { uid: 'other' }), APPLY, 409],
      [deployment(3, { managedFields: [{}] }), APPLY, 400],
      [{ ...deployment(3), kind: undefined }, APPLY, 400],
      [{ ...deployment(3), apiVersion: undefined }, APPLY, 400],
      [deployment(3), 'application/apply-patch+json', 415],
    ];
    for (const [body, type, status] of refusals)
      expect((await applyTo(path, body, type)).status).toBe(status);
    const other = deployment(3) as { spec: { selector: object } };
    other.spec.selector = { matchLabels: { app: 'x', more: 'y' } };
    expect(
      (
        await applyTo(path, {
          ...other,
          spec: {
            ...other.spec,
            template: {
              metadata: { labels: { app: 'x', more: 'y' } },
              spec: { containers: [{ name: 'c' }] },
            },
          },
        })
      ).body,
    ).toMatchObject({
      code: 422,
      message: expect.stringContaining('spec.selector: field is immutable') as string,
    });
    expect(await call(path)).toMatchObject({ body: { spec: { replicas: 2 } } });
  });

  it('takes a resourceVersion on a missing object for nothing, and a uid for "must exist"', async () => {
    expect((await applyTo(`${DEPLOYMENTS}/x`, deployment(1, { uid: 'u' }))).status).toBe(409);
    expect((await applyTo(`${DEPLOYMENTS}/x`, deployment(1, { resourceVersion: '77' }))).status).toBe(201);
  });

  it('reads YAML as well as JSON', async () => {
    const yaml = 'apiVersion: v1\nkind: Namespace\nmetadata: { name: made }\n';
    const reply = await call('/api/v1/namespaces/made?fieldManager=me', {
      method: 'PATCH',
      body: yaml,
      type: APPLY,
    });
    expect(reply.status).toBe(201);
    expect((await call('/api/v1/namespaces/made')).status).toBe(200);
  });

  it('on a dry run changes nothing', async () => {
    const path = `${DEPLOYMENTS}/x?fieldManager=job&force=true&dryRun=All`;
    expect((await call(path, { method: 'PATCH', body: deployment(1), type: APPLY })).status).toBe(201);
    expect((await call(`${DEPLOYMENTS}/x`)).status).toBe(404);
  });
});

describe('lists', () => {
  beforeEach(() => {
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      addPod(model, { name, cpu: '100m', labels: { set: name < 'c' ? 'low' : 'high' } });
    model.clock.settle();
  });

  const names = ({ body }: Reply): readonly string[] =>
    (body['items'] as readonly { readonly metadata: { readonly name: string } }[]).map(
      ({ metadata }) => metadata.name,
    );
  const tokenOf = ({ body }: Reply): string => (body['metadata'] as { readonly continue: string }).continue;
  const PODS = '/api/v1/namespaces/hub/pods';

  it.each([
    ['labelSelector=set=low', ['a', 'b']],
    ['labelSelector=set!=low,set', ['c', 'd', 'e']],
    ['labelSelector=set in (low,high),!other', ['a', 'b', 'c', 'd', 'e']],
    ['labelSelector=set=low&fieldSelector=metadata.name=b', ['b']],
    ['labelSelector=set&fieldSelector=status.phase!=Succeeded,spec.nodeName!=', ['a', 'b', 'c', 'd', 'e']],
    ['labelSelector=set&fieldSelector=spec.nodeName=', []],
  ])('%s gives %j', async (query, expected) => {
    expect(names(await call(`${PODS}?${encodeURI(query)}`))).toEqual(expected);
  });

  it('come in pages of one moment, each object once, whatever happens between them', async () => {
    const first = await call(`${PODS}?labelSelector=set&limit=2`);
    model.removePod(model.pods.get('hub/c')!, 'deleted');
    addPod(model, { name: 'bb', labels: { set: 'low' } });
    const second = await call(`${PODS}?labelSelector=set&limit=2&continue=${tokenOf(first)}`);
    const third = await call(`${PODS}?labelSelector=set&limit=2&continue=${tokenOf(second)}`);
    expect([...names(first), ...names(second), ...names(third)]).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(tokenOf(third)).toBeUndefined();
  });

  it('say how many remain only where nothing is selected', async () => {
    const remaining = async (query: string): Promise<unknown> =>
      ((await call(`${PODS}?${query}`)).body['metadata'] as Record<string, unknown>)['remainingItemCount'];
    expect(await remaining('limit=2')).toBe(4);
    expect(await remaining('limit=2&labelSelector=set')).toBeUndefined();
  });

  it('refuse a broken token with 400, and one that is too old with 410', async () => {
    const token = tokenOf(await call(`${PODS}?limit=2`));
    expect((await call(`${PODS}?limit=2&continue=broken`)).status).toBe(400);
    api.expireTokens();
    expect(await call(`${PODS}?limit=2&continue=${token}`)).toMatchObject({
      status: 410,
      body: { reason: 'Expired' },
    });
    const other = tokenOf(await call(`${PODS}?limit=2`));
    model.clock.runUntil(model.clock.now() + 301_000);
    expect((await call(`${PODS}?limit=2&continue=${other}`)).status).toBe(410);
  });

  it('refuse a selector that cannot be read', async () => {
    expect((await call(`${PODS}?labelSelector=${encodeURIComponent('a b')}`)).status).toBe(400);
  });
});

describe('other writes', () => {
  it('patch labels, keep to preconditions, and never touch a pod’s spec', async () => {
    addPod(model, { name: 'a' });
    const path = '/api/v1/namespaces/hub/pods/a';
    const patch = (body: unknown, type = MERGE): Promise<Reply> =>
      call(path, { method: 'PATCH', body, type });
    expect((await patch({ metadata: { labels: { x: 'y' } } })).body).toMatchObject({
      metadata: { labels: { x: 'y' } },
    });
    expect((await patch({ metadata: { uid: 'other', labels: { x: 'z' } } })).status).toBe(409);
    expect(
      (await patch([{ op: 'test', path: '/metadata/uid', value: 'other' }], 'application/json-patch+json'))
        .status,
    ).toBe(422);
    expect((await patch({ spec: { nodeName: 'elsewhere' } })).status).toBe(422);
    expect((await patch({}, 'text/plain')).status).toBe(415);
    expect((await call(path)).body).toMatchObject({ metadata: { labels: { x: 'y' } } });
  });

  it('scale a Deployment', async () => {
    await applyTo(`${DEPLOYMENTS}/x`, deployment(1));
    const reply = await call(`${DEPLOYMENTS}/x/scale`, {
      method: 'PATCH',
      body: { spec: { replicas: 3 } },
      type: MERGE,
    });
    expect(reply).toMatchObject({ status: 200, body: { kind: 'Scale', spec: { replicas: 3 } } });
    expect(model.pods.size).toBeGreaterThanOrEqual(3);
  });

  it('create with a generated name, and refuse one that is taken', async () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', spec: { containers: [{ name: 'c' }] } };
    const post = (metadata: object, namespace = 'hub'): Promise<Reply> =>
      call(`/api/v1/namespaces/${namespace}/pods`, { method: 'POST', body: { ...pod, metadata } });
    expect((await post({ generateName: 'p-' })).body).toMatchObject({
      metadata: { name: expect.stringMatching(/^p-.{5}$/) as string, namespace: 'hub' },
    });
    expect((await post({ name: 'p' })).status).toBe(201);
    expect((await post({ name: 'p' })).status).toBe(409);
    expect((await post({ name: 'p' }, 'nowhere')).status).toBe(404);
    expect((await post({ name: 'q', namespace: 'default' })).status).toBe(400);
    expect((await post({})).status).toBe(422);
  });

  it('evict a pod unless its budget forbids it', async () => {
    await call('/apis/policy/v1/namespaces/hub/poddisruptionbudgets', {
      method: 'POST',
      body: {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'guard' },
        spec: { selector: { matchLabels: { app: 'x' } }, maxUnavailable: 0 },
      },
    });
    await applyTo(`${DEPLOYMENTS}/x`, deployment(1));
    for (let tries = 0; tries < 6; tries += 1) await call('/version');
    const [guarded] = [...model.pods.values()].filter((pod) => pod.meta.labels['app'] === 'x');
    const free = addPod(model, { name: 'free' });
    const evict = (name: string): Promise<Reply> =>
      call(`/api/v1/namespaces/hub/pods/${name}/eviction`, { method: 'POST', body: {} });
    expect(await evict(guarded!.meta.name)).toMatchObject({
      status: 429,
      body: { reason: 'TooManyRequests' },
    });
    expect((await evict('free')).status).toBe(201);
    expect(free.meta.deletionAt ?? free.isGone).toBeTruthy();
  });

  it('delete only what is meant', async () => {
    const pod = addPod(model, { name: 'a' });
    const remove = (uid: string): Promise<Reply> =>
      call('/api/v1/namespaces/hub/pods/a', {
        method: 'DELETE',
        body: { preconditions: { uid }, gracePeriodSeconds: 0 },
      });
    expect((await remove('other')).status).toBe(409);
    expect((await remove(pod.meta.uid)).status).toBe(200);
    expect(pod.isGone).toBe(true);
  });
});

describe('discovery', () => {
  it.each([
    ['/version', { gitVersion: 'v1.36.3' }],
    ['/api', { versions: ['v1'] }],
    ['/apis', { kind: 'APIGroupList' }],
    ['/apis/apps/v1', { groupVersion: 'apps/v1' }],
    ['/openapi/v3', { paths: { 'apis/apps/v1': { serverRelativeURL: '/openapi/v3/apis/apps/v1' } } }],
  ])('answers %s', async (path, body) => {
    expect(await call(path)).toMatchObject({ status: 200, body });
  });

  it.each([
    '/apis/apps/v2',
    '/api/v1/secrets',
    '/apis/apps/v1/namespaces/hub/deployments/x/y/z',
    '/%E0%A4%A',
  ])('has nothing at %s', async (path) => {
    expect((await call(path)).status).toBe(404);
  });
});

describe('faults', () => {
  const nodes = /^GET \/api\/v1\/nodes/;

  it('hit what matches, as often as told, after letting some through', async () => {
    api.inject({ match: nodes, skip: 1, times: 2, effect: { kind: 'status', status: 503 } });
    const seen = [];
    for (const path of ['/api/v1/nodes', '/api/v1/nodes', '/api/v1/pods', '/api/v1/nodes', '/api/v1/nodes']) {
      seen.push((await call(path)).status);
    }
    expect(seen).toEqual([200, 503, 200, 503, 200]);
  });

  it('are lifted again', async () => {
    const lift = api.inject({ match: nodes, effect: { kind: 'status', status: 500 } });
    expect((await call('/api/v1/nodes')).status).toBe(500);
    lift();
    expect((await call('/api/v1/nodes')).status).toBe(200);
  });

  const broken: readonly FaultEffect['kind'][] = ['silence', 'refuse', 'cut', 'truncate', 'garbage'];
  it.each(broken)('%s is no answer', async (kind) => {
    api.inject({ match: nodes, effect: { kind } as FaultEffect });
    await expect(call('/api/v1/nodes')).rejects.toThrow();
    expect(api.requests.at(-1)).toMatchObject({ method: 'GET', uri: '/api/v1/nodes' });
  });

  it('carry a write out though its answer is lost', async () => {
    api.inject({ match: /^PATCH/, times: 1, effect: { kind: 'loseAnswer' } });
    await expect(applyTo(`${DEPLOYMENTS}/x`, deployment(4))).rejects.toThrow();
    expect(await call(`${DEPLOYMENTS}/x`)).toMatchObject({ body: { spec: { replicas: 4 } } });
  });

  it('carry out nothing where the connection was refused', async () => {
    api.inject({ match: /^PATCH/, times: 1, effect: { kind: 'refuse' } });
    await expect(applyTo(`${DEPLOYMENTS}/x`, deployment(4))).rejects.toThrow();
    expect((await call(`${DEPLOYMENTS}/x`)).status).toBe(404);
  });
});
