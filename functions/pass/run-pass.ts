/** One pass over every cluster of the config, or over this task's share of them. */
import type { CalendarSettings, ClusterSettings, Settings } from '../config/settings.ts';
import type { Instant } from '../domain/instant.ts';
import { OutsideError } from '../errors.ts';
import type { Calendar, Cluster, Logger, StateStore } from '../ports.ts';
import { mapBounded } from './bounded.ts';
import { runClusterPass } from './cluster-pass.ts';
import type { Deadline } from './deadline.ts';
import { calendarsOf, fleetPools } from './calendars.ts';
import type { ClusterJob, ClusterReport } from './job.ts';

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
  const { openCalendar, openCluster, state, log } = ports;
  const { now, deadline } = options;
  const calendars = calendarsOf(settings, { openCalendar, now, stop: deadline.stop });
  const fleet = {
    pools: fleetPools(settings),
    maxReplicasTotal: settings.maxReplicasTotal,
    calendars: [...new Set(calendars.values())],
  };
  return share.map((cluster) => ({
    ...options,
    settings: cluster,
    fleet,
    calendar: calendars.get(cluster.name),
    notices: cluster === settings.clusters[0] ? settings.notices : [],
    openCluster,
    state,
    log: log.child({ cluster: cluster.name }),
  }));
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
