import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCluster } from '../../functions/embedded/cluster.ts';
import { startEmbeddedApi, type EmbeddedApi } from '../../functions/embedded/https.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { parseLines, runProgram } from './run-program.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'main-'));
const tenMistakes = fileURLToPath(new URL('../config/bad/ten-mistakes.yaml', import.meta.url));
const authority = fileURLToPath(new URL('../certs/ca.pem', import.meta.url));

function write(name: string, content: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

function kubeconfig(name: string, server: string): string {
  return write(
    name,
    JSON.stringify({
      'current-context': 'here',
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority': authority } }],
      users: [{ name: 'u', user: { token: 't' } }],
      contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
    }),
  );
}

const POOLS = 'nodePools: { base: { replicas: 1, resources: { requests: { memory: 56Gi } } } }';
const onKubeconfig = write('kubeconfig.yaml', `cluster: kubeconfig\n${POOLS}`);
const onOtherContext = write('other-context.yaml', `cluster: kubeconfig:elsewhere\n${POOLS}`);

describe('a config with ten mistakes', () => {
  const expected = readFileSync(tenMistakes.replace('.yaml', '.findings'), 'utf8').trim().split('\n');

  test('prints ten lines that editors can follow, and exits 2', async () => {
    const { code, stdout, stderr } = await runProgram(['pass', '--config', tenMistakes]);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.trim().split('\n')).toEqual(expected.map((line) => `${tenMistakes}:${line}`));
  });

  test('logs ten errors in the cloud, and exits 2', async () => {
    const { code, stdout, stderr } = await runProgram(['pass', '--config', tenMistakes], {
      env: { CLOUD_RUN_JOB: 'scaler' },
    });
    const lines = parseLines(stdout);

    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(lines).toHaveLength(10);
    expect(new Set(lines.map(({ severity, message, source }) => [severity, message, source].join()))).toEqual(
      new Set([`ERROR,config problem,${tenMistakes}`]),
    );
    expect(lines[9]).toMatchObject({
      setting: 'nodePools.base.resources.requests.memory',
      line: 15,
      column: 17,
      problem:
        '"16g" is not a Kubernetes quantity (suffixes are G for powers of 1000, Gi for powers of 1024)',
    });
  });
});

describe('what is missing or mistyped: one line that names it, and exit 2', () => {
  test.each<[string, string[], Record<string, string>, string]>([
    [
      'a config that is not there',
      ['pass', '--config', '/nowhere/config.yaml'],
      {},
      '/nowhere/config.yaml: does not exist: give the path of the config with --config or CONFIG_PATH\n',
    ],
    [
      'a config without a name',
      ['pass', '--config', ''],
      {},
      'error: --config is empty: give the path of the config\n',
    ],
    [
      'a config that the environment names',
      ['pass'],
      { CONFIG_PATH: '/nowhere/config.yaml' },
      '/nowhere/config.yaml: does not exist: give the path of the config with --config or CONFIG_PATH\n',
    ],
    [
      'no config in a job, where the embedded default would be a green run that manages nothing',
      ['pass', '--log-format', 'text'],
      { CLOUD_RUN_JOB: 'scaler' },
      'error: --config is missing: give the mounted file\n',
    ],
    [
      'a store of no known kind',
      ['pass', '--state', 'mongo:x'],
      {},
      'error: --state "mongo:x": there is no kind of store called mongo; write memory, file:PATH, or firestore[:[PROJECT/]DATABASE]\n',
    ],
    [
      'a task that does not know of how many',
      ['pass', '--log-format', 'text'],
      { CLOUD_RUN_TASK_INDEX: '0' },
      'error: CLOUD_RUN_TASK_COUNT is missing: set CLOUD_RUN_TASK_INDEX and CLOUD_RUN_TASK_COUNT, as Cloud Run does, or neither\n',
    ],
    [
      'a number of tasks without this one among them',
      ['pass', '--log-format', 'text'],
      { CLOUD_RUN_TASK_COUNT: '4' },
      'error: CLOUD_RUN_TASK_INDEX is missing: set CLOUD_RUN_TASK_INDEX and CLOUD_RUN_TASK_COUNT, as Cloud Run does, or neither\n',
    ],
    [
      'a task beyond the last',
      ['pass', '--log-format', 'text'],
      { CLOUD_RUN_TASK_INDEX: '4', CLOUD_RUN_TASK_COUNT: '4' },
      'error: CLOUD_RUN_TASK_INDEX 4 is not below CLOUD_RUN_TASK_COUNT, 4\n',
    ],
    [
      'a task that is no number',
      ['pass', '--log-format', 'text'],
      { CLOUD_RUN_TASK_INDEX: '-1', CLOUD_RUN_TASK_COUNT: '4' },
      'error: CLOUD_RUN_TASK_INDEX "-1" is not a whole number of at most six digits\n',
    ],
    ['a command that does not exist', ['pss'], {}, "error: unknown command 'pss'\n(Did you mean pass?)\n"],
  ])('%s', async (...[, argv, env, stderr]) => {
    expect(await runProgram(argv, { env })).toEqual({ code: 2, stdout: '', stderr });
  });
});

describe('a cluster that cannot be reached: one ERROR line with the fix, a summary, and exit 1', () => {
  test.each<[string, string, string, RegExp]>([
    [
      'no kubeconfig',
      onKubeconfig,
      '/nowhere/kubeconfig',
      /there is no kubeconfig at \/nowhere\/kubeconfig.*KUBECONFIG/,
    ],
    [
      'no such context',
      onOtherContext,
      kubeconfig('ok', 'https://127.0.0.1:1'),
      /has no context elsewhere.*one of: here/,
    ],
    ['no server', onKubeconfig, kubeconfig('down', 'https://127.0.0.1:1'), /127\.0\.0\.1:1.*kubectl/],
  ])('%s', async (...[, config, kubeconfigPath, words]) => {
    const { code, stdout, stderr } = await runProgram(
      ['pass', '--config', config, '--state', 'memory', '--log-format', 'json'],
      { env: { KUBECONFIG: kubeconfigPath } },
    );
    const lines = parseLines(stdout);
    const errors = lines.filter(({ severity }) => severity === 'ERROR');

    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors[0])).toMatch(words);
    expect(lines.at(-1)).toMatchObject({ message: 'pass summary', outcome: 'failed', exitCode: 1 });
  });
});

describe('a token that has expired', () => {
  let api: EmbeddedApi;
  beforeAll(async () => {
    const [key, cert] = ['server.key', 'server.pem'].map((name) =>
      readFileSync(new URL(`../certs/${name}`, import.meta.url), 'utf8'),
    ) as [string, string];
    const model = createCluster({ startAt: Date.UTC(2026, 2, 2), autoscaler: undefined });
    api = await startEmbeddedApi({ model, tls: { key, cert }, users: { another: { name: 'somebody' } } });
  });
  afterAll(async () => {
    await api.close();
  });

  test('one line for a person that says to log in again, a summary, and exit 1', async () => {
    const { code, stdout, stderr } = await runProgram(
      ['pass', '--config', onKubeconfig, '--state', 'memory', '--log-format', 'text'],
      { env: { KUBECONFIG: kubeconfig('expired', api.url) } },
    );

    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(
        /ERROR {3}cluster could not be read: .* 401 .* -> the credentials of context here .* log in again/,
      ),
      expect.stringMatching(/INFO {4}pass summary: failed in /),
    ]);
  });
});

describe('a server that accepts and never answers', () => {
  let server: Server;
  let config: string;
  beforeAll(async () => {
    // Enough for a client to wait on: no byte of the TLS handshake ever comes back.
    server = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address() as { readonly port: number };
    config = kubeconfig('silent', `https://127.0.0.1:${address.port}`);
  });
  afterAll(() => {
    server.close();
  });

  test('on SIGTERM the pass says that it was stopped, and exits 1', async () => {
    const stopping = new AbortController();
    server.once('connection', () => {
      stopping.abort();
    });
    const running = runProgram(
      ['pass', '--config', onKubeconfig, '--state', 'memory', '--log-format', 'json'],
      { env: { KUBECONFIG: config }, terminateOn: stopping.signal },
    );
    const { code, stdout } = await running;

    expect(code).toBe(1);
    expect(parseLines(stdout).at(-1)).toMatchObject({ message: 'pass summary', outcome: 'stopped' });
  });
});

test('a pass without a config runs on the embedded default, and says what it did', async () => {
  const { code, stdout, stderr } = await runProgram(['pass', '--log-format', 'json']);

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(parseLines(stdout).at(-1)).toMatchObject({
    severity: 'INFO',
    message: 'pass summary',
    outcome: 'ok',
    exitCode: 0,
    pools: [{ pool: 'base', target: 1, applied: 'created' }],
  });
});

test('a task without a cluster says that it has none', async () => {
  const env = { CLOUD_RUN_TASK_INDEX: '1', CLOUD_RUN_TASK_COUNT: '2' };
  const { code, stdout } = await runProgram(['pass', '--log-format', 'json'], { env });

  expect(code).toBe(0);
  expect(parseLines(stdout)).toMatchObject([{ message: 'fleet summary', clusters: 0, task: '2 of 2' }]);
});

test('a command that cannot reach its cluster says so in one line', async () => {
  const { code, stdout, stderr } = await runProgram(['size', '--pool', 'base', '--config', onKubeconfig], {
    env: { KUBECONFIG: '/nowhere/kubeconfig' },
  });

  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^error: there is no kubeconfig at \/nowhere\/kubeconfig; to do: .*KUBECONFIG.*\n$/);
});

test('a result is alone on stdout', async () => {
  const { code, stdout, stderr } = await runProgram(['size', '--pool', 'base']);

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Node .*\n[^]*memory: \d+\n$/);
});

test('whoever stops reading does not make it crash', async () => {
  const { code, stderr } = await runProgram(['morning'], {
    onOutput: (_, child) => child.stdout!.destroy(),
  });

  expect(code).toBeTypeOf('number');
  expect(stderr).toBe('');
});

test('the version is that of the package', async () => {
  expect(await runProgram(['--version'])).toEqual({
    code: 0,
    stdout: `${packageJson.version}\n`,
    stderr: '',
  });
});
