/** The bundle as the image has it: in a folder of its own, with no packages and no package.json near it. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { bundle } from '../../scripts/build.ts';
import { kubeconfigFor, openModelApi, replicasOf, sceneModel } from '../chaos/scene-model.ts';
import { emulatorHost, hasEmulator } from '../support/firestore-emulator.ts';

const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
const app = join(folder, 'app');
const again = join(folder, 'again');
const work = join(folder, 'work');

interface Run {
  readonly status: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

interface Circumstances {
  readonly env?: Readonly<Record<string, string>>;
  /** A module that Node loads first. */
  readonly preload?: string;
  /** Told to stop once all of these have been said on stderr. */
  readonly until?: readonly string[];
}

function run(args: readonly string[], { env = {}, preload, until = [] }: Circumstances = {}): Promise<Run> {
  const options = { cwd: work, env: { PATH: '/nonexistent', HOME: work, ...env } };
  const first = preload === undefined ? [] : ['--import', preload];
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...first, join(app, 'main.mjs'), ...args],
      options,
      (error, stdout, stderr) => {
        resolve({ status: error === null ? 0 : error.code, stdout, stderr });
      },
    );
    let said = '';
    child.stderr?.on('data', (text: string) => {
      said += text;
      const isSaid = until.length > 0 && until.every((line) => said.includes(line));
      // Once: a second signal ends the program without a last word.
      if (isSaid && !child.killed) child.kill('SIGTERM');
    });
  });
}

function fingerprint(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function writeConfig(name: string, cluster: string, calendar: string): void {
  const pools = 'nodePools: { base: { replicas: 1, resources: { requests: { memory: 56Gi } } } }';
  writeFileSync(join(work, name), [`cluster: ${cluster}`, calendar, pools, ''].join('\n'));
}

/** The metadata server of Cloud Run, as far as a token goes. */
async function serveMetadata(): Promise<Server> {
  const server = createServer((request, response) => {
    const isToken = request.url?.includes('/token') ?? false;
    const token = JSON.stringify({ access_token: 'nobody-s', expires_in: 3600, token_type: 'Bearer' });
    response.setHeader('Metadata-Flavor', 'Google');
    response.setHeader('Content-Type', isToken ? 'application/json' : 'text/plain');
    response.end(isToken ? token : 'my-project');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Names that are looked up go to stderr and are not found: nothing of a test leaves this machine. */
const NO_NETWORK = `
import dns from 'node:dns';
dns.lookup = (host, options, callback) => {
  process.stderr.write('asked for ' + host + '\\n');
  const error = Object.assign(new Error('not found: ' + host), { code: 'ENOTFOUND' });
  process.nextTick(typeof options === 'function' ? options : callback, error);
};
`;

beforeAll(async () => {
  mkdirSync(app);
  mkdirSync(work);
  await Promise.all([bundle(join(app, 'main.mjs')), bundle(join(again, 'main.mjs'))]);
  writeFileSync(join(folder, 'no-network.mjs'), NO_NETWORK);
  writeFileSync(
    join(work, 'calendar.ics'),
    'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nEND:VCALENDAR\r\n',
  );
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('the bundle alone in an empty folder', () => {
  test('has nothing beside it but what it loads when it needs it', () => {
    expect(readdirSync(app)).toEqual(['chunks', 'main.mjs']);
  });

  test('is small at its start: libraries of Google and Kubernetes come when they are needed', () => {
    const first = readFileSync(join(app, 'main.mjs'), 'utf8');
    expect(first).not.toMatch(/node_modules\/(?:@google-cloud|@kubernetes|@grpc|google-gax|googleapis)\//);
  });

  test('holds no gRPC at all', () => {
    const files = readdirSync(join(app, 'chunks')).map((name) =>
      readFileSync(join(app, 'chunks', name), 'utf8'),
    );
    expect(files.filter((text) => text.includes('node_modules/@grpc/grpc-js/build/'))).toEqual([]);
  });

  test('explains itself', async () => {
    const { status, stdout } = await run(['--help']);
    expect(status).toBe(0);
    expect(stdout).toContain('pass [options]');
  });

  test('makes a pass and saves it', async () => {
    writeConfig('embedded.yaml', 'embedded', 'calendarUrl: calendar.ics');
    const args = ['pass', '--config', 'embedded.yaml', '--state', 'file:state.json', '--log-format', 'json'];
    const { status, stdout, stderr } = await run(args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('"event":"pass_summary"');
    expect(readdirSync(work)).toContain('state.json');
  });

  test('reads a kubeconfig, and writes to its cluster', async () => {
    const model = sceneModel();
    const { api } = await openModelApi(model);
    writeFileSync(join(work, 'kubeconfig'), kubeconfigFor(api.url));
    writeConfig('kubeconfig.yaml', 'kubeconfig', 'calendarUrl: calendar.ics');
    const runs = [];
    for (let pass = 0; pass < 2; pass += 1) {
      const args = ['pass', '--config', 'kubeconfig.yaml', '--state', 'file:kubeconfig-state.json'];
      const { status, stderr } = await run(args, { env: { KUBECONFIG: join(work, 'kubeconfig') } });
      runs.push({ status, stderr, replicas: replicasOf(model) });
    }
    await api.close();
    const applied = { status: 0, stderr: '', replicas: 1 };
    expect(runs).toEqual([applied, applied]);
  });

  // A library that loads files of its own at run time breaks in a bundle, and only when it is used: so each of
  // Google's clients is brought to the point where it asks its service.
  test('brings every client of Google to its service', async () => {
    const metadata = await serveMetadata();
    const { port } = metadata.address() as AddressInfo;
    const calendar = 'calendarId: c_0123456789abcdef@group.calendar.google.com';
    writeConfig('google.yaml', 'projects/my-project/locations/us-central1/clusters/hub', calendar);
    const services = ['container', 'firestore', 'www'].map((name) => `asked for ${name}.googleapis.com`);
    const args = ['pass', '--config', 'google.yaml', '--state', 'firestore:placeholder-autoscaler'];
    const { status, stdout, stderr } = await run(args, {
      env: {
        CLOUD_RUN_JOB: 'placeholder-autoscaler',
        GOOGLE_CLOUD_PROJECT: 'my-project',
        GCE_METADATA_HOST: `127.0.0.1:${String(port)}`,
      },
      preload: join(folder, 'no-network.mjs'),
      until: services,
    });
    metadata.close();
    expect(services.filter((service) => !stderr.includes(service))).toEqual([]);
    expect(status).toBe(1);
    expect(stdout).toContain('"event":"pass_summary"');
    expect(stdout).not.toMatch(/MODULE_NOT_FOUND|ENOENT|is not a function|is not defined/);
  }, 90_000);
});

test.skipIf(!hasEmulator())(
  'the bundle keeps its state in Firestore, without gRPC',
  async () => {
    writeConfig('firestore.yaml', 'embedded', 'calendarUrl: calendar.ics');
    const args = [
      'pass',
      '--config',
      'firestore.yaml',
      '--state',
      'firestore:bundle-project/bundle-database',
    ];
    const runs = [];
    for (let pass = 0; pass < 2; pass += 1) {
      runs.push(await run(args, { env: { FIRESTORE_EMULATOR_HOST: await emulatorHost() } }));
    }
    expect(runs.map(({ status, stderr }) => ({ status, stderr }))).toEqual([
      { status: 0, stderr: '' },
      { status: 0, stderr: '' },
    ]);
  },
  60_000,
);

test('the same source gives the same bytes', () => {
  const fingerprints = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => [name, fingerprint(join(parentPath, name))]);
  expect(fingerprints(again)).toEqual(fingerprints(app));
});
