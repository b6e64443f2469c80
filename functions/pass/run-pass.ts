/** One pass over every cluster of the config, or over this task's share of them. */
import type { CalendarSettings, ClusterSettings, Settings } from '../config/settings.ts';
import type { Instant } from '../domain/instant.ts';
import type { Calendar, Cluster, Logger, StateStore } from '../ports.ts';
import { mapInTurns } from './bounded.ts';
import { runClusterPass } from './cluster-pass.ts';
import { startClusterDeadline } from './deadline.ts';
import type { Deadline } from './deadline.ts';
import { fleetsOf } from './fleet.ts';
import { reportFleet } from './fleet-report.ts';
import { calendarsOf } from './calendars.ts';
import type { ClusterJob, ClusterReport } from './job.ts';
import { reportFault } from './report.ts';
import { startWriteLog } from './writes.ts';

/**
 * Clusters that are begun at the same time. One that has not ended after the patience gives up its place and goes on
 * beside the others: a healthy one takes tenths of a second, so that is one which is dead, slow or very big.
 */
const CLUSTERS_AT_A_TIME = 16;
const PATIENCE_SECONDS = 3;

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
  const isFleet = settings.clusters.length > 1;
  const startedAt = performance.now();
  const clusters = await mapInTurns(jobs, { limit: CLUSTERS_AT_A_TIME, patience }, (job) =>
    // Its time counts from its turn.
    runGuarded(isFleet ? { ...job, deadline: startClusterDeadline(options.deadline) } : job),
  );
  // A task without a cluster says at least that.
  if (isFleet || options.task.count > 1) reportFleet(ports.log, clusters, { task: options.task, startedAt });
  return { exitCode: clusters.some(({ exitCode }) => exitCode !== 0) ? 1 : 0, clusters };
}

function patience(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PATIENCE_SECONDS * 1000).unref();
  });
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
  const { openCalendar, openCluster, state, log } = ports;
  const { now, deadline } = options;
  const calendars = calendarsOf(settings, { openCalendar, now, stop: deadline.stop });
  const fleetOf = fleetsOf(settings, calendars);
  return share.map((cluster) => ({
    ...options,
    settings: cluster,
    fleet: fleetOf(cluster.name),
    calendar: calendars.get(cluster.name),
    notices: cluster === settings.clusters[0] ? settings.notices : [],
    openCluster,
    state,
    log: log.child({ cluster: cluster.name }),
    writes: startWriteLog(),
  }));
}

/** A fault in this program at one cluster is that cluster's failure, not the end of the others. */
async function runGuarded(job: ClusterJob): Promise<ClusterReport> {
  const startedAt = performance.now();
  const report = await runClusterPass(job).catch((error: unknown) => reportFault(job, error));
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
