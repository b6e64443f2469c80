import { describe, expect, it } from 'vitest';
import type { CalendarSettings, Settings } from '../../functions/config/settings.ts';
import type { Cap } from '../../functions/domain/cap.ts';
import type { CalendarEvent } from '../../functions/domain/event.ts';
import { runPass } from '../../functions/pass/run-pass.ts';
import { MemoryStateStore } from '../../functions/state/memory.ts';
import { anEvent, CapturedLog, ClusterWorld, FakeCalendar, FakeCluster, Outside } from '../support/fakes.ts';
import { aClusterOf, aDeadline, aPool, NINE } from './scene.ts';

const calendarOf = (calendarId: string): CalendarSettings => ({
  source: { kind: 'google', calendarId },
  timeZone: undefined,
  staleAfterSeconds: 86_400,
});

/** `west` and `east` share the calendar `shared`, `lab` has one of its own; each has the pool `base`, `lab` also `gpu`. */
async function passOverFleet(
  entries: Readonly<Record<'shared' | 'own', readonly CalendarEvent[]>>,
  caps: readonly Cap[] = [],
) {
  const outside = new Outside();
  const log = new CapturedLog();
  const worlds = { west: new ClusterWorld(), east: new ClusterWorld(), lab: new ClusterWorld() };
  const settings: Settings = {
    source: 'config.yaml',
    clusters: [
      aClusterOf([aPool('base')], { name: 'west', calendar: calendarOf('shared') }),
      aClusterOf([aPool('base')], { name: 'east', calendar: calendarOf('shared') }),
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
      openCalendar: ({ source }) =>
        Promise.resolve(JSON.stringify(source).includes('shared') ? calendars.shared : calendars.own),
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
      [{ name: 'maxReplicasTotal', most: 12, clusters: new Set(['west', 'east', 'lab']) }],
    );
    // Four baselines come first; the eight that are left are shared by two that ask for eight more each.
    expect(counts).toEqual([1, 5, 1, 5]);
  });
});
