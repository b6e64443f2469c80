import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { GoogleAuth, OAuth2Client } from 'google-auth-library';
import { describe, expect, test } from 'vitest';
import { chooseAddress, GKE_SCOPES, readGkeCluster } from '../../functions/cluster/gke.ts';
import type { GkeCluster } from '../../functions/cluster/gke.ts';
import { createGkeAuth } from '../../functions/cluster/open.ts';
import { DEFAULT_RETRY } from '../../functions/cluster/retry.ts';
import { TEST_CA } from './loopback-server.ts';

const TARGET = { kind: 'gke', project: 'hub-project', location: 'us-central1', name: 'fall' } as const;
const PATH = 'projects/hub-project/locations/us-central1/clusters/fall';
const CA_DATA = Buffer.from(TEST_CA).toString('base64');
const DNS = 'gke-0123.us-central1.gke.goog';

const IP_ONLY: GkeCluster = { endpoint: '203.0.113.7', masterAuth: { clusterCaCertificate: CA_DATA } };

describe('where a GKE cluster is spoken to', () => {
  test.each<{ name: string; cluster: GkeCluster; expected: { server: string; ca: string | undefined } }>([
    {
      name: 'at its DNS endpoint when that lets traffic from outside in: public roots',
      cluster: {
        ...IP_ONLY,
        controlPlaneEndpointsConfig: { dnsEndpointConfig: { endpoint: DNS, allowExternalTraffic: true } },
      },
      expected: { server: `https://${DNS}`, ca: undefined },
    },
    {
      name: 'at its address when the DNS endpoint is there in name only',
      cluster: {
        ...IP_ONLY,
        controlPlaneEndpointsConfig: { dnsEndpointConfig: { endpoint: DNS, allowExternalTraffic: false } },
      },
      expected: { server: 'https://203.0.113.7', ca: TEST_CA },
    },
    {
      name: 'at its address when it has no DNS endpoint',
      cluster: IP_ONLY,
      expected: { server: 'https://203.0.113.7', ca: TEST_CA },
    },
    {
      name: 'at its private address when the public one is closed',
      cluster: {
        ...IP_ONLY,
        controlPlaneEndpointsConfig: {
          ipEndpointsConfig: { enabled: true, enablePublicEndpoint: false, privateEndpoint: '10.0.0.2' },
        },
      },
      expected: { server: 'https://10.0.0.2', ca: TEST_CA },
    },
    {
      name: 'without an authority when GKE gives none (the address is then refused)',
      cluster: { endpoint: '203.0.113.7', masterAuth: null },
      expected: { server: 'https://203.0.113.7', ca: undefined },
    },
  ])('$name', ({ cluster, expected }) => {
    expect(chooseAddress(cluster, TARGET)).toEqual(expected);
  });

  test.each<[string, GkeCluster]>([
    [
      'no address and a closed DNS endpoint',
      { controlPlaneEndpointsConfig: { dnsEndpointConfig: { endpoint: DNS } } },
    ],
    [
      'addresses switched off',
      { ...IP_ONLY, controlPlaneEndpointsConfig: { ipEndpointsConfig: { enabled: false } } },
    ],
    ['nothing', {}],
  ])('nowhere: %s', (_, cluster) => {
    expect(() => chooseAddress(cluster, TARGET)).toThrow(
      expect.objectContaining({
        kind: 'misconfigured',
        message: `${PATH} has no endpoint that can be reached from outside`,
        remedy: expect.stringContaining('--enable-dns-access') as string,
      }) as Error,
    );
  });
});

interface GkeApi extends AsyncDisposable {
  readonly port: number;
  readonly requests: readonly { readonly url: string; readonly authorization: string | undefined }[];
}

/** The GKE API over plain HTTP, answering in this order and then with the last for ever. */
async function startGkeApi(...answers: readonly { status: number; body: unknown }[]): Promise<GkeApi> {
  const requests: { url: string; authorization: string | undefined }[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const answer = answers[requests.length] ?? answers.at(-1);
    requests.push({ url: request.url ?? '', authorization: request.headers.authorization });
    response.writeHead(answer?.status ?? 500, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer?.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function failure(code: number, status: string, message: string): { status: number; body: unknown } {
  return { status: code, body: { error: { code, status, message } } };
}

function authWith(token: string): GoogleAuth {
  const authClient = new OAuth2Client();
  authClient.setCredentials({ access_token: token, expiry_date: Date.now() + 3_600_000 });
  return new GoogleAuth({ authClient });
}

function read(api: GkeApi, auth = authWith('google-token')): ReturnType<typeof readGkeCluster> {
  return readGkeCluster(
    TARGET,
    {
      auth,
      api: { host: '127.0.0.1', port: api.port, protocol: 'http' },
      retry: { ...DEFAULT_RETRY, wait: () => Promise.resolve(true) },
    },
    new AbortController().signal,
  );
}

const RUNNING = {
  name: 'fall',
  status: 'RUNNING',
  endpoint: '203.0.113.7',
  masterAuth: { clusterCaCertificate: CA_DATA },
  controlPlaneEndpointsConfig: { dnsEndpointConfig: { endpoint: DNS, allowExternalTraffic: true } },
};

describe('looking a cluster up at GKE', () => {
  test('gives its endpoint and the caller’s own token', async () => {
    await using api = await startGkeApi({ status: 200, body: RUNNING });
    expect(await read(api)).toMatchObject({
      server: `https://${DNS}`,
      ca: undefined,
      headers: { Authorization: 'Bearer google-token' },
    });
    expect(api.requests).toHaveLength(1);
    expect(api.requests[0]?.url).toMatch(new RegExp(`^/v1/${PATH}\\?`));
    expect(api.requests[0]?.authorization).toBe('Bearer google-token');
  });

  test.each([['RUNNING'], ['RECONCILING'], ['DEGRADED']])('a cluster that is %s is used', async (status) => {
    await using api = await startGkeApi({ status: 200, body: { ...RUNNING, status } });
    expect((await read(api)).server).toBe(`https://${DNS}`);
  });

  test.each([['PROVISIONING'], ['STOPPING'], ['ERROR']])('a cluster that is %s is not', async (status) => {
    await using api = await startGkeApi({
      status: 200,
      body: { ...RUNNING, status, statusMessage: 'no quota' },
    });
    await expect(read(api)).rejects.toMatchObject({
      name: 'ClusterError',
      kind: 'unavailable',
      message: `${PATH} is ${status}, not RUNNING: no quota`,
    });
  });

  test.each<{ name: string; answer: { status: number; body: unknown }; kind: string; remedy: RegExp }>([
    {
      name: 'not allowed',
      answer: failure(403, 'PERMISSION_DENIED', 'needs container.clusters.get'),
      kind: 'forbidden',
      remedy: /container\.clusters\.get and container\.clusters\.connect/,
    },
    {
      name: 'not there',
      answer: failure(404, 'NOT_FOUND', 'no such cluster'),
      kind: 'notFound',
      remedy: /^set `cluster` to the cluster's full name; projects\/hub-project/,
    },
    {
      name: 'not well named',
      answer: failure(400, 'INVALID_ARGUMENT', 'bad location'),
      kind: 'misconfigured',
      remedy: /^set `cluster`/,
    },
  ])('$name: not asked again, and the message names the cluster', async ({ answer, kind, remedy }) => {
    await using api = await startGkeApi(answer);
    await expect(read(api)).rejects.toMatchObject({
      name: 'ClusterError',
      kind,
      message: expect.stringContaining(`look up ${PATH}: `) as string,
      remedy: expect.stringMatching(remedy) as string,
    });
    expect(api.requests).toHaveLength(1);
  });

  test('a GKE API that is unavailable for a moment is asked again', async () => {
    const down = failure(503, 'UNAVAILABLE', 'try later');
    await using api = await startGkeApi(down, down, { status: 200, body: RUNNING });
    expect((await read(api)).server).toBe(`https://${DNS}`);
    expect(api.requests).toHaveLength(3);
  });

  test('a GKE API that stays unavailable is an error of this cluster', async () => {
    await using api = await startGkeApi(failure(503, 'UNAVAILABLE', 'try later'));
    await expect(read(api)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(api.requests).toHaveLength(5);
  });

  test('a GKE API that never answers is not waited for when the pass is told to stop', async () => {
    const silent = createTcpServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const looking = readGkeCluster(
      TARGET,
      { auth: authWith('google-token'), api: { host: '127.0.0.1', port, protocol: 'http' } },
      AbortSignal.timeout(300),
    );
    await expect(looking).rejects.toMatchObject({
      kind: 'aborted',
      message: expect.stringContaining(PATH) as string,
    });
    silent.close();
  });

  test('no credentials: the two ways to give some', async () => {
    await using api = await startGkeApi({ status: 200, body: RUNNING });
    const auth = new GoogleAuth({ authClient: new OAuth2Client() });
    await expect(read(api, auth)).rejects.toMatchObject({
      kind: 'unauthenticated',
      remedy: expect.stringContaining('gcloud auth application-default login') as string,
    });
  });
});

test('the token is asked for with the scope that tells the account’s e-mail', async () => {
  expect(GKE_SCOPES).toEqual([
    'https://www.googleapis.com/auth/cloud-platform',
    'https://www.googleapis.com/auth/userinfo.email',
  ]);
  expect(await createGkeAuth()).toMatchObject({ scopes: [...GKE_SCOPES] });
});
