/** What every state store must do; run against each of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { NodeRecord } from '../../functions/domain/history.ts';
import type { Instant } from '../../functions/domain/instant.ts';
import { StateError } from '../../functions/errors.ts';
import type { Acquisition, ClusterState, Lease, StateStore } from '../../functions/ports.ts';
import { EMPTY_STATE } from '../../functions/ports.ts';
import type { Claim } from '../../functions/state/lease.ts';

/** Makes stores that share what they store, as passes on several machines do. */
export interface Backing {
  open(): StateStore;
  destroy(): Promise<void>;
}

const NOW: Instant = Date.UTC(2026, 2, 2, 9, 0, 0, 123);
const MINUTE = 60_000;
const LEASE_SECONDS = 58;
const never = new AbortController().signal;

const FULL_STATE: ClusterState = {
  history: {
    observedAt: NOW,
    nodes: new Map<string, NodeRecord>([
      ['8d3f-1', { name: 'gke-a.b-1', firstSeenAt: NOW - 60 * MINUTE, lastBusyAt: NOW - MINUTE }],
      ['8d3f-2', { name: 'gke-a.b-2', firstSeenAt: NOW, lastBusyAt: undefined }],
    ]),
  },
  keptEvents: {
    readAt: NOW - MINUTE,
    source: 'c_123@group.calendar.google.com',
    timeZone: 'America/Los_Angeles',
    events: [
      {
        id: 'e1_20260302',
        title: 'Data 8 — lab ½',
        startAt: NOW,
        endAt: NOW + MINUTE,
        requests: [
          { key: 'hub-west/base', count: 3, line: 1 },
          { key: 'work.shop', count: 0, line: 2 },
        ],
      },
      { id: 'e2', title: '', startAt: NOW, endAt: NOW + MINUTE, requests: [] },
    ],
  },
  reported: ['unknown-pool:e1', 'priority:0'],
  degradedSinceAt: NOW - 5 * MINUTE,
  checkedAt: NOW - 3 * MINUTE,
  objects: {
    priorityClass: { kind: 'present', value: -10, preemptionPolicy: 'Never' },
    warmBudget: 'missing',
  },
  podsSeen: 20_654,
  lastPass: { at: NOW, owner: 'pass-1', exitCode: 1, summary: 'one pool failed' },
};

export function describeStateStore(name: string, setUp: () => Promise<Backing>): void {
  describe(`state store: ${name}`, () => {
    let backing: Backing;
    let count = 0;
    beforeAll(async () => {
      backing = await setUp();
    });
    afterAll(async () => {
      await backing.destroy();
    });

    /** A cluster that no other test uses. */
    const newCluster = (): string => `cluster-${(count += 1)}`;
    const acquire = (store: StateStore, cluster: string, claim: Claim): Promise<Acquisition> =>
      store.acquire(cluster, claim, never);
    const take = async (store: StateStore, cluster: string, claim: Claim): Promise<Lease> =>
      leaseOf(await acquire(store, cluster, claim));
    const put = async (cluster: string, state: Partial<ClusterState>): Promise<void> => {
      const store = backing.open();
      const lease = await take(store, cluster, by('setup'));
      await store.save(cluster, { lease, state, release: true }, never);
      await store.close();
    };
    const saveHistory = (nodes: Record<string, NodeRecord>): Partial<ClusterState> => ({
      history: { observedAt: NOW, nodes: new Map(Object.entries(nodes)) },
    });

    describe('what is stored', () => {
      test('a cluster that was never stored has the empty state', async () => {
        const store = backing.open();
        const cluster = newCluster();
        expect(await store.peek(cluster, never)).toEqual(EMPTY_STATE);
        expect(await acquire(store, cluster, by('pass-1'))).toEqual({
          kind: 'acquired',
          lease: { owner: 'pass-1', fence: 1, expiresAt: NOW + LEASE_SECONDS * 1000 },
          state: EMPTY_STATE,
        });
      });

      test('every field comes back as it was saved, to the next pass and to a dry run', async () => {
        const cluster = newCluster();
        await put(cluster, FULL_STATE);
        const next = backing.open();
        expect(await next.peek(cluster, never)).toStrictEqual(FULL_STATE);
        expect(stateOf(await acquire(next, cluster, by('pass-2')))).toStrictEqual(FULL_STATE);
      });

      test('a field that is left out stays, a field given as undefined is cleared', async () => {
        const cluster = newCluster();
        await put(cluster, FULL_STATE);
        await put(cluster, { degradedSinceAt: undefined, keptEvents: undefined, podsSeen: 7 });
        expect(await backing.open().peek(cluster, never)).toStrictEqual({
          ...FULL_STATE,
          degradedSinceAt: undefined,
          keptEvents: undefined,
          podsSeen: 7,
        });
      });

      test('two saves under one lease both count', async () => {
        const cluster = newCluster();
        const store = backing.open();
        const lease = await take(store, cluster, by('pass-1'));
        await store.save(cluster, { lease, state: { podsSeen: 1, reported: ['a'] }, release: false }, never);
        await store.save(cluster, { lease, state: { podsSeen: 2 }, release: true }, never);
        expect(await backing.open().peek(cluster, never)).toStrictEqual({
          ...EMPTY_STATE,
          podsSeen: 2,
          reported: ['a'],
        });
      });

      test('a dry run takes no lease and leaves no trace', async () => {
        const cluster = newCluster();
        const store = backing.open();
        await store.peek(cluster, never);
        expect((await take(store, cluster, by('pass-1'))).fence).toBe(1);
      });

      test.each([
        'team/a',
        'a.b.c',
        '.',
        '..',
        '__proto__',
        '__reserved__',
        'hub west',
        'größe',
        '%2F',
        'toString',
      ])('cluster %j and node keys like it keep their exact names and stay apart', async (key) => {
        const cluster = `${newCluster()}${key}`;
        const node: NodeRecord = { name: key, firstSeenAt: NOW, lastBusyAt: NOW };
        await put(cluster, saveHistory({ [`uid-${key}`]: node }));
        await put(key, { podsSeen: 1 });
        const read = await backing.open().peek(cluster, never);
        expect([...read.history.nodes]).toStrictEqual([[`uid-${key}`, node]]);
        expect(read.podsSeen).toBeUndefined();
        expect((await backing.open().peek(key, never)).podsSeen).toBe(1);
      });
    });

    describe('node history', () => {
      const node = (firstSeenAt: Instant, lastBusyAt?: Instant): NodeRecord => ({
        name: 'n',
        firstSeenAt,
        lastBusyAt,
      });

      test('a node that is gone is pruned, with its key', async () => {
        const cluster = newCluster();
        await put(cluster, saveHistory({ 'u.1': node(1), 'u.2': node(2, 3) }));
        await put(cluster, saveHistory({ 'u.2': node(2, 3) }));
        const { history } = await backing.open().peek(cluster, never);
        expect([...history.nodes]).toStrictEqual([['u.2', node(2, 3)]]);
      });

      test('a pass with no busy time to tell keeps the one that is stored', async () => {
        const cluster = newCluster();
        await put(cluster, saveHistory({ u: node(1, 5 * MINUTE) }));
        await put(cluster, saveHistory({ u: node(1) }));
        const { history } = await backing.open().peek(cluster, never);
        expect(history.nodes.get('u')).toStrictEqual(node(1, 5 * MINUTE));
      });

      test('the last node gone leaves an empty history, not the one before', async () => {
        const cluster = newCluster();
        await put(cluster, saveHistory({ u: node(1) }));
        await put(cluster, saveHistory({}));
        expect((await backing.open().peek(cluster, never)).history).toStrictEqual({
          observedAt: NOW,
          nodes: new Map(),
        });
      });

      test('10,001 nodes with both instants come back equal, and shrink again to one', async () => {
        const cluster = newCluster();
        const nodes = Object.fromEntries(
          Array.from({ length: 10_001 }, (_, index) => [
            `5b9d1f60-8c3e-4a77-9f10-${String(index).padStart(12, '0')}`,
            { name: `gke-hub-user-base-${index}.c`, firstSeenAt: NOW - index, lastBusyAt: NOW - 2 * index },
          ]),
        );
        await put(cluster, saveHistory(nodes));
        const whole = await backing.open().peek(cluster, never);
        expect([...whole.history.nodes].sort()).toStrictEqual(Object.entries(nodes).sort());
        await put(cluster, saveHistory({ last: node(1) }));
        const small = await backing.open().peek(cluster, never);
        expect([...small.history.nodes]).toStrictEqual([['last', node(1)]]);
      }, 120_000);
    });

    describe('one writer', () => {
      test('a live lease keeps another pass off, and says whose it is', async () => {
        const cluster = newCluster();
        await take(backing.open(), cluster, by('pass-1'));
        expect(await acquire(backing.open(), cluster, by('pass-2', NOW + MINUTE / 2))).toEqual({
          kind: 'held',
          owner: 'pass-1',
          expiresAt: NOW + LEASE_SECONDS * 1000,
        });
      });

      test('a released lease is free at once, and the number goes on', async () => {
        const cluster = newCluster();
        await put(cluster, {});
        await put(cluster, {});
        expect((await take(backing.open(), cluster, by('pass-3'))).fence).toBe(3);
      });

      test('the lease of a killed pass is free when it has expired, not before', async () => {
        const cluster = newCluster();
        const { expiresAt } = await take(backing.open(), cluster, by('killed'));
        expect(await acquire(backing.open(), cluster, by('early', expiresAt - 1))).toMatchObject({
          kind: 'held',
        });
        expect(await acquire(backing.open(), cluster, by('next', expiresAt))).toMatchObject({
          kind: 'acquired',
          lease: { owner: 'next', fence: 2 },
        });
      });

      test('a pass that wakes late cannot save, and changes nothing by trying', async () => {
        const cluster = newCluster();
        const slow = backing.open();
        const slowLease = await take(slow, cluster, by('pass-of-12:00'));
        const later = backing.open();
        const laterLease = await take(later, cluster, by('pass-of-12:01', NOW + MINUTE));
        await later.save(cluster, { lease: laterLease, state: { podsSeen: 2 }, release: true }, never);
        const late = slow.save(cluster, { lease: slowLease, state: { podsSeen: 1 }, release: true }, never);
        await expect(late).rejects.toMatchObject({ name: 'StateError', kind: 'fenced' });
        await expect(late).rejects.toBeInstanceOf(StateError);
        expect(await backing.open().peek(cluster, never)).toStrictEqual({ ...EMPTY_STATE, podsSeen: 2 });
        expect((await take(backing.open(), cluster, by('pass-of-12:02', NOW + MINUTE))).fence).toBe(3);
      });

      test('a late save does not free the lease of the pass that came after', async () => {
        const cluster = newCluster();
        const slow = backing.open();
        const lease = await take(slow, cluster, by('slow'));
        await take(backing.open(), cluster, by('later', NOW + MINUTE));
        await expect(slow.save(cluster, { lease, state: {}, release: true }, never)).rejects.toMatchObject({
          kind: 'fenced',
        });
        expect(await acquire(backing.open(), cluster, by('third', NOW + MINUTE))).toMatchObject({
          kind: 'held',
          owner: 'later',
        });
      });

      test('an expired lease that nobody has taken still saves: no newer decision exists', async () => {
        const cluster = newCluster();
        const store = backing.open();
        const lease = await take(store, cluster, by('slow'));
        await store.save(cluster, { lease, state: { podsSeen: 3 }, release: true }, never);
        expect((await store.peek(cluster, never)).podsSeen).toBe(3);
      });

      test('a save with a lease that was never taken is refused', async () => {
        const forged: Lease = { owner: 'nobody', fence: 0, expiresAt: NOW };
        const save = backing
          .open()
          .save(newCluster(), { lease: forged, state: { podsSeen: 3 }, release: true }, never);
        await expect(save).rejects.toMatchObject({ kind: 'fenced' });
      });

      test('of passes that start at once one gets the lease, whatever the order', async () => {
        const cluster = newCluster();
        const owners = ['a', 'b', 'c', 'd'];
        const answers = await Promise.all(owners.map((owner) => acquire(backing.open(), cluster, by(owner))));
        expect(answers.map((answer) => answer.kind).sort()).toEqual(['acquired', 'held', 'held', 'held']);
      });

      test('of saves by two leases at once only the newer counts', async () => {
        const cluster = newCluster();
        const [slow, later] = [backing.open(), backing.open()];
        const slowLease = await take(slow, cluster, by('slow'));
        const laterLease = await take(later, cluster, by('later', NOW + MINUTE));
        const results = await Promise.allSettled([
          slow.save(cluster, { lease: slowLease, state: { podsSeen: 1 }, release: true }, never),
          later.save(cluster, { lease: laterLease, state: { podsSeen: 2 }, release: true }, never),
        ]);
        expect(results.map((result) => result.status)).toEqual(['rejected', 'fulfilled']);
        expect((await backing.open().peek(cluster, never)).podsSeen).toBe(2);
      });

      test('clusters have leases of their own', async () => {
        const store = backing.open();
        await take(store, newCluster(), by('pass-1'));
        expect((await acquire(store, newCluster(), by('pass-2'))).kind).toBe('acquired');
      });
    });

    test.each([
      ['stopped', new Error('SIGTERM'), 'aborted'],
      ['out of time', new DOMException('late', 'TimeoutError'), 'timeout'],
    ])('a pass that is %s reads and writes nothing more', async (_, reason, kind) => {
      const cluster = newCluster();
      const store = backing.open();
      const lease = await take(store, cluster, by('pass-1'));
      const signal = AbortSignal.abort(reason);
      const claim = by('pass-2', NOW + MINUTE);
      const results = await Promise.allSettled([
        store.peek(cluster, signal),
        store.acquire(cluster, claim, signal),
        store.save(cluster, { lease, state: { podsSeen: 9 }, release: true }, signal),
      ]);
      expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected']);
      expect(results).toMatchObject(Array(3).fill({ reason: { name: 'StateError', kind } }));
      expect((await backing.open().peek(cluster, never)).podsSeen).toBeUndefined();
    });

    test('closing twice, or before first use, is no error', async () => {
      const store = backing.open();
      await store.close();
      await expect(store.close()).resolves.toBeUndefined();
    });
  });
}

function by(owner: string, now: Instant = NOW): Claim {
  return { owner, now, leaseSeconds: LEASE_SECONDS };
}

function leaseOf(answer: Acquisition): Lease {
  if (answer.kind === 'held') throw new Error(`the lease is held by ${answer.owner}`);
  return answer.lease;
}

function stateOf(answer: Acquisition): ClusterState {
  if (answer.kind === 'held') throw new Error(`the lease is held by ${answer.owner}`);
  return answer.state;
}
