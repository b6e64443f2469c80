/**
 * What the state costs: `node scripts/bench-state.ts`. Prints time, CPU and memory for 10,001 nodes with history in each
 * store, and what the first transaction of a process costs over REST and over gRPC, client loaded anew each time. The
 * Firestore emulator is started for it, or the one used that FIRESTORE_EMULATOR_HOST names.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import type { NodeHistory } from '../functions/domain/history.ts';
import type { StateStore } from '../functions/ports.ts';
import { FileStateStore } from '../functions/state/file.ts';
import { FirestoreStateStore } from '../functions/state/firestore.ts';
import { findJar, startEmulator, stopEmulator } from '../test/support/emulator-process.ts';

const NODES = 10_001;
const ROUNDS = 5;
const NOW = Date.UTC(2026, 2, 2, 9, 0);
const never = new AbortController().signal;

const [mode, host = '', transport = ''] = process.argv.slice(2);
if (mode === 'first') await measureFirstTransaction(host, transport === 'rest');
else await measureAll();

async function measureAll(): Promise<void> {
  const given = process.env['FIRESTORE_EMULATOR_HOST'];
  const jar = given === undefined ? findJar() : undefined;
  if (given === undefined && jar === undefined) throw new Error('no Firestore emulator; see test/support');
  const { host: at, child } =
    jar === undefined ? { host: given ?? '', child: undefined } : await startEmulator(jar);
  // Else it would also redirect what is handed a host of its own.
  delete process.env['FIRESTORE_EMULATOR_HOST'];
  const folder = await mkdtemp(join(tmpdir(), 'bench-state-'));
  try {
    await measureNodes('file', new FileStateStore(join(folder, 'state.json')));
    for (const preferRest of [true, false]) {
      const name = preferRest ? 'Firestore over REST' : 'Firestore over gRPC';
      await measureNodes(name, openFirestore(at, preferRest));
    }
    for (const each of ['rest', 'grpc', 'none']) measureStart(at, each);
  } finally {
    await stopEmulator(child);
    await rm(folder, { recursive: true });
  }
}

function openFirestore(emulatorHost: string, preferRest: boolean): StateStore {
  const databaseId = preferRest ? 'bench-rest' : 'bench-grpc';
  return new FirestoreStateStore({
    projectId: 'bench',
    databaseId,
    emulatorHost,
    preferRest,
    timeoutSeconds: 60,
  });
}

async function measureNodes(name: string, store: StateStore): Promise<void> {
  const history = manyNodes();
  let answer = await store.acquire('default', { owner: 'a', now: NOW, leaseSeconds: 58 }, never);
  for (let round = 1; round <= 2; round += 1) {
    if (answer.kind === 'held') throw new Error('held');
    const { lease } = answer;
    await measure(`${name}: save of ${NODES} nodes, round ${round}`, () =>
      store.save('default', { lease, state: { history }, release: true }, never),
    );
    answer = await measure(`${name}: lease and reading of ${NODES} nodes, round ${round}`, () =>
      store.acquire('default', { owner: `b${round}`, now: NOW, leaseSeconds: 58 }, never),
    );
  }
  const isEqual = answer.kind === 'acquired' && isDeepStrictEqual(answer.state.history, history);
  say(`${name}: ${isEqual ? 'came back equal' : 'CAME BACK DIFFERENT'}`);
  if (!isEqual) process.exitCode = 1;
  await store.close();
}

function manyNodes(): NodeHistory {
  const nodes = Array.from({ length: NODES }, (_, index) => {
    const uid = `5b9d1f60-8c3e-4a77-9f10-${String(index).padStart(12, '0')}`;
    const name = `gke-hub-user-base-${index}.c.project.internal`;
    return [uid, { name, firstSeenAt: NOW - index, lastBusyAt: NOW - 2 * index }] as const;
  });
  return {
    observedAt: NOW,
    nodes: new Map(nodes.toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

async function measure<T>(what: string, work: () => Promise<T>): Promise<T> {
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  const memory = Math.round(process.memoryUsage().rss / 1e6);
  say(
    `${what}: ${Math.round(performance.now() - startedAt)} ms, ${Math.round((user + system) / 1000)} ms CPU, ${memory} MB resident`,
  );
  return result;
}

// ---- the first transaction of a process ----

interface Start {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly megabytes: number;
}

/** Medians of whole processes: Node's own start, imports, and one lease taken. */
function measureStart(at: string, transport: string): void {
  const runs = Array.from({ length: ROUNDS }, () => {
    const startedAt = performance.now();
    const output = execFileSync(process.execPath, [import.meta.filename, 'first', at, transport], {
      encoding: 'utf8',
    });
    const { cpuMs, megabytes } = JSON.parse(output) as Omit<Start, 'wallMs'>;
    return { wallMs: performance.now() - startedAt, cpuMs, megabytes };
  });
  const median = (key: keyof Start): number =>
    Math.round(runs.map((run) => run[key]).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0);
  const what = transport === 'none' ? 'a process that takes no lease' : `first lease over ${transport}`;
  say(
    `${what}, process start to end: ${median('wallMs')} ms, ${median('cpuMs')} ms CPU, ${median('megabytes')} MB resident`,
  );
}

async function measureFirstTransaction(at: string, preferRest: boolean): Promise<void> {
  if (transport !== 'none') {
    const store = openFirestore(at, preferRest);
    await store.acquire(`first-${process.pid}`, { owner: 'a', now: NOW, leaseSeconds: 58 }, never);
    await store.close();
  }
  const { user, system } = process.cpuUsage();
  const megabytes = process.memoryUsage().rss / 1e6;
  say(JSON.stringify({ cpuMs: (user + system) / 1000, megabytes }));
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
