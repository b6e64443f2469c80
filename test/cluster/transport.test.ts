import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { getObject } from '../../functions/cluster/get.ts';
import { NODES } from '../../functions/cluster/request.ts';
import { DEFAULT_RETRY } from '../../functions/cluster/retry.ts';
import type { RetryPolicy } from '../../functions/cluster/retry.ts';
import { Transport } from '../../functions/cluster/transport.ts';
import type { Endpoint } from '../../functions/cluster/endpoint.ts';
import type { ClusterError, FailureKind } from '../../functions/errors.ts';
import { endpointAt, json, PROTOCOLS, refusal, startLoopbackServer } from './loopback-server.ts';

const NODE = { verb: 'get', resource: NODES, namespace: undefined, name: 'node-1' } as const;
const IMPATIENT: RetryPolicy = { ...DEFAULT_RETRY, attempts: 1 };

async function failureOf(endpoint: Endpoint, retry = IMPATIENT): Promise<ClusterError> {
  const transport = new Transport({ label: 'hub-west', endpoint, retry });
  const error = await getObject(transport, NODE, new AbortController().signal).then(
    () => Promise.reject(new Error('it answered')),
    (cause: unknown) => cause as ClusterError,
  );
  await transport.close();
  return error;
}

/** A port that nobody listens on any more. */
async function closedPort(): Promise<number> {
  const server = await startLoopbackServer(() => json({}));
  await server[Symbol.asyncDispose]();
  return server.port;
}

interface ConnectProxy extends AsyncDisposable {
  readonly url: string;
  readonly tunnels: readonly { readonly to: string; readonly headers: object }[];
}

async function startConnectProxy(): Promise<ConnectProxy> {
  const tunnels: { to: string; headers: object }[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer();
  server.on('connect', (request, socket) => {
    tunnels.push({ to: request.url ?? '', headers: request.headers });
    const [host, port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    [socket, upstream].forEach((one) => sockets.add(one.on('error', () => undefined)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    tunnels,
    async [Symbol.asyncDispose]() {
      sockets.forEach((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe.each(PROTOCOLS)('one connection over %s', (protocol) => {
  test('carries requests that are sent at the same time', async () => {
    await using server = await startLoopbackServer((request) => json({ path: request.path }), protocol);
    const transport = new Transport({ label: 'hub-west', endpoint: server.endpoint });
    const { signal } = new AbortController();
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => getObject(transport, { ...NODE, name }, signal)),
    );
    await transport.close();
    expect(answers).toEqual(['a', 'b', 'c', 'd'].map((name) => ({ path: `/api/v1/nodes/${name}` })));
    expect(server.connections()).toBe(1);
    expect(transport.counts()).toEqual({ get: 4 });
  });

  test('sends who it is and what it is allowed by', async () => {
    await using server = await startLoopbackServer(() => json({}), protocol);
    const transport = new Transport({ label: 'hub-west', endpoint: server.endpoint });
    await getObject(transport, NODE, new AbortController().signal);
    await transport.close();
    expect(server.requests.map(({ headers }) => headers)).toMatchObject([
      {
        authorization: 'Bearer test-token',
        'user-agent': 'calendar-node-pool-autoscaler',
        accept: 'application/json',
      },
    ]);
  });
});

/** Holds whoever comes until so many have. */
function gateFor(count: number): () => Promise<undefined> {
  const opening = Promise.withResolvers<undefined>();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived === count) {
      opening.resolve(undefined);
    }
    return opening.promise;
  };
}

test('over HTTP/2 the answers need not come in turn', async () => {
  const allArrived = gateFor(4);
  await using server = await startLoopbackServer(async (request) => {
    await allArrived();
    return json({ path: request.path });
  }, 'h2');
  const transport = new Transport({ label: 'hub-west', endpoint: server.endpoint });
  const { signal } = new AbortController();
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => getObject(transport, { ...NODE, name }, signal)),
  );
  await transport.close();
  expect(answers).toHaveLength(4);
  expect(server.connections()).toBe(1);
});

describe('ways to a server', () => {
  test('a client certificate is shown where a kubeconfig has one', async () => {
    const shown: string[] = [];
    await using server = await startLoopbackServer(() => json({}), 'http/1.1', {
      onClientCertificate: (subject) => shown.push(subject),
    });
    const clientCertificate = { cert: server.identity.cert, key: server.identity.key };
    const transport = new Transport({
      label: 'hub-west',
      endpoint: { ...server.endpoint, clientCertificate },
    });
    await getObject(transport, NODE, new AbortController().signal);
    await transport.close();
    expect(shown).toEqual(['TEST ONLY localhost']);
  });

  test('a proxy is tunnelled through, and sees no token', async () => {
    await using server = await startLoopbackServer(() => json({ fine: true }));
    await using proxy = await startConnectProxy();
    const transport = new Transport({
      label: 'hub-west',
      endpoint: { ...server.endpoint, proxyUrl: proxy.url },
    });
    const { signal } = new AbortController();
    await expect(getObject(transport, NODE, signal)).resolves.toEqual({ fine: true });
    await expect(getObject(transport, NODE, signal)).resolves.toEqual({ fine: true });
    await transport.close();
    expect(proxy.tunnels.map(({ to }) => to)).toEqual([`127.0.0.1:${String(server.port)}`]);
    expect(JSON.stringify(proxy.tunnels)).not.toContain('test-token');
  });
});

describe('a server that is not to be trusted, or not there', () => {
  test('another authority than the cluster’s is refused at once, and the message says where', async () => {
    await using server = await startLoopbackServer(() => json({}));
    const error = await failureOf({ ...server.endpoint, ca: undefined }, DEFAULT_RETRY);
    expect(error).toMatchObject({ name: 'ClusterError', kind: 'misconfigured', status: undefined });
    expect(error.message).toMatch(
      /^get node node-1 of hub-west: https:\/\/127\.0\.0\.1:\d+: .*\(.*SIGN.*\)$/i,
    );
    expect(error.remedy).toContain('certificate authority that `cluster` leads to');
    expect(server.requests).toEqual([]);
  });

  test('a certificate for another name is refused at once', async () => {
    await using server = await startLoopbackServer(() => json({}));
    const error = await failureOf({ ...server.endpoint, serverName: 'elsewhere.example' }, DEFAULT_RETRY);
    expect(error).toMatchObject({ kind: 'misconfigured' });
    expect(server.requests).toEqual([]);
  });

  test('the name that a kubeconfig gives is the one that is checked', async () => {
    await using server = await startLoopbackServer(() => json({ fine: true }));
    const transport = new Transport({
      label: 'hub-west',
      endpoint: {
        ...server.endpoint,
        server: `https://127.0.0.1:${String(server.port)}`,
        serverName: 'localhost',
      },
    });
    await expect(getObject(transport, NODE, new AbortController().signal)).resolves.toEqual({ fine: true });
    await transport.close();
  });

  test('nobody listening is told with the address and what to check', async () => {
    const port = await closedPort();
    const error = await failureOf(endpointAt(port));
    expect(error).toMatchObject({ kind: 'unavailable', remedy: 'check the network' });
    expect(error.message).toContain(`https://127.0.0.1:${String(port)}`);
    expect(error.message).toContain('ECONNREFUSED');
  });

  test('a name that does not exist is not asked for twice', async () => {
    let waits = 0;
    const error = await failureOf(
      { ...endpointAt(1), server: 'https://nowhere.invalid' },
      {
        ...DEFAULT_RETRY,
        wait: () => {
          waits += 1;
          return Promise.resolve(waits < 9);
        },
      },
    );
    expect(error.message).toContain('https://nowhere.invalid');
    expect(error.remedy).not.toBe('');
    // Without a resolver at hand the system says EAI_AGAIN, which is worth asking again.
    expect([0, 4]).toContain(waits);
  });
});

describe('what a person is told to do', () => {
  const DEPLOYMENT = {
    verb: 'get',
    resource: { group: 'apps', version: 'v1', name: 'deployments' },
    namespace: 'spares',
    name: 'base-placeholder',
  } as const;

  test.each<[number, FailureKind, RegExp]>([
    [401, 'unauthenticated', /^log in again$/],
    [
      403,
      'forbidden',
      /^grant \{apiGroups: \["apps"\], resources: \["deployments"\], verbs: \["get"\]\} in a Role of spares .*infra\/cluster\/autoscaler\.yaml/,
    ],
    [404, 'notFound', /`namespace` in the config/],
    [409, 'conflict', /next pass decides anew/],
    [422, 'invalid', /`kubectl -n spares delete deployment base-placeholder`/],
    [429, 'throttled', /fewer requests/],
    [500, 'unavailable', /^check the network$/],
    [302, 'malformed', /proxy.*check `cluster`/],
  ])('after %i', async (status, kind, remedy) => {
    await using server = await startLoopbackServer(() => refusal(status, 'words of the server'));
    const transport = new Transport({ label: 'hub-west', endpoint: server.endpoint, retry: IMPATIENT });
    const failing = getObject(transport, DEPLOYMENT, new AbortController().signal);
    await expect(failing).rejects.toMatchObject({
      message: `get deployment spares/base-placeholder of hub-west: ${String(status)} words of the server`,
      kind,
      status,
      remedy: expect.stringMatching(remedy) as string,
    });
    await transport.close();
  });

  test('a page of HTML is not quoted at length, and on one line', async () => {
    const body = `<html>\n${'<p>much</p>\n'.repeat(100_000)}`;
    await using server = await startLoopbackServer(() => ({ kind: 'text', status: 403, body }));
    const error = await failureOf(server.endpoint);
    expect(error.message.length).toBeLessThan(500);
    expect(error.message).toMatch(/^get node node-1 of hub-west: 403 <html> <p>much<\/p> /);
    expect(error.message).not.toContain('\n');
  });

  test.each([
    ['no JSON', { kind: 'text', status: 200, body: 'hello' }],
    ['no object', { kind: 'json', status: 200, body: 'hello' }],
  ] as const)('an object that is %s is malformed', async (_, reply) => {
    await using server = await startLoopbackServer(() => reply);
    expect(await failureOf(server.endpoint)).toMatchObject({ kind: 'malformed' });
  });
});

describe('waiting for a server', () => {
  test('ends with what the server said, when the pass is told to stop meanwhile', async () => {
    const stopping = new AbortController();
    await using server = await startLoopbackServer(() => refusal(429, 'slow down', { 'retry-after': '20' }));
    const retry: RetryPolicy = {
      ...DEFAULT_RETRY,
      wait: (millis, signal) => {
        stopping.abort();
        return DEFAULT_RETRY.wait(millis, signal);
      },
    };
    const transport = new Transport({ label: 'hub-west', endpoint: server.endpoint, retry });
    await expect(getObject(transport, NODE, stopping.signal)).rejects.toMatchObject({
      kind: 'throttled',
      status: 429,
    });
    await transport.close();
    expect(server.requests).toHaveLength(1);
  });
});
