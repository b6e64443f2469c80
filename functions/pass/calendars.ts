/** The calendars of a fleet: each read once in a pass, whoever asks first, and speaking only to its own clusters. */
import type { CalendarSettings, Settings } from '../config/settings.ts';
import { matchRequests } from '../domain/demand.ts';
import type { PoolAsk } from '../domain/demand.ts';
import type { Instant } from '../domain/instant.ts';
import { hashOf } from '../domain/template-hash.ts';
import type { Calendar } from '../ports.ts';
import { readCalendar } from './events.ts';
import type { CalendarOutcome } from './events.ts';
import type { FleetPool } from './job.ts';

export interface FleetCalendar {
  /** Those that its entries may name. */
  readonly pools: readonly FleetPool[];
  /** The cluster that reports what is wrong with its entries. */
  readonly reporter: string;
  /** One reading for all who ask. */
  readonly read: () => Promise<CalendarOutcome>;
}

export interface CalendarReader {
  readonly openCalendar: (settings: CalendarSettings) => Promise<Calendar>;
  readonly now: Instant;
  readonly stop: AbortSignal;
}

/** By the name of each cluster; clusters with the same calendar settings have one between them. */
export function calendarsOf(settings: Settings, reader: CalendarReader): ReadonlyMap<string, FleetCalendar> {
  const bySettings = new Map<string, FleetCalendar>();
  const byCluster = new Map<string, FleetCalendar>();
  for (const { name, calendar } of settings.clusters) {
    if (calendar === undefined) continue;
    const key = JSON.stringify(calendar);
    let shared = bySettings.get(key);
    if (shared === undefined) {
      const sharers = settings.clusters.filter((cluster) => JSON.stringify(cluster.calendar) === key);
      const pools = fleetPools({ clusters: sharers });
      shared = { pools, reporter: name, read: readOnce(calendar, pools, reader) };
      bySettings.set(key, shared);
    }
    byCluster.set(name, shared);
  }
  return byCluster;
}

export function fleetPools({ clusters }: Pick<Settings, 'clusters'>): readonly FleetPool[] {
  return clusters.flatMap((cluster) =>
    cluster.pools.map(({ settings: { name, baseline, maxReplicas } }) => ({
      cluster: cluster.name,
      pool: name,
      baseline,
      maxReplicas,
    })),
  );
}

/** What calendars of other clusters ask, for bounds over all of them. */
export interface OtherAsks {
  readonly asks: readonly PoolAsk[];
  /** False when one could not be read: its pools then stand at their baselines. */
  readonly areComplete: boolean;
}

export async function asksOf(calendars: readonly FleetCalendar[]): Promise<OtherAsks> {
  const answers = await Promise.all(
    calendars.map(async ({ pools, read }) => {
      const outcome = await read();
      return outcome.kind === 'read' ? matchRequests(outcome.events, pools).asks : undefined;
    }),
  );
  return {
    asks: answers.flatMap((asks) => asks ?? []),
    areComplete: answers.every((asks) => asks !== undefined),
  };
}

function readOnce(
  settings: CalendarSettings,
  pools: readonly FleetPool[],
  { openCalendar, now, stop }: CalendarReader,
): () => Promise<CalendarOutcome> {
  let reading: Promise<CalendarOutcome> | undefined;
  const poolNames = [...new Set(pools.map(({ pool }) => pool))];
  const label = labelOf(settings);
  const start = () => readCalendar(() => openCalendar(settings), { label, now, poolNames, stop });
  return () => (reading ??= start());
}

/** Kept with the events, so the secret in an ICS address must not be in it. */
function labelOf({ source }: CalendarSettings): string {
  return source.kind === 'google' ? source.calendarId : `ics ${hashOf(source.url)}`;
}
