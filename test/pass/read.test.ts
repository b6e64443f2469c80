/** What a pass asks of the outside, and how what fails there comes back: as a value that says what to do. */
import { describe, expect, it } from 'vitest';
import { CalendarError } from '../../functions/errors.ts';
import type { FleetCalendar } from '../../functions/pass/calendars.ts';
import type { CalendarOutcome } from '../../functions/pass/events.ts';
import type { FleetPool } from '../../functions/pass/job.ts';
import { ImplausibleReading, readOutside } from '../../functions/pass/read.ts';
import { EMPTY_STATE } from '../../functions/ports.ts';
import type { ClusterState } from '../../functions/ports.ts';
import { aNode, aUsage, ClusterWorld, FakeCluster, Outside, outsideError } from '../support/fakes.ts';
import { aClusterOf, aJob, aPool, MINUTE, NINE } from './scene.ts';

const HOUR = 60 * MINUTE;
const POOLS: readonly FleetPool[] = ['west', 'lab'].map((cluster) => ({
  cluster,
  pool: 'base',
  baseline: 1,
  maxReplicas: 20,
}));

function aCalendar(outcome: CalendarOutcome): FleetCalendar & { readonly reads: string[] } {
  const reads: string[] = [];
  const read = () => {
    reads.push(outcome.kind);
    return Promise.resolve(outcome);
  };
  return { pools: POOLS, reporter: 'west', read, reads };
}

/** Asks for `count` of `west/base`, in an event of that id. */
function asking(id: string, count: number): CalendarOutcome {
  const requests = [{ key: 'west/base', count, line: 1 }];
  const events = [{ id, title: id, startAt: NINE, endAt: NINE + HOUR, requests }];
  return { kind: 'read', label: 'term@example.edu', timeZone: 'UTC', events, findings: [] };
}

const UNREADABLE: CalendarOutcome = {
  kind: 'unreadable',
  label: 'term@example.edu',
  error: new CalendarError('no answer', { kind: 'unavailable', remedy: 'wait' }),
};

function aCluster() {
  const outside = new Outside();
  const world = new ClusterWorld();
  const client = new FakeCluster(outside, world);
  return { outside, world, client, openCluster: () => Promise.resolve(client) };
}

describe('reading the cluster', () => {
  it('asks for what its settings name, each node label once, and for the objects on a first pass', async () => {
    const { outside, openCluster } = aCluster();
    const settings = aClusterOf(
      [aPool('base'), aPool('big', { nodeLabel: 'large' }), aPool('huge', { nodeLabel: 'large' })],
      {
        namespace: 'spares',
        nodePoolSelectorKey: 'pool',
        priorityClassName: 'low',
        userImages: ['*/user-image:*'],
        imagePullerSelectors: ['component=puller'],
        userPodSelectors: ['component=user'],
      },
    );
    const nodes = new Map([['uid', { name: 'known', firstSeenAt: NINE - HOUR, lastBusyAt: undefined }]]);
    const state = { ...EMPTY_STATE, history: { observedAt: NINE - MINUTE, nodes } };
    const { cluster } = await readOutside(aJob({ settings, openCluster }), state);
    expect(cluster.kind).toBe('read');
    expect(outside.callsOf('cluster.read').map(({ detail }) => detail)).toEqual([
      {
        namespace: 'spares',
        nodePoolSelectorKey: 'pool',
        nodeLabels: ['base', 'large'],
        knownNodes: ['known'],
        userImages: ['*/user-image:*'],
        imagePullerSelectors: ['component=puller'],
        userPodSelectors: ['component=user'],
        priorityClassName: 'low',
        withObjects: true,
      },
    ]);
  });

  it('opens it with its settings, and ends both with the pass', async () => {
    const { openCluster } = aCluster();
    const given: unknown[] = [];
    const job = aJob({
      openCluster: (...args) => {
        given.push(...args);
        return openCluster();
      },
    });
    await readOutside(job, EMPTY_STATE);
    expect(given).toEqual([job.settings, job.deadline.stop]);
  });

  it('gives a cluster that cannot be opened as a value, without a client', async () => {
    const error = outsideError('cluster.read', 'forbidden');
    const { cluster } = await readOutside(aJob({ openCluster: () => Promise.reject(error) }), EMPTY_STATE);
    expect(cluster).toEqual({ kind: 'failed', client: undefined, error });
  });

  it('gives a reading that fails as a value, with the client that still counts its requests', async () => {
    const { outside, client, openCluster } = aCluster();
    const error = outsideError('cluster.read', 'gone');
    outside.failNext('cluster.read', error);
    const { cluster } = await readOutside(aJob({ openCluster }), EMPTY_STATE);
    expect(cluster).toEqual({ kind: 'failed', client, error });
    expect(outside.callsOf('cluster.close')).toEqual([]);
  });

  it('lets a fault of the program through, and leaves no client open behind it', async () => {
    const { outside, openCluster } = aCluster();
    const fault = new TypeError('x is not a function');
    outside.failNext('cluster.read', fault);
    await expect(readOutside(aJob({ openCluster }), EMPTY_STATE)).rejects.toBe(fault);
    expect(outside.callsOf('cluster.close')).toHaveLength(1);
    await expect(readOutside(aJob({ openCluster: () => Promise.reject(fault) }), EMPTY_STATE)).rejects.toBe(
      fault,
    );
  });
});

describe('a reading that cannot be true', () => {
  const names = ['n1', 'n2', 'n3'];
  const known = new Map(
    names.map((name) => [`uid-of-${name}`, { name, firstSeenAt: NINE - HOUR, lastBusyAt: undefined }]),
  );
  const watched: ClusterState = { ...EMPTY_STATE, history: { observedAt: NINE - MINUTE, nodes: known } };

  async function readingOf(listed: readonly string[], podsOnEach: number, state: ClusterState) {
    const { world, client, openCluster } = aCluster();
    world.nodes = listed.map((name) => aNode({ name }));
    world.usage = new Map(names.map((name) => [name, aUsage({ podCount: podsOnEach })]));
    const { cluster } = await readOutside(aJob({ openCluster }), state);
    return { cluster, client };
  }

  it.each([
    {
      name: 'nodes are missing whose pods are listed',
      listed: ['n1'],
      podsOnEach: 4,
      state: watched,
      message: 'fake-cluster: the list of nodes lacks 2 of 3 nodes whose pods are still listed',
      found: { kind: 'nodesLost', lost: 2, known: 3 },
    },
    {
      name: 'most pods are gone',
      listed: names,
      podsOnEach: 1,
      state: { ...watched, podsSeen: 40 },
      message:
        'fake-cluster: the list of pods has 3 on the managed nodes, where the last pass makes one expect 40',
      found: { kind: 'podsLost', expected: 40, now: 3 },
    },
  ])('is a failure that says what was listed, and what to compare with: $name', async (row) => {
    const { cluster, client } = await readingOf(row.listed, row.podsOnEach, row.state);
    expect(cluster).toMatchObject({
      kind: 'failed',
      error: {
        message: row.message,
        kind: 'malformed',
        remedy:
          'nothing if it passes within two minutes; else compare with `kubectl get nodes` and `kubectl get pods -A`',
        found: row.found,
      },
    });
    expect(cluster).toMatchObject({ client, error: expect.any(ImplausibleReading) as unknown });
  });

  it('is none where what is gone is what may be', async () => {
    const { cluster } = await readingOf(names, 20, { ...watched, podsSeen: 40 });
    expect(cluster).toMatchObject({ kind: 'read', reading: { nodes: [{}, {}, {}] } });
  });
});

describe('reading the calendars', () => {
  it('knows of no events where none is configured', async () => {
    const { events, otherAsks } = await readOutside(aJob(), EMPTY_STATE);
    expect(events).toEqual({ standing: 'none', events: [] });
    expect(otherAsks).toEqual({ asks: [], areComplete: true });
  });

  it('falls back on the events that the state kept', async () => {
    const kept = { readAt: NINE - HOUR, source: 'term@example.edu', timeZone: 'UTC', events: [] };
    const job = aJob({ calendar: aCalendar(UNREADABLE) });
    const { events } = await readOutside(job, { ...EMPTY_STATE, keptEvents: kept });
    expect(events).toMatchObject({ standing: 'kept', readAt: NINE - HOUR });
  });

  it('reckons with what all calendars under its bounds ask, and says when one of them cannot be read', async () => {
    const own = aCalendar(asking('own', 3));
    const readable = aCalendar(asking('other', 4));
    const readAll = (others: readonly FleetCalendar[]) =>
      readOutside(
        aJob({ calendar: own, fleet: { caps: [], pools: POOLS, calendars: [own, ...others] } }),
        EMPTY_STATE,
      );
    const asks = [
      {
        address: POOLS[0],
        count: 4,
        eventId: 'other',
        eventTitle: 'other',
        startAt: NINE,
        endAt: NINE + HOUR,
      },
    ];
    expect((await readAll([readable])).otherAsks).toEqual({ asks, areComplete: true });
    expect((await readAll([aCalendar(UNREADABLE), readable])).otherAsks).toEqual({
      asks,
      areComplete: false,
    });
    // Its own events are read for itself, once.
    expect(own.reads).toEqual(['read', 'read']);
  });
});
