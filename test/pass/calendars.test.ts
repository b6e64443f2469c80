import { describe, expect, it } from 'vitest';
import type { CalendarSettings, ClusterSettings, Settings } from '../../functions/config/settings.ts';
import type { Cap } from '../../functions/domain/cap.ts';
import type { CalendarEvent } from '../../functions/domain/event.ts';
import { calendarsOf } from '../../functions/pass/calendars.ts';
import { runPass } from '../../functions/pass/run-pass.ts';
import { MemoryStateStore } from '../../functions/state/memory.ts';
import {
  aDeployment,
  anEvent,
  CapturedLog,
  ClusterWorld,
  FakeCalendar,
  FakeCluster,
  Outside,
  outsideError,
} from '../support/fakes.ts';
import { aClusterOf, aDeadline, aPool, aScene, capOver, MINUTE, NINE, replicas, troubles } from './scene.ts';

const calendarOf = (calendarId: string): CalendarSettings => ({
  source: { kind: 'google', calendarId },
  timeZone: undefined,
  staleAfterSeconds: 86_400,
});

interface FleetOptions {
  readonly caps?: readonly Cap[];
  /** Replicas of the Deployment of `base` in some clusters. */
  readonly live?: Readonly<Partial<Record<'west' | 'east' | 'lab', number>>>;
  readonly unreadable?: 'shared' | 'own';
  readonly zoneOfEast?: string;
}

const total = (most: number) => capOver('maxReplicasTotal', most, ['west', 'east', 'lab']);
const ofShared = (most: number) => capOver('calendarMaxReplicas', most, ['west', 'east']);
const ofOwn = (most: number) => capOver('calendarMaxReplicas', most, ['lab']);

/** `west` and `east` share the calendar `shared`, `lab` has one of its own; each has the pool `base`, `lab` also `gpu`. */
async function passOverFleet(
  entries: Readonly<Record<'shared' | 'own', readonly CalendarEvent[]>>,
  { caps = [], live = {}, unreadable, zoneOfEast }: FleetOptions = {},
) {
  const outside = new Outside();
  const log = new CapturedLog();
  const worlds = { west: new ClusterWorld(), east: new ClusterWorld(), lab: new ClusterWorld() };
  for (const [name, replicas] of Object.entries(live)) {
    worlds[name as keyof typeof worlds].put(aDeployment({ replicas }));
  }
  const settings: Settings = {
    source: 'config.yaml',
    clusters: [
      aClusterOf([aPool('base')], { name: 'west', calendar: calendarOf('shared') }),
      aClusterOf([aPool('base')], {
        name: 'east',
        calendar: { ...calendarOf('shared'), timeZone: zoneOfEast },
      }),
      aClusterOf([aPool('base'), aPool('gpu')], { name: 'lab', calendar: calendarOf('own') }),
    ],
    caps,
    notices: [],
  };
  const calendars = {
    shared: new FakeCalendar(outside, entries.shared),
    own: new FakeCalendar(outside, entries.own),
  };
  await runPass(
    settings,
    {
      openCalendar: ({ source }) => {
        const name = JSON.stringify(source).includes('shared') ? 'shared' : 'own';
        return name === unreadable
          ? Promise.reject(outsideError('calendar.read', 'unavailable'))
          : Promise.resolve(calendars[name]);
      },
      openCluster: ({ name }) =>
        Promise.resolve(new FakeCluster(outside, worlds[name as keyof typeof worlds])),
      state: new MemoryStateStore(),
      log,
    },
    {
      now: NINE,
      owner: 'pass',
      deadline: aDeadline(new AbortController().signal),
      isDryRun: false,
      task: { index: 0, count: 1 },
    },
  );
  const count = (name: keyof typeof worlds, pool: string) => worlds[name].replicas(`${pool}-placeholder`);
  return {
    counts: [count('west', 'base'), count('east', 'base'), count('lab', 'base'), count('lab', 'gpu')],
    calendarReads: outside.callsOf('calendar.read').length,
    upcoming: log
      .at('info')
      .flatMap(({ fields }) => (fields['event'] === 'pass_summary' ? [fields['findings']] : [])),
    reasons: log
      .at('info')
      .flatMap(({ fields }) => (fields['event'] === 'pool_decision' ? [fields['reason']] : [])),
    problems: log.at('warn').map(({ fields }) => String(fields['problem'] ?? fields['remedy'])),
  };
}

describe('the calendars of a fleet', () => {
  it('are each read once, and speak to the pools of their own clusters', async () => {
    const { counts, calendarReads } = await passOverFleet({
      shared: [anEvent({ text: 'base: 3' })],
      own: [anEvent({ text: 'gpu: 2' })],
    });
    expect(counts).toEqual([3, 3, 1, 2]);
    expect(calendarReads).toBe(2);
  });

  it('speak to one cluster by its name', async () => {
    const { counts } = await passOverFleet({ shared: [anEvent({ text: 'east/base: 4' })], own: [] });
    expect(counts).toEqual([1, 4, 1, 1]);
  });

  it('report, once, a name that only a cluster on another calendar has', async () => {
    const { problems, upcoming } = await passOverFleet({ shared: [anEvent({ text: 'gpu: 2' })], own: [] });
    expect(problems).toEqual([expect.stringContaining('gpu')]);
    // And counted once: each cluster that counts it is an alert of its own.
    expect(upcoming.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual([
      { upcoming: 0 },
      { upcoming: 0 },
      { upcoming: 1 },
    ]);
  });

  it('are bounded together, each cluster reckoning with what the others are asked', async () => {
    const { counts } = await passOverFleet(
      { shared: [anEvent({ text: 'east/base: 9' })], own: [anEvent({ text: 'gpu: 9' })] },
      { caps: total(12) },
    );
    // Four baselines come first; the eight that are left are shared by two that ask for eight more each.
    expect(counts).toEqual([1, 5, 1, 5]);
  });

  it('are bounded each for itself, each by its own cap', async () => {
    const entries = { shared: [anEvent({ text: 'base: 9' })], own: [anEvent({ text: 'base: 9\ngpu: 9' })] };
    const { counts, reasons } = await passOverFleet(entries, { caps: [...ofShared(6), ...ofOwn(5)] });
    // The odd one of the three that `lab` has left goes to its first pool.
    expect(counts).toEqual([3, 3, 3, 2]);
    expect(reasons.map(String).toSorted()).toEqual([
      "2 = event 'Data 8 lab' asks 9, cut to 2 by calendarMaxReplicas",
      "3 = event 'Data 8 lab' asks 9, cut to 3 by calendarMaxReplicas",
      "3 = event 'Data 8 lab' asks 9, cut to 3 by calendarMaxReplicas",
      "3 = event 'Data 8 lab' asks 9, cut to 3 by calendarMaxReplicas",
    ]);
  });

  it('are not bounded by the cap of another', async () => {
    const entries = { shared: [anEvent({ text: 'base: 9' })], own: [anEvent({ text: 'base: 9' })] };
    expect((await passOverFleet(entries, { caps: ofOwn(5) })).counts).toEqual([9, 9, 4, 1]);
  });

  it('are under one cap when two clusters read the same one in two time zones', async () => {
    const entries = { shared: [anEvent({ text: 'base: 9' })], own: [] };
    const { counts, calendarReads } = await passOverFleet(entries, {
      caps: ofShared(6),
      zoneOfEast: 'Europe/Berlin',
    });
    expect(counts).toEqual([3, 3, 1, 1]);
    expect(calendarReads).toBe(3);
  });

  it('are bounded together by what their own caps left', async () => {
    const entries = { shared: [anEvent({ text: 'base: 9' })], own: [anEvent({ text: 'gpu: 9' })] };
    const { counts, reasons, problems } = await passOverFleet(entries, {
      caps: [...ofShared(6), ...total(14)],
    });
    // 3 + 3 + 1 + 9 are two too many; twelve were asked beyond the baselines and ten are left.
    expect(counts).toEqual([3, 3, 1, 7]);
    expect(reasons).toContain("7 = event 'Data 8 lab' asks 9, cut to 7 by maxReplicasTotal");
    // Each cluster tells of the caps over it, and of no other calendar's.
    expect(problems.map((problem) => problem.split(',')[0]).toSorted()).toEqual([
      'raise calendarMaxReplicas',
      'raise calendarMaxReplicas',
      'raise maxReplicasTotal',
      'raise maxReplicasTotal',
      'raise maxReplicasTotal',
    ]);
  });

  it('lower nothing elsewhere while one cannot be read, though its cool-off would leave the others more', async () => {
    const entries = {
      shared: [anEvent({ text: 'west/base: 9' })],
      own: [anEvent({ text: 'base: 0\ngpu: 0' })],
    };
    const read = await passOverFleet(entries, { caps: total(8) });
    const unread = await passOverFleet(entries, { caps: total(8), live: { west: 7 }, unreadable: 'own' });
    expect(read.counts).toEqual([7, 1, 0, 0]);
    expect(unread.counts).toEqual([7, 1, 1, 1]);
    expect(unread.reasons).toContain(
      "7 = event 'Data 8 lab' asks 9, cut to 5 by maxReplicasTotal, held at the live 7: another calendar under the same cap cannot be read",
    );
  });

  it('keep what stands while they cannot be read, though it is more than their cap', async () => {
    const { counts } = await passOverFleet(
      { shared: [], own: [anEvent({ text: 'base: 9' })] },
      { caps: [...ofShared(6), ...ofOwn(5)], live: { west: 8, east: 5 }, unreadable: 'shared' },
    );
    expect(counts).toEqual([8, 5, 4, 1]);
  });
});

describe('sharing a calendar', () => {
  const stop = new AbortController().signal;

  function share(clusters: readonly ClusterSettings[], events: readonly CalendarEvent[] = []) {
    const opened: CalendarSettings[] = [];
    const outside = new Outside();
    const openCalendar = (settings: CalendarSettings) => {
      opened.push(settings);
      return Promise.resolve(new FakeCalendar(outside, events));
    };
    const settings = { source: 'config.yaml', clusters, caps: [], notices: [] };
    return { calendars: calendarsOf(settings, { openCalendar, now: NINE, stop }), opened, outside };
  }

  const clusterWith = (name: string, calendar: CalendarSettings | undefined, pools = ['base']) =>
    aClusterOf(
      pools.map((pool) => aPool(pool, { baseline: 2, maxReplicas: 7 })),
      { name, calendar },
    );
  const placeOf = (cluster: string, pool: string) => ({ cluster, pool, baseline: 2, maxReplicas: 7 });

  it('takes the same settings to the letter; the first of those that share it reports for all', () => {
    const { calendars } = share([
      clusterWith('bare', undefined),
      clusterWith('west', calendarOf('shared'), ['base', 'gpu']),
      clusterWith('lab', calendarOf('own')),
      clusterWith('east', calendarOf('shared')),
      clusterWith('late', { ...calendarOf('shared'), staleAfterSeconds: 60 }),
    ]);
    expect([...calendars.keys()]).toEqual(['west', 'lab', 'east', 'late']);
    expect([...calendars.values()].map(({ reporter }) => reporter)).toEqual(['west', 'lab', 'west', 'late']);
    expect(calendars.get('east')).toBe(calendars.get('west'));
    expect(calendars.get('west')?.pools).toEqual([
      placeOf('west', 'base'),
      placeOf('west', 'gpu'),
      placeOf('east', 'base'),
    ]);
    expect(calendars.get('late')?.pools).toEqual([placeOf('late', 'base')]);
  });

  it('reads nothing before it is asked, and then once, for 48 hours from now', async () => {
    const settings = calendarOf('shared');
    const { calendars, opened, outside } = share([
      clusterWith('west', settings),
      clusterWith('east', settings),
    ]);
    expect(opened).toEqual([]);
    const west = await calendars.get('west')?.read();
    expect(await calendars.get('east')?.read()).toBe(west);
    expect(opened).toEqual([settings]);
    expect(outside.callsOf('calendar.read').map(({ detail }) => detail)).toEqual([
      { fromAt: NINE, toAt: NINE + 48 * 60 * MINUTE },
    ]);
  });

  it('reports a sentence that names a pool of any cluster that shares it', async () => {
    const { calendars } = share(
      [clusterWith('west', calendarOf('shared')), clusterWith('east', calendarOf('shared'), ['gpu', 'base'])],
      [anEvent({ text: 'please keep some gpu nodes for us\nand base ones' })],
    );
    expect(await calendars.get('west')?.read()).toMatchObject({
      kind: 'read',
      findings: [{ line: 1 }, { line: 2 }],
    });
  });

  it.each([
    {
      name: 'the id of a Google calendar',
      source: calendarOf('term@example.edu').source,
      label: /^term@example\.edu$/,
    },
    {
      name: 'a hash of an address, which may have a secret in it',
      source: { kind: 'ics', url: 'https://example.edu/private-1234/basic.ics' },
      label: /^ics [0-9a-f]{8,}$/,
    },
  ] as const)('is known in what is kept of it by $name', async ({ source, label }) => {
    const { calendars } = share([clusterWith('west', { ...calendarOf(''), source })]);
    expect(await calendars.get('west')?.read()).toMatchObject({
      label: expect.stringMatching(label) as string,
    });
  });

  it('is told to stop with the pass', async () => {
    const stopping = new AbortController();
    const outside = new Outside();
    outside.hangNext('calendar.read');
    const clusters = [clusterWith('west', calendarOf('shared'))];
    const calendars = calendarsOf(
      { source: 'config.yaml', clusters, caps: [], notices: [] },
      {
        openCalendar: () => Promise.resolve(new FakeCalendar(outside)),
        now: NINE,
        stop: stopping.signal,
      },
    );
    const reading = calendars.get('west')?.read();
    await new Promise(setImmediate);
    stopping.abort();
    expect(await reading).toMatchObject({ kind: 'unreadable', error: { kind: 'aborted' } });
  });
});

describe('a cluster without a calendar', () => {
  it('asks none, and counts by the baselines, also under a bound over the fleet', async () => {
    const scene = aScene({ cluster: { calendar: undefined }, events: [anEvent()], maxReplicasTotal: 10 });
    expect((await scene.pass()).exitCode).toBe(0);
    expect(scene.outside.callsOf('calendar.read')).toEqual([]);
    expect(replicas(scene)).toEqual({ base: 1, workshop: 1 });
    expect(troubles(scene)).toEqual([]);
  });
});
