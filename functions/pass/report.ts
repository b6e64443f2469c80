/** The lines of a pass and its summary: who reads only these can say why every count is what it is. */
import type { Instant } from '../domain/instant.ts';
import { deploymentName } from '../domain/placeholder.ts';
import type { LiveDeployment } from '../domain/placeholder.ts';
import { allWarmAt, pendingMessage } from '../domain/spares-text.ts';
import { OutsideError } from '../errors.ts';
import type { LastPass, ReadPlan } from '../ports.ts';
import type { Applied } from './apply.ts';
import type { Claim } from './claim.ts';
import { wasCutShort } from './events.ts';
import type { EventSet } from './events.ts';
import type { ClusterJob, ClusterReport, Outcome, PoolReport } from './job.ts';
import type { PoolPlan } from './plan.ts';

// ---- what failed ----

export function stateUnread(job: ClusterJob, error: OutsideError): void {
  failure(job, 'state could not be read: no count is lowered in this pass', error);
}

export function stateUnwritten(job: ClusterJob, error: OutsideError): void {
  failure(job, 'state could not be written: no count is lowered in this pass', error);
}

export function outcomeUnsaved(job: ClusterJob, error: OutsideError): void {
  // Nothing expires then: a later pass has the lease, or the stored state was deleted; the remedy says which.
  if (error.kind === 'fenced') failure(job, 'outcome could not be saved: the lease was lost', error);
  else failure(job, 'outcome could not be saved: the lease expires by itself', error);
}

export function clusterUnread(job: ClusterJob, error: OutsideError): void {
  failure(job, 'cluster could not be read: it is left as it is', error);
}

export function relabellingFailed(job: ClusterJob, error: OutsideError): void {
  failure(job, 'placeholders could not be marked warm: the next pass tries again', error);
}

/** A pass that is told to stop says so once (see reportEnd); what that interrupts is no failure of its own. */
function failure(job: ClusterJob, message: string, error: OutsideError): void {
  if (job.deadline.stop.aborted && error.kind === 'aborted') return;
  job.log.error(message, { error, remedy: error.remedy });
}

export function eventsInForce(job: ClusterJob, events: EventSet): void {
  if (wasCutShort(events)) return;
  switch (events.standing) {
    case 'none':
    case 'fresh':
      return;
    case 'kept':
      job.log.warn('calendar could not be read: deciding from the events kept from the last good reading', {
        degraded: true,
        readAt: new Date(events.readAt).toISOString(),
        error: events.error,
        remedy: events.error.remedy,
      });
      return;
    case 'unknown':
      job.log.error('calendar could not be read and no fresh enough events are kept: counts are held', {
        degraded: true,
        readAt: events.readAt === undefined ? undefined : new Date(events.readAt).toISOString(),
        error: events.error,
        remedy: events.error.remedy,
      });
  }
}

// ---- what was done ----

/**
 * One line for a decision that changes something. How each pool stands is said at debug on every pass, for the
 * metrics: a quiet pass is silent otherwise.
 */
export function poolDecided(job: ClusterJob, plan: PoolPlan, applied: Applied): void {
  const { pool, ...report } = poolReport(plan, applied);
  const short = Math.max(0, report.wanted - report.warm);
  const nodes = countVerdicts(plan);
  const fields = { pool, ...report, previous: report.live, short, nodes };
  job.log.debug('pool state', { event: 'pool_state', ...fields });
  if (applied.kind === 'unchanged' && !job.isDryRun) return;
  sayVerdicts(job, plan);
  if (applied.kind === 'failed') {
    const { error } = applied;
    const failed = { event: 'pool_decision', ...fields, error, remedy: error.remedy };
    job.log.error('pool could not be applied', failed);
  } else job.log.info('pool decided', { event: 'pool_decision', ...fields });
}

/** How many nodes of the pool have room, and how many do not for which reason. */
function countVerdicts({ assessment }: PoolPlan): Readonly<Record<string, number>> {
  const byKind = Map.groupBy(assessment.verdicts, ({ reason }) => reason.kind);
  return Object.fromEntries([...byKind].map(([kind, verdicts]) => [kind, verdicts.length]));
}

/** Node by node, where a count changes: on every pass that would be thousands of lines nobody reads. */
function sayVerdicts(job: ClusterJob, { assessment }: PoolPlan): void {
  assessment.verdicts.forEach(({ nodeName, reason, free }, index) => {
    const warmth = assessment.warmth[index];
    job.log.debug('node judged', {
      pool: assessment.decision.poolName,
      node: nodeName,
      verdict: reason.kind,
      reason,
      free,
      isWarm: warmth?.isWarm,
      warmth: warmth?.reason.kind,
    });
  });
}

export function orphanRetired(job: ClusterJob, orphan: LiveDeployment, applied: Applied): void {
  const fields = {
    deployment: orphan.name,
    pool: orphan.poolName,
    previous: orphan.replicas,
    applied: applied.kind,
    remedy: `kubectl -n ${job.settings.namespace} delete deployment ${orphan.name}, or put the pool back into nodePools`,
  };
  if (applied.kind === 'failed') {
    job.log.error('placeholders of a pool that left the config could not be scaled to zero', {
      ...fields,
      error: applied.error,
    });
  } else if (applied.kind === 'withheld' || applied.kind === 'notReached') {
    // What keeps this pass from it is said already.
    job.log.debug('pool left the config: its placeholders stay for now', fields);
  } else if (applied.kind === 'wouldApply') {
    job.log.warn('pool left the config: its placeholders would be scaled to zero', fields);
  } else job.log.warn('pool left the config: its placeholders are scaled to zero', fields);
}

// ---- the summary ----

export interface PoolEnding {
  readonly plan: PoolPlan;
  readonly applied: Applied;
}

export interface Ending {
  /** A pass that found the lease held has no end of its own: see reportHeld. */
  readonly outcome: Exclude<Outcome, 'held'>;
  readonly degradedSinceAt: Instant | undefined;
  readonly findings: number;
  readonly pools: readonly PoolEnding[];
  readonly requests: Readonly<Record<string, number>>;
  readonly reading: ReadPlan | undefined;
  /** What a pass that is told to stop had not read to its end. */
  readonly unread: 'cluster' | 'calendar' | undefined;
}

export function reportEnd(job: ClusterJob, ending: Ending): ClusterReport {
  const { pools: plans, unread, ...rest } = ending;
  const pools = plans.map(({ plan, applied }) => poolReport(plan, applied));
  if (rest.outcome === 'stopped') wasStopped(job, { pools, unread });
  return { ...rest, cluster: job.settings.name, exitCode: rest.outcome === 'ok' ? 0 : 1, pools };
}

interface Stop extends Pick<Ending, 'unread'> {
  readonly pools: readonly PoolReport[];
}

function wasStopped(job: ClusterJob, { pools, unread }: Stop): void {
  const reason: unknown = job.deadline.stop.reason;
  const unreached = pools.filter(({ applied }) => applied === 'notReached').map(({ pool }) => pool);
  job.log.warn('pass was stopped before its end: the next one goes on', {
    stoppedBy: reason instanceof Error ? reason.message : undefined,
    before: unread === undefined ? 'all was read and applied' : `the ${unread} was read`,
    unreached: unreached.length === 0 ? undefined : unreached,
    remedy:
      'nothing if it is rare; where passes come to their own deadline, see durationMs in the summaries: more tasks (task_count) share the clusters, and a cluster may answer too slowly',
  });
}

export function reportHeld(
  job: ClusterJob,
  { owner, expiresAt }: Extract<Claim, { kind: 'held' }>,
): ClusterReport {
  const until = new Date(expiresAt).toISOString();
  job.log.info('another pass holds the lease: nothing to do', { holder: owner, until });
  return { ...NOTHING_DONE, cluster: job.settings.name, outcome: 'held', exitCode: 0 };
}

/** The store knows which pass took over, or that an operator deleted what it kept. */
export function superseded(job: ClusterJob, error: OutsideError): void {
  job.log.warn('a later pass took over: this one applies nothing', { error, remedy: error.remedy });
}

/** Its lease ran out and a later pass took over: nothing of this one may be saved or applied. */
export function reportSuperseded(job: ClusterJob, requests: ClusterReport['requests']): ClusterReport {
  return { ...NOTHING_DONE, cluster: job.settings.name, outcome: 'stopped', exitCode: 1, requests };
}

/** Anything that nobody foresaw, from anywhere in the pass: what it had written by then stands. */
export function reportFault(job: ClusterJob, error: unknown): ClusterReport {
  const remedy =
    error instanceof OutsideError
      ? error.remedy
      : 'report this with the line above it: it is a fault of the program';
  const written = job.writes.written();
  const brokenOff = job.writes.brokenOff();
  if (written.length === 0 && brokenOff === undefined) {
    job.log.error('pass over this cluster ended early: it is left as it is', { error, remedy });
  } else {
    const notWritten = job.settings.pools
      .map((pool) => `deployment/${deploymentName(pool.settings.name)}`)
      .filter((object) => object !== brokenOff && !written.includes(object));
    job.log.error('pass over this cluster ended early: what it wrote before stands', {
      written,
      brokenOff,
      notWritten,
      error,
      remedy,
    });
  }
  return { ...NOTHING_DONE, cluster: job.settings.name, outcome: 'failed', exitCode: 1 };
}

const NOTHING_DONE = {
  degradedSinceAt: undefined,
  findings: 0,
  requests: {},
  reading: undefined,
  pools: [],
} as const;

export function lastPassOf(job: ClusterJob, outcome: Outcome | 'applying'): LastPass {
  return {
    at: job.now,
    owner: job.owner,
    exitCode: outcome === 'failed' || outcome === 'stopped' ? 1 : 0,
    summary: outcome,
  };
}

function poolReport({ assessment, live, wanted, reason }: PoolPlan, applied: Applied): PoolReport {
  const { decision, spares } = assessment;
  const warmAt = allWarmAt(spares);
  return {
    pool: decision.poolName,
    wanted: wanted.replicas,
    live: live?.replicas,
    target: decision.target,
    warm: spares.warm,
    warming: spares.warming.length,
    warmBy: warmAt === undefined ? undefined : new Date(warmAt).toISOString(),
    pending: spares.pending.length,
    pendingMessage: pendingMessage(spares),
    rule: decision.adjustments.at(-1)?.kind ?? decision.rule.kind,
    reason,
    applied: applied.kind,
  };
}
