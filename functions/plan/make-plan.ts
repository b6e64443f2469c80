/** The coming days worked out: read the calendars, match, lay out. No cluster is asked. */
import type { CalendarSettings, ClusterSettings, Settings } from '../config/settings.ts';
import { matchRequests, type PoolAsk } from '../domain/demand.ts';
import { readDescription } from '../domain/description.ts';
import type { Finding } from '../domain/event.ts';
import { groupFindings, type FindingGroup } from '../domain/finding-group.ts';
import type { Window } from '../domain/instant.ts';
import { buildTimeline, type PoolTimeline, type TimelinePool } from '../domain/timeline.ts';
import { reviewTimeline, type Review } from '../domain/timeline-review.ts';
import { OutsideError } from '../errors.ts';
import type { Calendar } from '../ports.ts';

export interface Plan {
  readonly window: Window;
  readonly calendars: readonly PlannedCalendar[];
  readonly clusters: readonly PlannedCluster[];
  readonly findings: readonly FindingGroup[];
  readonly review: Review;
  readonly notices: readonly string[];
}

/** One calendar and how it went. */
export type PlannedCalendar =
  | { readonly kind: 'read'; readonly label: string; readonly timeZone: string; readonly eventCount: number }
  | { readonly kind: 'unreadable'; readonly label: string; readonly error: OutsideError };

export interface PlannedCluster {
  readonly name: string;
  /** Undefined: none is configured, so baselines hold throughout. */
  readonly calendar: PlannedCalendar | undefined;
  readonly pools: readonly PlannedPool[];
}

export interface PlannedPool extends PoolTimeline {
  readonly calendarOverrideEnabled: boolean;
}

export interface PlanQuery {
  readonly settings: Settings;
  readonly openCalendar: (settings: CalendarSettings) => Promise<Calendar>;
  readonly window: Window;
  readonly stop: AbortSignal;
}

/** Longest that reading all calendars may take; they are read at the same time. */
const READING_MILLIS = 60_000;

interface ReadCalendar {
  readonly planned: PlannedCalendar;
  readonly asks: readonly PoolAsk[];
  readonly findings: readonly Finding[];
}

/** @throws whatever is no failure of the outside. */
export async function makePlan({ settings, openCalendar, window, stop }: PlanQuery): Promise<Plan> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(READING_MILLIS)]);
  const groups = Map.groupBy(settings.clusters, ({ calendar }) => JSON.stringify(calendar));
  const readings = new Map<string, ReadCalendar>();
  await Promise.all(
    [...groups].map(async ([key, clusters]) => {
      const calendar = clusters.at(0)?.calendar;
      if (calendar !== undefined) {
        readings.set(
          key,
          await readOne(clusters, () => openCalendar(calendar), { calendar, window, signal }),
        );
      }
    }),
  );
  const inOrder = [...groups.keys()]
    .map((key) => readings.get(key))
    .filter((reading) => reading !== undefined);
  const asks = inOrder.flatMap((reading) => reading.asks);
  const timelines = buildTimeline({
    asks,
    pools: settings.clusters.flatMap(timelinePools),
    window,
    caps: settings.caps,
  });
  return {
    window,
    calendars: inOrder.map(({ planned }) => planned),
    clusters: settings.clusters.map((cluster) => ({
      name: cluster.name,
      calendar: readings.get(JSON.stringify(cluster.calendar))?.planned,
      pools: plannedPools(cluster, timelines),
    })),
    findings: groupFindings(inOrder.flatMap(({ findings }) => findings)),
    review: reviewTimeline(timelines, asks),
    notices: settings.notices,
  };
}

interface ReadingContext {
  readonly calendar: CalendarSettings;
  readonly window: Window;
  readonly signal: AbortSignal;
}

/** A calendar that cannot be read leaves the others their plan. */
async function readOne(
  clusters: readonly ClusterSettings[],
  open: () => Promise<Calendar>,
  { calendar: { source }, window, signal }: ReadingContext,
): Promise<ReadCalendar> {
  // A file's address may be a password; until the calendar is open, only its id is fit to print.
  let label = source.kind === 'google' ? source.calendarId : 'calendarUrl';
  try {
    const calendar = await open();
    label = calendar.label;
    const reading = await calendar.read({ fromAt: window.startAt, toAt: window.endAt }, signal);
    const pools = clusters.flatMap(timelinePools);
    const read = reading.events.map((event) =>
      readDescription(event, [...new Set(pools.map(({ pool }) => pool))]),
    );
    const matched = matchRequests(
      read.map(({ event }) => event),
      pools,
    );
    return {
      planned: { kind: 'read', label, timeZone: reading.timeZone, eventCount: reading.events.length },
      asks: matched.asks,
      findings: [...reading.findings, ...read.flatMap(({ findings }) => findings), ...matched.findings],
    };
  } catch (error) {
    if (error instanceof OutsideError) {
      return { planned: { kind: 'unreadable', label, error }, asks: [], findings: [] };
    }
    throw error;
  }
}

function timelinePools({ name, pools }: ClusterSettings): readonly TimelinePool[] {
  return pools.map(({ settings }) => ({
    cluster: name,
    pool: settings.name,
    baseline: settings.baseline,
    maxReplicas: settings.maxReplicas,
  }));
}

function plannedPools(cluster: ClusterSettings, timelines: readonly PoolTimeline[]): readonly PlannedPool[] {
  return cluster.pools.flatMap(({ settings }) =>
    timelines
      .filter(({ pool }) => pool.cluster === cluster.name && pool.pool === settings.name)
      .map((timeline) => ({ ...timeline, calendarOverrideEnabled: settings.calendarOverrideEnabled })),
  );
}
