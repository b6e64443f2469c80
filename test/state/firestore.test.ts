import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import type { Firestore } from '@google-cloud/firestore';
import { Timestamp } from '@google-cloud/firestore';
import { PassThroughClient } from 'google-auth-library';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import type { Acquisition, ClusterState, Lease, StateStore } from '../../functions/ports.ts';
import { connect } from '../../functions/state/firestore-connection.ts';
import { classifyFirestoreError } from '../../functions/state/firestore-error.ts';
import { FirestoreStateStore, documentId } from '../../functions/state/firestore.ts';
import { emulatorHost, hasEmulator } from '../support/firestore-emulator.ts';
import { HttpRelay } from '../support/http-relay.ts';

const NOW = Date.UTC(2026, 2, 2, 9, 0);
const never = new AbortController().signal;
const ADDRESS = { projectId: 'my-project', databaseId: 'placeholders' };

const claim = (owner = 'pass-1', now = NOW) => ({ owner, now, leaseSeconds: 58 });

async function take(store: StateStore, cluster: string, owner = 'pass-1'): Promise<Lease> {
  return leaseOf(await store.acquire(cluster, claim(owner), never));
}

function leaseOf(answer: Acquisition): Lease {
  if (answer.kind === 'held') throw new Error('held');
  return answer.lease;
}

describe('an answer that is an error', () => {
  test.each([
    [1, 'unavailable', 'status.cloud.google.com'],
    [2, 'unavailable', 'status.cloud.google.com'],
    [3, 'invalid', 'Firestore refused'],
    [4, 'timeout', 'status.cloud.google.com'],
    [5, 'notFound', "gcloud firestore databases create --project=my-project --database='placeholders'"],
    [7, 'forbidden', 'grant roles/datastore.user on database placeholders of project my-project'],
    [8, 'throttled', 'quotas of project my-project'],
    [9, 'misconfigured', 'Native mode'],
    [10, 'conflict', 'another pass'],
    [13, 'unavailable', 'status.cloud.google.com'],
    [14, 'unavailable', 'status.cloud.google.com'],
    [16, 'unauthenticated', 'gcloud auth application-default login'],
    ['ERR_STREAM_PREMATURE_CLOSE', 'unavailable', 'status.cloud.google.com'],
    [undefined, 'unavailable', 'status.cloud.google.com'],
  ])('of gRPC status %s is told as %s, with its remedy', (code, kind, remedy) => {
    const cause = Object.assign(new Error('first line\nsecond'), { code });
    const error = classifyFirestoreError(cause, 'saving', ADDRESS);
    expect(error).toMatchObject({ name: 'StateError', kind, cause, message: 'saving: first line' });
    expect(error.remedy).toContain(remedy);
  });

  test('without a word says so', () => {
    expect(classifyFirestoreError(new Error(''), 'saving', ADDRESS).message).toBe('saving: no reason given');
  });
});

describe('over HTTP', () => {
  let relay: HttpRelay;
  let store: StateStore;

  const open = (timeoutSeconds: number, authClient = new PassThroughClient()): StateStore =>
    new FirestoreStateStore({ ...ADDRESS, emulatorHost: relay.host, timeoutSeconds, authClient });
  beforeEach(async () => {
    relay = await HttpRelay.start();
  });
  afterEach(async () => {
    await relay.stop();
    await store.close();
  });

  test.each([
    [400, 'invalid'],
    [403, 'forbidden'],
    [404, 'notFound'],
  ])('%s is told as %s at once', async (status, kind) => {
    store = open(30);
    relay.fault = () => ({ kind: 'status', status });
    await expect(store.acquire('west', claim(), never)).rejects.toMatchObject({
      kind,
      message: `taking the lease and reading the state of cluster west in firestore my-project/placeholders: status ${status}`,
    });
    expect(new Set(relay.verbs())).toEqual(new Set(['batchGet']));
  });

  test.each([
    [401, 'unauthenticated'],
    [409, 'conflict'],
    [429, 'throttled'],
  ])('%s is tried again until time is up, and told as %s', async (status, kind) => {
    store = open(0.5);
    relay.fault = () => ({ kind: 'status', status });
    await expect(store.acquire('west', claim(), never)).rejects.toMatchObject({ kind });
  });

  test.each([
    { kind: 'status', status: 500 },
    { kind: 'status', status: 503 },
    { kind: 'cut' },
    { kind: 'garbage' },
    { kind: 'silence' },
  ] as const)('%j is given up when time is up', async (fault) => {
    store = open(0.5);
    relay.fault = () => fault;
    const results = await Promise.allSettled([
      store.peek('west', never),
      store.acquire('west', claim(), never),
    ]);
    const timeout = { status: 'rejected', reason: { name: 'StateError', kind: 'timeout' } };
    expect(results).toMatchObject([timeout, timeout]);
  });

  test('a pass that is told to stop does not wait for the answer', async () => {
    store = open(30);
    relay.fault = () => ({ kind: 'silence' });
    const controller = new AbortController();
    const acquired = store.acquire('west', claim(), controller.signal);
    controller.abort(new Error('SIGTERM'));
    await expect(acquired).rejects.toMatchObject({ kind: 'aborted' });
  });

  test('credentials that cannot be refreshed are told, not thrown in the background', async () => {
    const authClient = Object.assign(new PassThroughClient(), {
      getAccessToken: () => Promise.reject(new Error('invalid_grant')),
    });
    store = open(30, authClient);
    await expect(store.peek('west', never)).rejects.toMatchObject({
      kind: 'unauthenticated',
      message: 'signing in to Firestore: invalid_grant',
      remedy: expect.stringContaining('gcloud auth application-default login') as string,
    });
    expect(relay.passed).toEqual([]);
  });

  test('whoever gives the token may fail just now, which no permission mends', async () => {
    const authClient = Object.assign(new PassThroughClient(), {
      getAccessToken: () => Promise.reject(Object.assign(new Error('bad gateway'), { status: 502 })),
    });
    store = open(30, authClient);
    await expect(store.peek('west', never)).rejects.toMatchObject({
      kind: 'unavailable',
      remedy: expect.stringMatching(/^wait, each pass tries again/) as string,
    });
  });

  test('a sign-in that never ends is given up, and keeps nobody from closing', async () => {
    const authClient = Object.assign(new PassThroughClient(), {
      getAccessToken: () => new Promise<never>(() => undefined),
    });
    store = open(0.1, authClient);
    await expect(store.peek('west', never)).rejects.toMatchObject({ kind: 'timeout' });
    await store.close();
  });
});

test('without credentials the process is told so and lives', () => {
  const program = `
    const { openStateStore } = await import('./functions/state/open.ts');
    const store = openStateStore('firestore:my-project/placeholders');
    const error = await store.peek('west', new AbortController().signal).catch((caught) => caught);
    process.stdout.write(error.name + ' ' + error.kind + ' ' + error.remedy);
  `;
  const result = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: join(import.meta.dirname, '..', '..'),
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', METADATA_SERVER_DETECTION: 'none' },
  });
  expect(result.status).toBe(0);
  expect(result.stdout).toMatch(/^StateError unauthenticated .*gcloud auth application-default login/);
});

describe.skipIf(!hasEmulator())('on the emulator', () => {
  let relay: HttpRelay;
  let raw: Firestore;
  let count = 0;
  const opened: StateStore[] = [];

  const open = (databaseId = ADDRESS.databaseId): FirestoreStateStore => {
    const store = new FirestoreStateStore({
      ...ADDRESS,
      databaseId,
      emulatorHost: relay.host,
      timeoutSeconds: 30,
    });
    opened.push(store);
    return store;
  };
  const newCluster = (): string => `special-${(count += 1)}`;
  const document = (cluster: string) => raw.collection('placeholderClusters').doc(documentId(cluster));
  const history = (size: number, name = 'n'): Partial<ClusterState> => {
    const node = { name, firstSeenAt: NOW, lastBusyAt: undefined };
    const nodes = Array.from({ length: size }, (_, index) => [`uid-${index}`, node] as const);
    return { history: { observedAt: NOW, nodes: new Map(nodes) } };
  };

  beforeAll(async () => {
    const host = await emulatorHost();
    relay = await HttpRelay.start(host);
    raw = (await connect({ ...ADDRESS, emulatorHost: host })).firestore;
  });
  afterEach(() => {
    relay.fault = () => undefined;
  });
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await raw.terminate();
    await relay.stop();
  });

  test('a quiet pass is two transactions of one read and one commit each', async () => {
    const cluster = newCluster();
    const store = open();
    const first = await take(store, cluster);
    await store.save(cluster, { lease: first, state: history(2), release: true }, never);
    relay.passed.length = 0;
    const pass = open();
    const lease = await take(pass, cluster, 'pass-2');
    const state = { ...history(2), lastPass: undefined };
    await pass.save(cluster, { lease, state, release: true }, never);
    expect(relay.verbs()).toEqual(['batchGet', 'commit', 'batchGet', 'commit']);
  });

  test('a save reads the fence alone and writes what differs alone', async () => {
    const cluster = newCluster();
    const store = open();
    const lease = await take(store, cluster);
    const keptEvents = { readAt: NOW, source: 's', timeZone: 'UTC', events: [] };
    await store.save(cluster, { lease, state: { ...history(1), keptEvents }, release: false }, never);
    relay.passed.length = 0;
    const readAgain = { ...keptEvents, readAt: NOW + 60_000 };
    const change = { ...history(1), keptEvents: readAgain, podsSeen: 5 };
    await store.save(cluster, { lease, state: change, release: false }, never);
    expect(relay.passed).toMatchObject([
      { verb: 'batchGet', body: { mask: { fieldPaths: ['schemaVersion', 'lease'] } } },
      {
        verb: 'commit',
        body: { writes: [{ updateMask: { fieldPaths: ['keptEvents.readAt', 'podsSeen'] } }] },
      },
    ]);
    expect((await open().peek(cluster, never)).keptEvents).toEqual(readAgain);
  });

  test('the document reads well in the console: names in clear, timestamps as timestamps', async () => {
    const cluster = newCluster();
    const store = open();
    const lease = await take(store, cluster);
    const nodes = new Map([['u.1', { name: 'gke-a.b', firstSeenAt: NOW, lastBusyAt: NOW + 1 }]]);
    const lastPass = { at: NOW, owner: 'pass-1', exitCode: 0, summary: 'all well' };
    const state = { history: { observedAt: NOW, nodes }, lastPass };
    await store.save(cluster, { lease, state, release: true }, never);
    const at = Timestamp.fromMillis(NOW);
    expect((await document(cluster).get()).data()).toEqual({
      schemaVersion: 1,
      cluster,
      lease: {
        fence: 1,
        owner: 'pass-1',
        takenAt: at,
        expiresAt: Timestamp.fromMillis(NOW + 58_000),
        isReleased: true,
      },
      observedAt: at,
      nodes: { 'u.1': { name: 'gke-a.b', firstSeenAt: at, lastBusyAt: Timestamp.fromMillis(NOW + 1) } },
      reported: [],
      lastPass: { at, owner: 'pass-1', exitCode: 0, summary: 'all well' },
      pages: 0,
    });
  });

  test('pages that are no longer needed are deleted', async () => {
    const cluster = newCluster();
    const store = open();
    const lease = await take(store, cluster);
    await store.save(cluster, { lease, state: history(4_500), release: false }, never);
    const pages = document(cluster).collection('placeholderPages');
    expect((await pages.get()).docs.map((page) => page.id)).toEqual(['001']);
    await store.save(cluster, { lease, state: history(10), release: false }, never);
    expect((await pages.get()).docs).toEqual([]);
    expect((await open().peek(cluster, never)).history.nodes.size).toBe(10);
  });

  test('taking the lease of a record in pages writes the lease alone', async () => {
    const cluster = newCluster();
    const store = open();
    const first = await take(store, cluster);
    await store.save(cluster, { lease: first, state: history(4_500), release: true }, never);
    relay.passed.length = 0;
    await take(open(), cluster, 'pass-2');
    expect(relay.passed.at(-1)).toMatchObject({
      verb: 'commit',
      body: { writes: [{ updateMask: { fieldPaths: ['lease'] } }] },
    });
  });

  test.each([
    ['a newer schema', { schemaVersion: 2 }, 'newerSchema'],
    ['no schema', { schemaVersion: 'one' }, 'malformed'],
    ['a lease that is none', { lease: 'mine' }, 'malformed'],
    ['an instant that is text', { observedAt: '2026-03-02' }, 'malformed'],
    ['a node map that is none', { nodes: 'none' }, 'malformed'],
    ['kept events that are none', { keptEvents: 'none' }, 'malformed'],
    [
      'a list of kept events that is none',
      { keptEvents: { readAt: Timestamp.fromMillis(NOW), source: 's', timeZone: 'UTC', events: {} } },
      'malformed',
    ],
    ['a page that is missing', { pages: 1 }, 'malformed'],
    ['a number of pages that is none', { pages: -1 }, 'malformed'],
  ])('a document with %s is refused and left as it is', async (_, fields, kind) => {
    const cluster = newCluster();
    const store = open();
    const lease = await take(store, cluster);
    await store.save(cluster, { lease, state: history(1), release: true }, never);
    await document(cluster).set(fields, { merge: true });
    const before = (await document(cluster).get()).data();
    await expect(open().peek(cluster, never)).rejects.toMatchObject({ name: 'StateError', kind });
    await expect(open().acquire(cluster, claim('b'), never)).rejects.toMatchObject({ kind });
    expect((await document(cluster).get()).data()).toEqual(before);
  });

  test('a program that was upgraded during a pass is not overwritten by the older one', async () => {
    const cluster = newCluster();
    const store = open();
    const lease = await take(store, cluster);
    await document(cluster).set({ schemaVersion: 2 }, { merge: true });
    const save = store.save(cluster, { lease, state: history(1), release: true }, never);
    await expect(save).rejects.toMatchObject({ kind: 'newerSchema' });
  });

  test('a pass whose document was deleted meanwhile does not bring it back', async () => {
    const cluster = newCluster();
    const store = open();
    const lease = await take(store, cluster);
    await document(cluster).delete();
    const save = store.save(cluster, { lease, state: history(1), release: true }, never);
    await expect(save).rejects.toMatchObject({ kind: 'fenced' });
    expect((await document(cluster).get()).exists).toBe(false);
  });

  test('a lost answer to the taking of the lease does not lock its own pass out', async () => {
    const cluster = newCluster();
    relay.failOnce('commit', { kind: 'cutAfter' });
    const answer = await open().acquire(cluster, claim(), never);
    expect(answer).toMatchObject({ kind: 'acquired', lease: { owner: 'pass-1' } });
    const other = await open().acquire(cluster, claim('pass-2'), never);
    expect(other).toMatchObject({ kind: 'held', owner: 'pass-1' });
  });

  test('a lost answer to a save that releases is no failure of the save', async () => {
    const cluster = newCluster();
    const store = open();
    const lease = await take(store, cluster);
    relay.failOnce('commit', { kind: 'cutAfter' });
    await store.save(cluster, { lease, state: history(3), release: true }, never);
    const next = await open().acquire(cluster, claim('pass-2'), never);
    expect(next).toMatchObject({ kind: 'acquired', state: history(3) });
  });

  test('after a save that failed the next one reads again what is stored', async () => {
    const cluster = newCluster();
    const store = open();
    const lease = await take(store, cluster);
    relay.failOnce('commit', { kind: 'status', status: 403 });
    const failed = store.save(cluster, { lease, state: { podsSeen: 1 }, release: false }, never);
    await expect(failed).rejects.toMatchObject({ kind: 'forbidden' });
    await document(cluster).update({ reported: ['by hand'] });
    await store.save(cluster, { lease, state: { podsSeen: 2 }, release: false }, never);
    expect(await open().peek(cluster, never)).toMatchObject({ podsSeen: 2, reported: ['by hand'] });
  });

  test('databases of one project are apart', async () => {
    const cluster = newCluster();
    const store = open('other-database');
    const lease = await take(store, cluster);
    await store.save(cluster, { lease, state: { podsSeen: 1 }, release: true }, never);
    expect((await open().peek(cluster, never)).podsSeen).toBeUndefined();
    expect((await open('other-database').peek(cluster, never)).podsSeen).toBe(1);
  });
});
