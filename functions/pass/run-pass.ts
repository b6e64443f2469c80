/** One pass over every cluster of the config, or over this task's share of them. */
import type { CalendarSettings, ClusterSettings, Settings } from '../config/settings.ts';
import type { Instant } from '../domain/instant.ts';
import { hashOf } from '../domain/template-hash.ts';
import { OutsideError } from '../errors.ts';
import type { Calendar, Cluster, Logger, StateStore } from '../ports.ts';
import { mapBounded } from './bounded.ts';
import { runClusterPass } from './cluster-pass.ts';
import type { Deadline } from './deadline.ts';
import { readCalendar } from './events.ts';
import type { CalendarOutcome } from './events.ts';
import type { ClusterJob, ClusterReport, Fleet } from './job.ts';

/** Clusters that are read and written at the same time: a dead one takes up one place, no more. */
const CLUSTERS_AT_A_TIME = 16;

export interface PassPorts {
  /** @throws CalendarError when the settings name a calendar that cannot even be asked. */
  readonly openCalendar: (settings: CalendarSettings) => Promise<Calendar>;
  /** @throws ClusterError */
  readonly openCluster: (settings: ClusterSettings, signal: AbortSignal) => Promise<Cluster>;
  readonly state: StateStore;
  readonly log: Logger;
}

export interface PassOptions {
  readonly now: Instant;
  /** Names this pass and no other: the execution and task in the cloud. */
  readonly owner: string;
  readonly deadline: Deadline;
  readonly isDryRun: boolean;
  /** This task's share of the clusters: every `count`-th, from `index`. */
  readonly task: { readonly index: number; readonly count: number };
}

export interface PassReport {
  readonly exitCode: 0 | 1;
  readonly clusters: readonly ClusterReport[];
}

export async function runPass(
  settings: Settings,
  ports: PassPorts,
  options: PassOptions,
): Promise<PassReport> {
  const share = settings.clusters.filter((_, index) => index % options.task.count === options.task.index);
  const jobs = createJobs(settings, share, { ports, options });
  const clusters = await mapBounded(jobs, CLUSTERS_AT_A_TIME, runGuarded);
  return { exitCode: clusters.some(({ exitCode }) => exitCode !== 0) ? 1 : 0, clusters };
}

interface Wiring {
  readonly ports: PassPorts;
  readonly options: PassOptions;
}

function createJobs(
  settings: Settings,
  share: readonly ClusterSettings[],
  { ports, options }: Wiring,
): readonly ClusterJob[] {
  const fleet = fleetOf(settings);
  const calendars = new Map<
    string,
    { readonly read: () => Promise<CalendarOutcome>; readonly first: string }
  >();
  for (const cluster of settings.clusters) {
    const { calendar, name } = cluster;
    const key = JSON.stringify(calendar);
    if (calendar === undefined || calendars.has(key)) continue;
    const poolNames = poolNamesOf(settings, key);
    calendars.set(key, { read: readOnce(calendar, poolNames, { ports, options }), first: name });
  }
  return share.map((cluster) => {
    const calendar = calendars.get(JSON.stringify(cluster.calendar));
    return {
      ...options,
      settings: cluster,
      fleet,
      readCalendar: calendar?.read,
      reportsFindings: calendar?.first === cluster.name,
      notices: cluster === settings.clusters[0] ? settings.notices : [],
      openCluster: ports.openCluster,
      state: ports.state,
      log: ports.log.child({ cluster: cluster.name }),
    };
  });
}

/** Clusters that share a calendar share one reading of it, started by the first that holds its lease. */
function readOnce(
  settings: CalendarSettings,
  poolNames: readonly string[],
  { ports, options }: Wiring,
): () => Promise<CalendarOutcome> {
  let reading: Promise<CalendarOutcome> | undefined;
  const { now, deadline } = options;
  const label = labelOf(settings);
  const start = () =>
    readCalendar(() => ports.openCalendar(settings), { label, now, poolNames, stop: deadline.stop });
  return () => (reading ??= start());
}

/** Kept with the events, so the secret in an ICS address must not be in it. */
function labelOf({ source }: CalendarSettings): string {
  return source.kind === 'google' ? source.calendarId : `ics ${hashOf(source.url)}`;
}

function fleetOf({ clusters, maxReplicasTotal }: Settings): Fleet {
  const pools = clusters.flatMap((cluster) =>
    cluster.pools.map(({ settings: { name, baseline, maxReplicas } }) => ({
      cluster: cluster.name,
      pool: name,
      baseline,
      maxReplicas,
    })),
  );
  return { pools, maxReplicasTotal };
}

function poolNamesOf({ clusters }: Settings, calendar: string | undefined): readonly string[] {
  const speaking = clusters.filter((cluster) => JSON.stringify(cluster.calendar) === calendar);
  return [...new Set(speaking.flatMap(({ pools }) => pools.map(({ settings }) => settings.name)))];
}

/** A fault in this program at one cluster is that cluster's failure, not the end of the others. */
async function runGuarded(job: ClusterJob): Promise<ClusterReport> {
  const startedAt = performance.now();
  const report = await runClusterPass(job).catch((error: unknown) => crashed(job, error));
  const { degradedSinceAt, findings, ...rest } = report;
  job.log.info('pass summary', {
    event: 'pass_summary',
    ...rest,
    degraded: degradedSinceAt !== undefined,
    degradedSince: degradedSinceAt === undefined ? undefined : new Date(degradedSinceAt).toISOString(),
    findings: { upcoming: findings },
    durationMs: Math.round(performance.now() - startedAt),
    dryRun: job.isDryRun ? true : undefined,
  });
  return report;
}

function crashed(job: ClusterJob, error: unknown): ClusterReport {
  const remedy =
    error instanceof OutsideError
      ? error.remedy
      : 'report this with the line above it: it is a fault of the program';
  job.log.error('pass over this cluster ended early: it is left as it is', { error, remedy });
  return {
    cluster: job.settings.name,
    outcome: 'failed',
    exitCode: 1,
    degradedSinceAt: undefined,
    findings: 0,
    requests: {},
    reading: undefined,
    pools: [],
  };
}
