import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { readKubeconfig } from '../../functions/cluster/kubeconfig.ts';
import { openCluster } from '../../functions/cluster/open.ts';
import type { ClusterQuery } from '../../functions/ports.ts';
import { list, refusal, startLoopbackServer, TEST_CA } from './loopback-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-test-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const CA_DATA = Buffer.from(TEST_CA).toString('base64');
const { signal } = new AbortController();

interface Parts {
  readonly name?: string;
  readonly cluster?: Readonly<Record<string, unknown>>;
  readonly user?: Readonly<Record<string, unknown>>;
  readonly currentContext?: string | undefined;
}

/** A kubeconfig of one cluster, user and context, all of the same name. YAML takes JSON. */
function kubeconfig({ name = 'hub', cluster, user, currentContext = name }: Parts): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: cluster ?? { server: 'https://api.example:6443', 'certificate-authority-data': CA_DATA },
      },
    ],
    users: [{ name, user: user ?? { token: 'secret' } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': currentContext,
  });
}

const CLIENT = {
  cert: readFileSync(new URL('../certs/server.pem', import.meta.url), 'utf8'),
  key: readFileSync(new URL('../certs/server.key', import.meta.url), 'utf8'),
};

let files = 0;
function write(text: string): string {
  files += 1;
  const path = join(folder, `config-${String(files)}`);
  writeFileSync(path, text);
  return path;
}

function read(path: string, context?: string): ReturnType<typeof readKubeconfig> {
  return readKubeconfig({ kind: 'kubeconfig', path, context }, signal);
}

/** A credentials plugin as kubectl runs them. */
function plugin(script: string): Readonly<Record<string, unknown>> {
  const path = join(folder, `plugin-${String(files)}.sh`);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return {
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: path,
      args: [],
      interactiveMode: 'Never',
    },
  };
}

describe('a kubeconfig', () => {
  test('gives address, authority and token of its current context', async () => {
    expect(await read(write(kubeconfig({})))).toMatchObject({
      server: 'https://api.example:6443',
      ca: TEST_CA,
      clientCertificate: undefined,
      serverName: undefined,
      proxyUrl: undefined,
      headers: { Authorization: 'Bearer secret' },
    });
  });

  test.each<{ name: string; parts: Parts; expected: object }>([
    {
      name: 'a user and password',
      parts: { user: { username: 'me', password: 'pw' } },
      expected: { headers: { Authorization: `Basic ${Buffer.from('me:pw').toString('base64')}` } },
    },
    {
      name: 'impersonation beside a token',
      parts: { user: { token: 't', as: 'job@example' } },
      expected: { headers: { Authorization: 'Bearer t', 'Impersonate-User': 'job@example' } },
    },
    {
      name: 'a client certificate',
      parts: {
        user: {
          'client-certificate-data': Buffer.from(CLIENT.cert).toString('base64'),
          'client-key-data': Buffer.from(CLIENT.key).toString('base64'),
        },
      },
      expected: { clientCertificate: CLIENT, headers: {} },
    },
    {
      name: 'a server name and a proxy',
      parts: {
        cluster: {
          server: 'https://203.0.113.7/',
          'certificate-authority-data': CA_DATA,
          'tls-server-name': 'api.internal',
          'proxy-url': 'http://proxy.example:3128',
        },
      },
      expected: {
        server: 'https://203.0.113.7',
        serverName: 'api.internal',
        proxyUrl: 'http://proxy.example:3128',
      },
    },
    {
      name: 'a DNS endpoint of GKE with CA data, which is dropped',
      parts: {
        cluster: { server: 'https://gke-abc.europe-west4.gke.goog', 'certificate-authority-data': CA_DATA },
      },
      expected: { server: 'https://gke-abc.europe-west4.gke.goog', ca: undefined },
    },
  ])('may have $name', async ({ parts, expected }) => {
    expect(await read(write(kubeconfig(parts)))).toMatchObject(expected);
  });

  test('finds an authority file beside itself', async () => {
    writeFileSync(join(folder, 'ca.pem'), TEST_CA);
    const path = write(
      kubeconfig({ cluster: { server: 'https://203.0.113.7', 'certificate-authority': 'ca.pem' } }),
    );
    expect(await read(path)).toMatchObject({ ca: TEST_CA });
  });

  test('is asked for another context by name', async () => {
    const path = write(kubeconfig({ currentContext: 'elsewhere' }));
    expect(await read(path, 'hub')).toMatchObject({ server: 'https://api.example:6443' });
  });

  test('gets its token from a plugin', async () => {
    const credential = JSON.stringify({ kind: 'ExecCredential', status: { token: 'from-plugin' } });
    const path = write(kubeconfig({ user: plugin(`echo '${credential}'`) }));
    expect((await read(path)).headers).toEqual({ Authorization: 'Bearer from-plugin' });
  });

  test('finds a token file beside itself: without its last line end, and before a token in the entry', async () => {
    writeFileSync(join(folder, 'token'), 'from-file\n');
    const path = write(kubeconfig({ user: { tokenFile: 'token', token: 'old' } }));
    expect((await read(path)).headers).toEqual({ Authorization: 'Bearer from-file' });
  });

  test('takes the token file of the first file that has the user', async () => {
    writeFileSync(join(folder, 'token'), 'from-file\n');
    const first = write(kubeconfig({ user: { token: 'first' } }));
    const second = write(kubeconfig({ user: { tokenFile: 'token' } }));
    expect((await read([first, second].join(delimiter))).headers).toEqual({ Authorization: 'Bearer first' });
    expect((await read([second, first].join(delimiter))).headers).toEqual({
      Authorization: 'Bearer from-file',
    });
  });

  test('may be several files: missing ones are passed over, and the first to name something counts', async () => {
    const first = write(kubeconfig({ user: { token: 'first' }, currentContext: '' }));
    const second = write(kubeconfig({ user: { token: 'second' } }));
    const other = write(kubeconfig({ name: 'other', user: { token: 'other' } }));
    const path = [join(folder, 'absent'), first, second, other].join(delimiter);
    expect((await read(path)).headers).toEqual({ Authorization: 'Bearer first' });
    expect((await read(path, 'other')).headers).toEqual({ Authorization: 'Bearer other' });
  });
});

describe('a kubeconfig that leads nowhere says so in one line, with the setting and the fix', () => {
  const rows: { name: string; text: string; context?: string; message: RegExp; remedy: RegExp }[] = [
    {
      name: 'no YAML',
      text: '{ not: [yaml',
      message: /^kubeconfig .* cannot be read$/,
      remedy: /^correct it: /,
    },
    { name: 'empty', text: '', message: /^kubeconfig .* cannot be read$/, remedy: /^correct it: / },
    {
      name: 'an entry without a server',
      text: kubeconfig({ cluster: {} }),
      message: /cannot be read$/,
      remedy: /clusters\[0\]\.cluster\.server is missing/,
    },
    {
      name: 'no current context',
      text: kubeconfig({ currentContext: '' }),
      message: /has no current context$/,
      remedy: /`cluster: kubeconfig:CONTEXT` with one of: hub$/,
    },
    {
      name: 'an unknown context',
      text: kubeconfig({}),
      context: 'hubb',
      message: /^kubeconfig .* has no context hubb$/,
      remedy: /one of: hub$/,
    },
    {
      name: 'no context at all',
      text: '{"current-context":"x"}',
      message: /has no contexts: it is no kubeconfig$/,
      remedy: /^set KUBECONFIG to one/,
    },
    {
      name: 'a user that is not there',
      text: JSON.stringify({
        clusters: [{ name: 'hub', cluster: { server: 'https://api.example' } }],
        users: [],
        contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'gone' } }],
        'current-context': 'hub',
      }),
      message: /names a user that is not there$/,
      remedy: /kubectl config view/,
    },
    {
      name: 'a cluster that is not there',
      text: JSON.stringify({
        contexts: [{ name: 'hub', context: { cluster: 'gone', user: 'gone' } }],
        'current-context': 'hub',
      }),
      message: /names a cluster that is not there$/,
      remedy: /kubectl config view/,
    },
    {
      name: 'verification switched off',
      text: kubeconfig({ cluster: { server: 'https://203.0.113.7', 'insecure-skip-tls-verify': true } }),
      message: /insecure-skip-tls-verify$/,
      remedy: /certificate-authority-data/,
    },
    {
      name: 'an IP address without an authority',
      text: kubeconfig({ cluster: { server: 'https://203.0.113.7' } }),
      message: /is an IP address without a certificate authority$/,
      remedy: /certificate-authority-data/,
    },
    {
      name: 'plain http',
      text: kubeconfig({ cluster: { server: 'http://localhost:8080' } }),
      message: /is not an https address$/,
      remedy: /https:\/\//,
    },
    {
      name: 'an authority that is no certificate',
      text: kubeconfig({
        cluster: {
          server: 'https://203.0.113.7',
          'certificate-authority-data': Buffer.from('nothing').toString('base64'),
        },
      }),
      message: /is no certificate in PEM form$/,
      remedy: /base64 of PEM/,
    },
    {
      name: 'an authority file that is not there',
      text: kubeconfig({ cluster: { server: 'https://203.0.113.7', 'certificate-authority': 'gone.pem' } }),
      message: /its credentials cannot be had: ENOENT/,
      remedy: /kubectl --context hub get nodes/,
    },
    {
      name: 'a SOCKS proxy',
      text: kubeconfig({
        cluster: { server: 'https://api.example', 'proxy-url': 'socks5://localhost:1080' },
      }),
      message: /is not an HTTP proxy$/,
      remedy: /http:\/\//,
    },
    {
      name: 'a token file that is not there',
      text: kubeconfig({ user: { tokenFile: 'gone' } }),
      message: /its credentials cannot be had: ENOENT/,
      remedy: /kubectl --context hub get nodes/,
    },
    {
      name: 'a token file that is empty',
      text: kubeconfig({ user: { tokenFile: '/dev/null' } }),
      message: /its tokenFile \/dev\/null is empty$/,
      remedy: /kubectl --context hub get nodes/,
    },
    {
      name: 'a token with a line break',
      text: kubeconfig({ user: { token: 'secret\n' } }),
      message: /its Authorization header would have a line break/,
      remedy: /block \(`\|`\)/,
    },
    {
      name: 'a client certificate that is none',
      text: kubeconfig({
        user: {
          'client-certificate-data': Buffer.from('CERT').toString('base64'),
          'client-key-data': Buffer.from(CLIENT.key).toString('base64'),
        },
      }),
      message: /its client certificate or the key to it is not in PEM form$/,
      remedy: /kubectl --context hub get nodes/,
    },
    {
      name: 'a key that is none',
      text: kubeconfig({
        user: {
          'client-certificate-data': Buffer.from(CLIENT.cert).toString('base64'),
          'client-key-data': Buffer.from('KEY').toString('base64'),
        },
      }),
      message: /its client certificate or the key to it is not in PEM form$/,
      remedy: /kubectl --context hub get nodes/,
    },
    {
      name: 'a plugin that is not installed',
      text: kubeconfig({ user: { exec: { command: 'no-such-plugin-anywhere', args: [] } } }),
      message: /its credentials cannot be had: spawn no-such-plugin-anywhere ENOENT$/,
      remedy: /kubectl --context hub get nodes/,
    },
  ];
  test.each(rows)('$name', async ({ text, context, message, remedy }) => {
    await expect(read(write(text), context)).rejects.toMatchObject({
      name: 'ClusterError',
      kind: 'misconfigured',
      message: expect.stringMatching(message) as string,
      remedy: expect.stringMatching(remedy) as string,
    });
  });

  test('a file that is not there', async () => {
    await expect(read(join(folder, 'absent'))).rejects.toMatchObject({
      kind: 'misconfigured',
      message: `there is no kubeconfig at ${join(folder, 'absent')}`,
      remedy: expect.stringContaining('KUBECONFIG') as string,
    });
  });

  test('a folder in place of a file', async () => {
    await expect(read(folder)).rejects.toMatchObject({
      kind: 'misconfigured',
      remedy: 'it is a folder: set KUBECONFIG to the file in it',
    });
  });

  test('a plugin that refuses, with its own first words', async () => {
    const path = write(kubeconfig({ user: plugin('echo "please log in" >&2; exit 1') }));
    await expect(read(path)).rejects.toMatchObject({
      kind: 'unauthenticated',
      message: expect.stringMatching(/its credentials cannot be had: please log in$/) as string,
      remedy: expect.stringContaining('kubectl --context hub get nodes') as string,
    });
  });

  test.each([
    ['no JSON', plugin('echo hunter2-is-no-json')],
    ['JSON that is no credential', plugin('echo \'{"token": "hunter2"}\'')],
  ])('a plugin that prints %s, without what it printed', async (_, user) => {
    const error: unknown = await read(write(kubeconfig({ user }))).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      kind: 'unauthenticated',
      message: expect.stringMatching(/its plugin prints no ExecCredential in JSON$/) as string,
    });
    expect(inspect(error, { depth: 9 })).not.toContain('hunter2');
  });

  test('a plugin that fails without a word', async () => {
    const path = write(kubeconfig({ user: plugin('exit 1') }));
    await expect(read(path)).rejects.toMatchObject({
      message: expect.stringMatching(/cannot be had: its plugin fails without a word$/) as string,
    });
  });

  test.each([
    ['beside it', 'users:\n- user:\n    token: hunter2\n   bad: ['],
    ['in it', 'users:\n- user:\n    password: *hunter2'],
    ['that is a tag', 'users:\n- user:\n    password: !hunter2 x'],
  ])('a mistake in YAML with a secret %s, without the secret', async (_, text) => {
    const error: unknown = await read(write(text)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      kind: 'misconfigured',
      remedy: expect.stringMatching(/^correct it: .*\(\d+:\d+\)/) as string,
    });
    expect(inspect(error, { depth: 9 })).not.toContain('hunter2');
  });

  test('a plugin that never answers ends with the pass', async () => {
    const path = write(kubeconfig({ user: plugin('exec sleep 5') }));
    const stopping = AbortSignal.timeout(200);
    await expect(
      readKubeconfig({ kind: 'kubeconfig', path, context: undefined }, stopping),
    ).rejects.toMatchObject({
      kind: 'aborted',
    });
  });
});

const QUERY: ClusterQuery = {
  namespace: 'node-placeholder',
  nodePoolSelectorKey: 'pool',
  nodeLabels: ['base'],
  userImages: [],
  imagePullerSelectors: [],
  userPodSelectors: [],
  priorityClassName: 'node-placeholder',
  withObjects: false,
};

describe('a cluster opened by kubeconfig', () => {
  const options = { label: 'hub-west', namespace: 'node-placeholder' };

  test('is read with its credentials over verified TLS', async () => {
    await using server = await startLoopbackServer(() => list('AnyList', []));
    const path = write(
      kubeconfig({ cluster: { server: server.endpoint.server, 'certificate-authority-data': CA_DATA } }),
    );
    const cluster = await openCluster({ kind: 'kubeconfig', path, context: undefined }, options, signal);
    expect(await cluster.read(QUERY, signal)).toMatchObject({ nodes: [], deployments: [] });
    await cluster.close();
    expect(cluster.label).toBe('hub-west');
    expect(new Set(server.requests.map(({ headers }) => headers['authorization']))).toEqual(
      new Set(['Bearer secret']),
    );
  });

  test('behind a gateway is asked under the path of its server', async () => {
    await using server = await startLoopbackServer(() => list('AnyList', []));
    const path = write(
      kubeconfig({
        cluster: {
          server: `${server.endpoint.server}/k8s/clusters/c-1/`,
          'certificate-authority-data': CA_DATA,
        },
      }),
    );
    const cluster = await openCluster({ kind: 'kubeconfig', path, context: undefined }, options, signal);
    await cluster.read(QUERY, signal);
    await cluster.close();
    expect(server.requests.map((request) => request.path)).toContain('/k8s/clusters/c-1/api/v1/nodes');
  });

  test('with a token that has expired says to log in again, naming context and file', async () => {
    await using server = await startLoopbackServer(() => refusal(401, 'Unauthorized'));
    const path = write(
      kubeconfig({ cluster: { server: server.endpoint.server, 'certificate-authority-data': CA_DATA } }),
    );
    const cluster = await openCluster({ kind: 'kubeconfig', path, context: undefined }, options, signal);
    await expect(cluster.read(QUERY, signal)).rejects.toMatchObject({
      kind: 'unauthenticated',
      remedy: `the credentials of context hub are missing or have expired: log in again until \`kubectl --kubeconfig ${path} --context hub get nodes\` works`,
    });
    await cluster.close();
  });

  test('with the authority of another cluster is not spoken to', async () => {
    await using server = await startLoopbackServer(() => list('AnyList', []));
    const other = readFileSync(new URL('../certs/server.pem', import.meta.url)).toString('base64');
    const path = write(
      kubeconfig({ cluster: { server: server.endpoint.server, 'certificate-authority-data': other } }),
    );
    const cluster = await openCluster({ kind: 'kubeconfig', path, context: undefined }, options, signal);
    await expect(cluster.read(QUERY, signal)).rejects.toMatchObject({ kind: 'misconfigured' });
    await cluster.close();
    expect(server.requests).toEqual([]);
  });
});
