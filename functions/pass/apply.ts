/**
 * The writes of a pass, one after another and each to its end, so that a pass that is told to stop knows what it
 * did. One pool that fails never stops the others.
 */
import type { LiveDeployment } from '../domain/placeholder.ts';
import type { Relabel } from '../domain/relabel.ts';
import { OutsideError } from '../errors.ts';
import type { ApplyOutcome, Cluster } from '../ports.ts';
import type { ClusterJob } from './job.ts';
import type { ClusterPlan, PoolPlan } from './plan.ts';

export type Applied =
  | { readonly kind: ApplyOutcome }
  /** It would not raise the count, and this pass may only raise. */
  | { readonly kind: 'withheld' }
  /** A dry run. */
  | { readonly kind: 'wouldApply' }
  | { readonly kind: 'failed'; readonly error: OutsideError }
  /** Another tool made the Deployment: its selector cannot be changed, so every apply would be refused. */
  | { readonly kind: 'foreign' }
  /** The pass was told to stop before it came to this. */
  | { readonly kind: 'notReached' };

export interface Permission {
  /** `raises`: without history, lock or a place to keep what was seen, nothing is lowered or replaced. */
  readonly may: 'everything' | 'raises' | 'nothing';
}

/** Whether anything is to be written at all: a pass that writes nothing releases its lease with what it saves. */
export function hasWrites(plan: ClusterPlan): boolean {
  return (
    plan.orphans.length > 0 ||
    plan.relabels.length > 0 ||
    plan.pools.some((pool) => pool.hasDrifted && pool.live?.hasOurSelector !== false)
  );
}

export async function applyPool(
  job: ClusterJob,
  client: Cluster,
  { plan, may }: Permission & { readonly plan: PoolPlan },
): Promise<Applied> {
  if (plan.live?.hasOurSelector === false) return { kind: 'foreign' };
  if (!plan.hasDrifted) return { kind: 'unchanged' };
  if (may === 'nothing') return { kind: 'wouldApply' };
  if (may === 'raises' && !isRaise(plan)) return { kind: 'withheld' };
  return attempt(job, `deployment/${plan.wanted.name}`, async () => ({
    kind: await client.apply(plan.wanted, plan.live, job.deadline.forWrite()),
  }));
}

export async function retireOrphan(
  job: ClusterJob,
  client: Cluster,
  { orphan, may }: Permission & { readonly orphan: LiveDeployment },
): Promise<Applied> {
  if (may === 'nothing') return { kind: 'wouldApply' };
  if (may === 'raises') return { kind: 'withheld' };
  return attempt(job, `deployment/${orphan.name}`, async () => {
    await client.scaleDown(orphan, job.deadline.forWrite());
    return { kind: 'configured' };
  });
}

async function attempt(job: ClusterJob, object: string, write: () => Promise<Applied>): Promise<Applied> {
  if (job.deadline.isOver()) return { kind: 'notReached' };
  try {
    return await job.writes.note(object, write);
  } catch (error) {
    if (error instanceof OutsideError) return { kind: 'failed', error };
    throw error;
  }
}

function isRaise({ wanted, live }: PoolPlan): boolean {
  return live === undefined || wanted.replicas > live.replicas;
}

/**
 * Marks placeholders warm; the first failure, if there is one, leaves the rest to the next pass. A pod that was
 * evicted between reading and patching is no failure.
 *
 * @returns `configured` when all were tried.
 */
export async function relabelWarm(
  job: ClusterJob,
  client: Cluster,
  relabels: readonly Relabel[],
): Promise<Applied> {
  for (const { pod, reason } of relabels) {
    const applied = await attempt(job, `pod/${pod.name}`, async () => {
      const outcome = await client.markWarm(pod, job.deadline.forWrite());
      job.log.debug('placeholder marked warm', { pod: pod.name, node: pod.nodeName, reason, outcome });
      return { kind: 'configured' };
    });
    if (applied.kind === 'failed' || applied.kind === 'notReached') return applied;
  }
  return { kind: 'configured' };
}
