/** The ReplicaSet controller: as many pods as wanted; of those too many, the least useful goes first. */
import type { Instant } from '../domain/instant.ts';
import type { ClusterModel } from './model.ts';
import { isTerminal } from './model.ts';
import type { Pod, ReplicaSet } from './objects.ts';
import { readPodNeeds } from './pod-spec.ts';
import { RefusalError } from './refusal.ts';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASE_RANK: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

export function syncReplicaSet(model: ClusterModel, set: ReplicaSet): void {
  const active = [...set.pods].filter((pod) => pod.meta.deletionAt === undefined && !isTerminal(pod));
  const surplus = active.length - set.replicas;
  if (surplus > 0) {
    for (const pod of inDeletionOrder(active, model.clock.now()).slice(0, surplus))
      model.deletePod(pod, 'deleted');
  }
  if (surplus >= 0) set.failure = undefined;
  for (let missing = -surplus; missing > 0; missing -= 1) {
    if (!addReplica(model, set)) break;
  }
  model.touch(set.meta);
}

/** A refusal (no PriorityClass, no quota) becomes the set's ReplicaFailure condition, as upstream. */
function addReplica(model: ClusterModel, set: ReplicaSet): boolean {
  try {
    model.addPod({
      namespace: set.meta.namespace,
      name: model.newPodName(set.meta.namespace, `${set.meta.name}-`),
      labels: set.template.labels,
      annotations: set.template.annotations,
      owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: set.meta.name, uid: set.meta.uid },
      spec: set.template.spec,
      needs: readPodNeeds(set.template.spec),
    });
    set.failure = undefined;
    return true;
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    set.failure = error.message;
    return false;
  }
}

/** `ActivePodsWithRanks` of upstream, first to go first. */
export function inDeletionOrder(pods: readonly Pod[], now: Instant): readonly Pod[] {
  const perNode = new Map<unknown, number>();
  for (const pod of pods) perNode.set(pod.node, (perNode.get(pod.node) ?? 0) + 1);
  const rank = (pod: Pod): number => (pod.node === undefined ? 0 : (perNode.get(pod.node) ?? 0));
  return [...pods].sort(
    (a, b) =>
      Number(a.node !== undefined) - Number(b.node !== undefined) ||
      phaseRank(a) - phaseRank(b) ||
      Number(a.readyAt !== undefined) - Number(b.readyAt !== undefined) ||
      deletionCost(a) - deletionCost(b) ||
      rank(b) - rank(a) ||
      byReadyTime(a, b, now) ||
      byAge(a.meta.createdAt, b.meta.createdAt, now) ||
      byUid(a, b),
  );
}

function phaseRank(pod: Pod): number {
  return PHASE_RANK[pod.phase] ?? 0;
}

function deletionCost(pod: Pod): number {
  return Number.parseInt(pod.meta.annotations[DELETION_COST] ?? '0', 10) || 0;
}

function byReadyTime(a: Pod, b: Pod, now: Instant): number {
  if (a.readyAt === undefined || b.readyAt === undefined || a.readyAt === b.readyAt) return 0;
  return byAge(a.readyAt, b.readyAt, now) || byUid(a, b);
}

/** Ages are compared by the power of two that they lie in (`LogarithmicScaleDown`): the younger class goes first. */
function byAge(a: Instant, b: Instant, now: Instant): number {
  return a === b ? 0 : ageClass(now - a) - ageClass(now - b);
}

function ageClass(milliseconds: number): number {
  return milliseconds > 0 ? Math.floor(Math.log2(milliseconds * 1e6)) : -1;
}

function byUid(a: Pod, b: Pod): number {
  return a.meta.uid < b.meta.uid ? -1 : 1;
}
