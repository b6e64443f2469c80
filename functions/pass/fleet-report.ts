/** The sum of a pass over a fleet: one line after those of its clusters. */
import type { Logger } from '../ports.ts';
import type { ClusterReport, Outcome } from './job.ts';

/** Names that the line carries; each of them has lines of its own that say why. */
const MOST_NAMES = 20;

export interface FleetPass {
  readonly task: { readonly index: number; readonly count: number };
  /** By the clock that durations are taken from. */
  readonly startedAt: number;
}

export function reportFleet(
  log: Logger,
  reports: readonly ClusterReport[],
  { task, startedAt }: FleetPass,
): void {
  const pools = reports.flatMap((report) => report.pools);
  const notOk = reports.filter(({ outcome }) => outcome === 'failed' || outcome === 'stopped');
  log.info('fleet summary', {
    event: 'fleet_summary',
    clusters: reports.length,
    outcomes: countOutcomes(reports),
    notOk: notOk.slice(0, MOST_NAMES).map(({ cluster }) => cluster),
    pools: pools.length,
    wanted: pools.reduce((sum, { wanted }) => sum + wanted, 0),
    requests: sumRequests(reports),
    task: task.count > 1 ? `${task.index + 1} of ${task.count}` : undefined,
    durationMs: Math.round(performance.now() - startedAt),
  });
}

function countOutcomes(reports: readonly ClusterReport[]): Readonly<Partial<Record<Outcome, number>>> {
  const counts: Partial<Record<Outcome, number>> = {};
  for (const { outcome } of reports) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

function sumRequests(reports: readonly ClusterReport[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const [verb, count] of reports.flatMap(({ requests }) => Object.entries(requests))) {
    sums[verb] = (sums[verb] ?? 0) + count;
  }
  return sums;
}
