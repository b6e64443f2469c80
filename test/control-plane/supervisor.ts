/**
 * A real Kubernetes control plane on loopback, as one process that owns all the others. It prints one line of JSON when
 * the API server answers, and ends everything it started when its standard input closes: so also when whoever
 * started it crashed. By hand: `node test/control-plane/supervisor.ts`, and Ctrl-D.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { auditPolicy, kubeconfig, schedulerConfiguration, tokenFile, USERS, type UserName } from './files.ts';
import { Program } from './program.ts';
import { findPrograms } from './programs.ts';
import { isReady, type ControlPlaneInfo } from './readiness.ts';

const START_ATTEMPTS = 3;
const READY_TIMEOUT_MS = 60_000;

const CONTROLLERS = [
  'deployment-controller',
  'replicaset-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'pod-garbage-collector-controller',
  'node-lifecycle-controller',
  // Without it a budget's status stays empty, and an empty status allows every disruption.
  'disruption-controller',
];

interface Running {
  readonly info: ControlPlaneInfo;
  readonly programs: readonly Program[];
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port on loopback');
  return address.port;
}

/** Writes what the programs read, and says where. */
function writeFiles(folder: string, server: string): ControlPlaneInfo {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  // The API server signs a certificate of its own into its --cert-dir; the file holds the whole chain.
  const caFile = join(folder, 'apiserver.crt');
  const kubeconfigs = Object.fromEntries(
    USERS.map((user) => [user, join(folder, `kubeconfig-${user}.yaml`)]),
  ) as Record<UserName, string>;
  for (const user of USERS) writeFileSync(kubeconfigs[user], kubeconfig(user, { server, caFile }));
  writeFileSync(join(folder, 'tokens.csv'), tokenFile());
  writeFileSync(join(folder, 'audit-policy.yaml'), auditPolicy());
  writeFileSync(join(folder, 'scheduler.yaml'), schedulerConfiguration(kubeconfigs.admin));
  writeFileSync(join(folder, 'service-account.key'), privateKey);
  writeFileSync(join(folder, 'service-account.pub'), publicKey);
  return { server, caFile, kubeconfigs, auditLog: join(folder, 'audit.log'), folder };
}

function apiServerFlags(info: ControlPlaneInfo, etcdUrl: string): readonly string[] {
  const inFolder = (name: string) => join(info.folder, name);
  return [
    `--etcd-servers=${etcdUrl}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--secure-port=${new URL(info.server).port}`,
    `--cert-dir=${info.folder}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${inFolder('service-account.pub')}`,
    `--service-account-signing-key-file=${inFolder('service-account.key')}`,
    '--authorization-mode=RBAC',
    `--token-auth-file=${inFolder('tokens.csv')}`,
    // Nobody makes service accounts here, so no pod could be created with it on.
    '--disable-admission-plugins=ServiceAccount',
    `--audit-policy-file=${inFolder('audit-policy.yaml')}`,
    `--audit-log-path=${info.auditLog}`,
  ];
}

async function startAll(programsFolder: string, folder: string): Promise<Running> {
  const [clientPort, peerPort, apiPort] = [await freePort(), await freePort(), await freePort()];
  const etcdUrl = `http://127.0.0.1:${clientPort}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const info = writeFiles(folder, `https://127.0.0.1:${apiPort}`);
  const programs: Program[] = [];
  const start = (name: string, flags: readonly string[]) => {
    programs.push(new Program(name, { folder: programsFolder, logFolder: folder, flags }));
  };
  start('etcd', [
    `--data-dir=${join(folder, 'etcd')}`,
    '--unsafe-no-fsync',
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
  ]);
  start('kube-apiserver', apiServerFlags(info, etcdUrl));
  try {
    await untilReady(info, programs);
  } catch (error) {
    await stopAll(programs);
    throw error;
  }
  const admin = `--kubeconfig=${info.kubeconfigs.admin}`;
  const speed = ['--kube-api-qps=1000', '--kube-api-burst=2000'];
  start('kube-controller-manager', [
    admin,
    ...speed,
    '--leader-elect=false',
    '--secure-port=0',
    `--controllers=${CONTROLLERS.join(',')}`,
    '--concurrent-deployment-syncs=5',
  ]);
  start('kube-scheduler', [`--config=${join(folder, 'scheduler.yaml')}`, '--secure-port=0']);
  start('kwok', [admin, `--config=${join(import.meta.dirname, 'stages.yaml')}`]);
  return { info, programs };
}

async function untilReady(info: ControlPlaneInfo, programs: readonly Program[]): Promise<void> {
  const deadlineAt = Date.now() + READY_TIMEOUT_MS;
  while (!(await isReady(info))) {
    const dead = programs.find((program) => program.hasEnded());
    if (dead !== undefined) throw new Error(dead.obituary());
    if (Date.now() > deadlineAt) throw new Error(programs.map((program) => program.obituary()).join('\n'));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function stopAll(programs: readonly Program[]): Promise<void> {
  await Promise.all(programs.map((program) => program.stop()));
}

/** A free port can be taken between finding it and listening on it, so a start that failed is tried anew. */
async function startWithRetries(programsFolder: string, folder: string): Promise<Running> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startAll(programsFolder, mkdtempSync(join(folder, 'attempt-')));
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error;
    }
  }
}

async function main(): Promise<void> {
  const found = findPrograms(process.env);
  if (found.kind === 'missing') throw new Error(found.message);
  const folder = mkdtempSync(join(tmpdir(), 'control-plane-'));
  const stopped = new Promise<void>((resolve) => {
    process.stdin.on('end', resolve).on('close', resolve).resume();
    // Whoever started this went away before it could be told where the control plane is.
    process.stdout.on('error', () => {
      resolve();
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, resolve);
  });
  const running = await startWithRetries(found.folder, folder);
  process.stdout.write(`${JSON.stringify(running.info)}\n`);
  const reasons = running.programs.map((program) => program.ended.then(() => program.obituary()));
  const reason = await Promise.race([stopped, ...reasons]);
  // Tests would only see that nothing happens; this says why.
  if (reason !== undefined) process.stderr.write(`${reason}\n`);
  await stopAll(running.programs);
  rmSync(folder, { recursive: true, force: true });
}

await main();
process.exit(0);
