/** The program as a person or a scheduler starts it, at a real control plane. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import type { V1Deployment } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { AuditLog, countByVerb } from './audit-log.ts';
import {
  connectControlPlane,
  installFor,
  isControlPlaneWanted,
  waitUntil,
  type ControlPlane,
} from './harness.ts';
import { podsOf } from './placeholder-scene.ts';
import { addNode, deploymentPath, isRunning, livePods } from './scene.ts';

const USER = 'job-command';
const NAMESPACE = 'command';
const POOL = 'command';
const STARTUP_TIMEOUT_MS = 90_000;
const MAIN = join(import.meta.dirname, '..', '..', 'functions', 'main.ts');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Summary {
  readonly event?: string;
  readonly outcome?: string;
  readonly pools?: readonly { readonly pool: string; readonly wanted: number; readonly applied: string }[];
}

describe.skipIf(!isControlPlaneWanted())('the program at a real control plane', () => {
  let plane: ControlPlane;
  let audit: AuditLog;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'command-'));
    plane = await connectControlPlane();
    await installFor(plane.admin, USER, NAMESPACE);
    await addNode(plane.admin, { name: `${POOL}-a`, pool: POOL, memory: '59350076Ki' });
    audit = new AuditLog(plane.info.auditLog, USER);
    writeFileSync(
      join(folder, 'config.yaml'),
      `cluster: kubeconfig
namespace: ${NAMESPACE}
warmFirst: false
nodePools:
  ${POOL}:
    replicas: 1
    resources: { requests: { cpu: 3500m, memory: 1Gi } }
`,
    );
  }, STARTUP_TIMEOUT_MS);

  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await plane.admin.close();
  });

  async function run(...flags: readonly string[]): Promise<Ended> {
    const child = spawn(
      process.execPath,
      [MAIN, '--config', join(folder, 'config.yaml'), '--state', join(folder, 'state'), ...flags],
      {
        env: { ...process.env, KUBECONFIG: plane.info.kubeconfigs[USER] },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const [stdout, stderr, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve) => child.once('close', resolve)),
    ]);
    return { code, stdout, stderr };
  }

  function summaryOf({ stdout }: Ended): Summary | undefined {
    return stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Summary)
      .find(({ event }) => event === 'pass_summary');
  }

  it('says what it would do and does nothing, then does it, then has nothing to do', async () => {
    const path = deploymentPath(NAMESPACE, `${POOL}-placeholder`);
    const dry = await run('pass', '--dry-run', '--log-format', 'json');
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(await plane.admin.find(path)).toBeUndefined();

    const first = await run('pass', '--log-format', 'json');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(summaryOf(first)).toMatchObject({
      outcome: 'ok',
      pools: [{ pool: POOL, wanted: 1, applied: 'created' }],
    });
    expect((await plane.admin.get<V1Deployment>(path)).spec?.replicas).toBe(1);
    await waitUntil('the placeholder runs', async () =>
      (await livePods(plane.admin, NAMESPACE, podsOf(POOL))).some(isRunning),
    );

    const requests = await audit.during(async () => {
      const second = await run('pass', '--log-format', 'json');
      expect(summaryOf(second)).toMatchObject({
        outcome: 'ok',
        pools: [{ wanted: 1, applied: 'unchanged' }],
      });
    });
    // How many lists depends on the pods that other test files keep in the one cluster.
    expect(countByVerb(requests)).toEqual({ list: requests.length });
  });

  it('recommends a size with the rights of the job', async () => {
    const { code, stdout, stderr } = await run('size', `${POOL}-a`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('60774477824');
  });
});
