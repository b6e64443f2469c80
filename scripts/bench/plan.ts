/** `plan` over a term's worth of events: one calendar read, what each pool will hold, everything odd. */
import { parseSettings } from '../../functions/config/load.ts';
import type { CalendarEvent } from '../../functions/domain/event.ts';
import { makePlan } from '../../functions/plan/make-plan.ts';
import type { Calendar } from '../../functions/ports.ts';
import { figureOf } from './figure.ts';
import type { Findings } from './figure.ts';
import type { BenchContext, Scenario } from './scenario.ts';
import { timeRuns } from './timing.ts';

const START = Date.UTC(2026, 8, 1);
const HOUR = 3_600_000;
const DAYS = 28;

export const plan: Scenario = {
  name: 'plan',
  about: 'four weeks of a calendar laid out over the pools of a fleet, calendar already in memory',
  run: measure,
};

async function measure({ isSmoke }: BenchContext): Promise<Findings> {
  const clusters = isSmoke ? 2 : 20;
  const events = isSmoke ? 20 : 500;
  let reads = 0;
  const calendar: Calendar = {
    label: 'bench',
    read: () => {
      reads += 1;
      return Promise.resolve({ events: eventsOf(events), timeZone: 'UTC', findings: [] });
    },
  };
  const settings = parseSettings(
    configOf(clusters),
    { source: 'bench', folder: '/' },
    { kubeconfigPath: '' },
  );
  const window = { startAt: START, endAt: START + DAYS * 24 * HOUR };
  const make = () =>
    makePlan({
      settings,
      openCalendar: () => Promise.resolve(calendar),
      window,
      stop: new AbortController().signal,
    });
  const seconds = await timeRuns(make, { samples: isSmoke ? 2 : 10, runs: 1 });
  reads = 0;
  const made = await make();
  const pools = made.clusters.flatMap((cluster) => cluster.pools).length;
  return {
    figures: [
      figureOf(
        `${events} events, ${clusters} clusters, ${pools} pools`,
        'ms',
        seconds.map((one) => one * 1000),
      ),
    ],
    counts: [
      { name: 'calendar readings for one plan', expected: 1, found: reads },
      { name: 'pools in the plan', expected: clusters * 3, found: pools },
    ],
    bars: [],
    notes: [],
  };
}

function configOf(clusters: number): string {
  const one = (index: number) => ({
    cluster: `projects/p/locations/l/clusters/c${index}`,
    nodePools: Object.fromEntries(
      ['base', 'workshop', 'gpu'].map((pool) => [
        pool,
        { replicas: 1, resources: { requests: { cpu: '15500m' } } },
      ]),
    ),
  });
  // JSON is YAML.
  return JSON.stringify({
    calendarId: 'bench@example.edu',
    clusters: Object.fromEntries(
      Array.from({ length: clusters }, (_, index) => [`hub-${index}`, one(index)]),
    ),
  });
}

function eventsOf(count: number): readonly CalendarEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const startAt = START + ((index * 7919) % (DAYS * 24)) * HOUR;
    const key = index % 3 === 0 ? `hub-${index % 2}/base` : 'workshop';
    return {
      id: `e${index}`,
      title: `Class ${index}`,
      text: `${key}: ${2 + (index % 5)}`,
      startAt,
      endAt: startAt + 2 * HOUR,
    };
  });
}
