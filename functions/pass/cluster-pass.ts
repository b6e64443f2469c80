/**
 * One pass over one cluster, in the order that makes it safe to kill at any point:
 * lease, read, decide, save what was seen, apply, save the outcome, release.
 */
import { collectRecords } from '../domain/history.ts';
import { countPods } from '../domain/plausibility.ts';
import type { Floor } from '../domain/decision.ts';
import { OutsideError, StateError } from '../errors.ts';
import type { ClusterState, Lease } from '../ports.ts';
import { applyPool, hasWrites, relabelWarm, retireOrphan } from './apply.ts';
import type { Applied, Permission } from './apply.ts';
import type { OtherAsks } from './calendars.ts';
import { claimCluster } from './claim.ts';
import type { Claim } from './claim.ts';
import { wasCutShort } from './events.ts';
import type { EventSet } from './events.ts';
import type { ClusterJob, ClusterReport, Outcome } from './job.ts';
import { mayRelabel } from './objects.ts';
import { rememberSaid } from './once.ts';
import type { Once } from './once.ts';
import { planCluster } from './plan.ts';
import type { ClusterPlan } from './plan.ts';
import { ImplausibleReading, readOutside } from './read.ts';
import type { Readings } from './read.ts';
import * as say from './report.ts';
import { countProblems, ONCE_KINDS, reportTroubles, reportWarmFirst } from './troubles.ts';
import type { PatchRight } from './troubles.ts';

type Ready = Exclude<Claim, { readonly kind: 'held' }>;
type ClusterRead = Extract<Readings['cluster'], { readonly kind: 'read' }>;

/** What this pass has met so far that makes it less than `ok`. */
interface Progress {
  readonly claim: Ready;
  readonly events: EventSet;
  readonly otherAsks: OtherAsks;
  readonly once: Once;
  readonly degradedSinceAt: number | undefined;
}

export async function runClusterPass(job: ClusterJob): Promise<ClusterReport> {
  const claim = await claimCluster(job);
  if (claim.kind === 'held') return say.reportHeld(job, claim);
  if (claim.kind === 'unread') say.stateUnread(job, claim.error);
  const { events, otherAsks, cluster } = await readOutside(job, claim.state);
  const once = rememberSaid(saidBefore(job, claim));
  const progress = { claim, events, otherAsks, once, degradedSinceAt: degradedSince(job, claim, events) };
  say.eventsInForce(job, events);
  try {
    if (cluster.kind === 'failed') return await endUnread(job, progress, cluster);
    return await decideAndApply(job, progress, cluster);
  } finally {
    await cluster.client?.close();
  }
}

/** Whoever tries a dry run has not read the log of the passes before it, so it says everything. */
function saidBefore({ isDryRun }: ClusterJob, claim: Ready): readonly string[] | undefined {
  if (isDryRun) return [];
  return claim.kind === 'unread' ? undefined : claim.state.reported;
}

/** The cluster could not be read: it is left untouched, and the lease is given back. */
async function endUnread(
  job: ClusterJob,
  progress: Progress,
  { client, error }: Extract<Readings['cluster'], { readonly kind: 'failed' }>,
): Promise<ClusterReport> {
  say.clusterUnread(job, error);
  for (const kind of ONCE_KINDS) progress.once.keep(kind);
  const outcome = job.deadline.stop.aborted ? 'stopped' : 'failed';
  await finish(job, progress, { outcome, state: podsSeenIn(error), isSaid: false });
  const { degradedSinceAt } = progress;
  const requests = client?.requests() ?? {};
  return say.reportEnd(job, {
    outcome,
    degradedSinceAt,
    findings: 0,
    pools: [],
    requests,
    reading: undefined,
    unread: 'cluster',
  });
}

/**
 * The fewer pods, so that a true loss holds a pool for one pass only. What stands on a list of nodes that is not
 * believed says nothing: with it, an empty list of pods would be believed in the pass after.
 */
function podsSeenIn(error: OutsideError): Partial<ClusterState> {
  return error instanceof ImplausibleReading && error.found.kind === 'podsLost'
    ? { podsSeen: error.found.now }
    : {};
}

async function decideAndApply(
  job: ClusterJob,
  progress: Progress,
  { client, reading }: ClusterRead,
): Promise<ClusterReport> {
  const { events, otherAsks, once, claim, degradedSinceAt } = progress;
  const { state } = claim;
  const objects = reading.objects ?? state.objects;
  const input = { state, events, otherAsks, reading, mayRelabel: mayRelabel(state, reading) };
  const plan = planCluster(job, { ...input, floors: floorsOf(progress) });
  const hasErrors = reportTroubles(job, once, { plan, reading, events, objects });
  // Otherwise it is said when the right to patch has been tried: both in one line.
  const isPatchTried = plan.relabels.length > 0;
  if (!isPatchTried) reportWarmFirst(job, once, { objects, patch: 'untried' });
  const saved = await saveObservations(job, progress, { plan, reading, hasErrors });
  if (saved === 'fenced') return say.reportSuperseded(job, client.requests());
  // What this pass saw will not be there for the next one, so nothing is lowered on the strength of it.
  const acting =
    saved === 'failed'
      ? planCluster(job, { ...input, floors: [...floorsOf(progress), 'stateUnwritable'] })
      : plan;
  const done = await applyAll(job, {
    client,
    plan: acting,
    may: permissionOf(job, progress, saved),
  });
  if (isPatchTried) reportWarmFirst(job, once, { objects, patch: done.patch });
  let outcome = outcomeOf(progress, { done, isSound: saved !== 'failed' && !hasErrors });
  const isReleased =
    saved === 'released' || (await finish(job, progress, { outcome, state: {}, isSaid: saved === 'failed' }));
  if (!isReleased && outcome === 'ok') outcome = 'failed';
  return say.reportEnd(job, {
    outcome,
    degradedSinceAt,
    findings: countProblems(job, { events, plan }),
    pools: done.pools,
    requests: client.requests(),
    reading: reading.how,
    unread: unreadOf(events),
  });
}

function floorsOf({ claim, events }: Progress): readonly Floor[] {
  return [
    ...(events.standing === 'unknown' ? (['calendarUnread'] as const) : []),
    ...(claim.kind === 'unread' ? (['stateUnread'] as const) : []),
  ];
}

function permissionOf(job: ClusterJob, { claim }: Progress, saved: Saved): Permission['may'] {
  if (job.isDryRun) return 'nothing';
  return claim.kind === 'unread' || saved === 'failed' ? 'raises' : 'everything';
}

// ---- saving ----

type Saved = 'saved' | 'released' | 'failed' | 'fenced' | 'notNeeded';

interface Seen {
  readonly plan: ClusterPlan;
  readonly reading: ClusterRead['reading'];
  readonly hasErrors: boolean;
}

/** A pass that has nothing to write releases the lease in the same transaction. */
async function saveObservations(job: ClusterJob, progress: Progress, seen: Seen): Promise<Saved> {
  const { claim } = progress;
  if (claim.kind !== 'leased') return 'notNeeded';
  const release = !hasWrites(seen.plan);
  const outcome = outcomeOf(progress, { done: NOTHING_DONE, isSound: !seen.hasErrors });
  const state = observationsOf(job, progress, { ...seen, lastOutcome: release ? outcome : 'applying' });
  const failure = await save(job, claim.lease, { state, release });
  if (failure === undefined) return release ? 'released' : 'saved';
  if (failure.kind !== 'fenced') {
    say.stateUnwritten(job, failure);
    return 'failed';
  }
  say.superseded(job, failure);
  return 'fenced';
}

function observationsOf(
  job: ClusterJob,
  { events, once, degradedSinceAt }: Progress,
  { plan, reading, lastOutcome }: Omit<Seen, 'hasErrors'> & { readonly lastOutcome: Outcome | 'applying' },
): Partial<ClusterState> {
  const records = plan.pools.flatMap(({ assessment }) => assessment.records);
  return {
    history: collectRecords(records, job.now),
    ...(events.standing === 'fresh' ? { keptEvents: events.keep } : {}),
    ...(reading.objects === undefined ? {} : { objects: reading.objects, checkedAt: job.now }),
    podsSeen: countPods(reading),
    reported: once.said(),
    degradedSinceAt,
    // A pass that is killed while it applies leaves this; one that ends writes over it.
    lastPass: say.lastPassOf(job, lastOutcome),
  };
}

interface Finish {
  readonly outcome: Outcome;
  readonly state: Partial<ClusterState>;
  /** That the state cannot be written was said before. */
  readonly isSaid: boolean;
}

/** The outcome and the release; true when both are stored, or there is no lease to give back. */
async function finish(job: ClusterJob, progress: Progress, end: Finish): Promise<boolean> {
  const { claim, once, degradedSinceAt, events } = progress;
  if (claim.kind !== 'leased') return true;
  const change = {
    ...(events.standing === 'fresh' ? { keptEvents: events.keep } : {}),
    ...end.state,
    lastPass: say.lastPassOf(job, end.outcome),
    reported: once.said(),
    degradedSinceAt,
  };
  const failure = await save(job, claim.lease, { state: change, release: true });
  if (failure !== undefined && !end.isSaid) say.outcomeUnsaved(job, failure);
  return failure === undefined;
}

async function save(
  job: ClusterJob,
  lease: Lease,
  change: { readonly state: Partial<ClusterState>; readonly release: boolean },
): Promise<StateError | undefined> {
  try {
    await job.state.save(job.settings.name, { lease, ...change }, job.deadline.forWrite());
    return undefined;
  } catch (error) {
    if (error instanceof StateError) return error;
    throw error;
  }
}

/** A pass that was told to stop saw neither that the calendar fails nor that it works again: what was known stays. */
function degradedSince(job: ClusterJob, { state }: Ready, events: EventSet): number | undefined {
  if (wasCutShort(events)) return state.degradedSinceAt;
  const isDegraded = events.standing === 'kept' || events.standing === 'unknown';
  return isDegraded ? (state.degradedSinceAt ?? job.now) : undefined;
}

// ---- applying ----

interface Done {
  readonly pools: readonly say.PoolEnding[];
  readonly orphans: readonly Applied[];
  readonly relabelling: Applied;
  readonly patch: PatchRight;
}

const NOTHING_MARKED = { relabelling: { kind: 'unchanged' }, patch: 'untried' } as const;
const NOTHING_DONE: Done = { pools: [], orphans: [], ...NOTHING_MARKED };

interface Acting extends Permission {
  readonly client: ClusterRead['client'];
  readonly plan: ClusterPlan;
}

async function applyAll(job: ClusterJob, { client, plan, may }: Acting): Promise<Done> {
  const pools: say.PoolEnding[] = [];
  for (const pool of plan.pools) {
    const applied = await applyPool(job, client, { plan: pool, may });
    say.poolDecided(job, pool, applied);
    pools.push({ plan: pool, applied });
  }
  const orphans: Applied[] = [];
  for (const orphan of plan.orphans) {
    const applied = await retireOrphan(job, client, { orphan, may });
    say.orphanRetired(job, orphan, applied);
    orphans.push(applied);
  }
  return { pools, orphans, ...(await relabelAll(job, { client, plan, may })) };
}

/** Without the right to patch pods the pass works without warm first, and that is said once. */
async function relabelAll(
  job: ClusterJob,
  { client, plan, may }: Acting,
): Promise<Pick<Done, 'relabelling' | 'patch'>> {
  if (may !== 'everything' || plan.relabels.length === 0) return NOTHING_MARKED;
  const relabelling = await relabelWarm(job, client, plan.relabels);
  if (relabelling.kind === 'notReached') return { relabelling, patch: 'untried' };
  if (relabelling.kind !== 'failed') return { relabelling, patch: 'works' };
  // Nothing has failed: the pass works without warm first.
  if (relabelling.error.kind === 'forbidden') return { ...NOTHING_MARKED, patch: 'forbidden' };
  say.relabellingFailed(job, relabelling.error);
  return { relabelling, patch: 'untried' };
}

function outcomeOf(
  { claim, events }: Progress,
  { done, isSound }: { readonly done: Done; readonly isSound: boolean },
): say.Ending['outcome'] {
  const applied = [...done.pools.map((pool) => pool.applied), ...done.orphans, done.relabelling];
  if (applied.some(({ kind }) => kind === 'notReached') || wasCutShort(events)) return 'stopped';
  const isWhole =
    isSound &&
    claim.kind !== 'unread' &&
    events.standing !== 'unknown' &&
    applied.every(({ kind }) => kind !== 'failed' && kind !== 'foreign');
  return isWhole ? 'ok' : 'failed';
}

function unreadOf(events: EventSet): 'calendar' | undefined {
  return wasCutShort(events) ? 'calendar' : undefined;
}
