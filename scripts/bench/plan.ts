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
const FLEET = { clusters: 20, events: 500, days: 28 };
const TERM = { clusters: 1, events: 2000, days: 120 };
const SMOKE = { clusters: 2, events: 20, days: 28 };

export const plan: Scenario = {
  name: 'plan',
  about: 'four weeks laid out over a fleet, and a term over one cluster, calendar already in memory',
  run: measure,
};

interface Size {
  readonly clusters: number;
  readonly events: number;
  readonly days: number;
}

async function measure({ isSmoke }: BenchContext): Promise<Findings> {
  const fleet = await measureSize(isSmoke ? SMOKE : FLEET, isSmoke);
  const term = await measureSize(isSmoke ? SMOKE : TERM, isSmoke);
  const found = term.figures.at(0)?.median ?? Number.NaN;
  return {
    figures: [...fleet.figures, ...term.figures],
    counts: [...fleet.counts, ...term.counts],
    bars: [{ name: 'a term: median', atMost: 2000, found, unit: 'ms' }],
    notes: [],
  };
}

async function measureSize(
  { clusters, events, days }: Size,
  isSmoke: boolean,
): Promise<Pick<Findings, 'figures' | 'counts'>> {
  let reads = 0;
  const calendar: Calendar = {
    label: 'bench',
    read: () => {
      reads += 1;
      return Promise.resolve({ events: eventsOf(events, days), timeZone: 'UTC', findings: [] });
    },
  };
  const settings = parseSettings(
    configOf(clusters),
    { source: 'bench', folder: '/' },
    { kubeconfigPath: '' },
  );
  const window = { startAt: START, endAt: START + days * 24 * HOUR };
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
        `${events} events, ${days} days, ${pools} pools`,
        'ms',
        seconds.map((one) => one * 1000),
      ),
    ],
    counts: [
      { name: 'calendar readings for one plan', expected: 1, found: reads },
      { name: 'pools in the plan', expected: clusters * 3, found: pools },
    ],
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

function eventsOf(count: number, days: number): readonly CalendarEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const startAt = START + ((index * 7919) % (days * 24)) * HOUR;
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
