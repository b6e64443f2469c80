/** The autoscaler's scale-down: a node whose pods fit elsewhere, or that has none, goes after its ten minutes. */
import type { Instant } from '../domain/instant.ts';
import type { AutoscalerMemory } from './autoscaler.ts';
import { countBudget, covers } from './disruption.ts';
import type { ClusterModel } from './model.ts';
import { isTerminal } from './model.ts';
import type { Node, Pod } from './objects.ts';
import { imagineNodes, isLeaving, place, sizeOf, TO_BE_DELETED } from './scale-up.ts';

const CANDIDATE = 'DeletionCandidateOfClusterAutoscaler';
const SAFE_TO_EVICT = 'cluster-autoscaler.kubernetes.io/safe-to-evict';
/** Empty nodes may go together, so many at a time; others are drained one by one. */
const MAX_EMPTY_AT_ONCE = 10;

/** Returns when the next node's time is up. */
export function scaleDown(model: ClusterModel, memory: AutoscalerMemory): Instant | undefined {
  const now = model.clock.now();
  const { unneededSeconds, delayAfterAddSeconds } = memory.spec;
  markUnneeded(model, memory);
  const quietFromAt =
    memory.lastAddedAt === undefined ? now : memory.lastAddedAt + delayAfterAddSeconds * 1000;
  const dueAt = (since: Instant): Instant => Math.max(since + unneededSeconds * 1000, quietFromAt);
  const due = [...memory.unneededSince].filter(([, since]) => dueAt(since) <= now).map(([node]) => node);
  removeDue(model, memory, due);
  const later = [...memory.unneededSince.values()].map(dueAt).filter((at) => at > now);
  if (due.length > 0 && memory.unneededSince.size > 0) later.push(now);
  return later.length === 0 ? undefined : Math.min(...later);
}

function markUnneeded(model: ClusterModel, memory: AutoscalerMemory): void {
  for (const node of [...memory.unneededSince.keys()]) if (node.isGone) memory.unneededSince.delete(node);
  const spare = new Map(model.settings.pools.map((pool) => [pool.name, sizeOf(model, pool) - pool.minNodes]));
  for (const node of model.nodes.values()) {
    const left = spare.get(node.pool);
    if (left === undefined || isLeaving(node)) continue;
    const isUnneeded = left > 0 && node.ready === 'True' && isRemovable(model, memory, node);
    if (isUnneeded) spare.set(node.pool, left - 1);
    remember(model, memory, { node, isUnneeded });
  }
}

function remember(
  model: ClusterModel,
  memory: AutoscalerMemory,
  verdict: { readonly node: Node; readonly isUnneeded: boolean },
): void {
  const { node, isUnneeded } = verdict;
  if (isUnneeded === memory.unneededSince.has(node)) return;
  if (isUnneeded) memory.unneededSince.set(node, model.clock.now());
  else memory.unneededSince.delete(node);
  markCandidate(model, node, isUnneeded);
}

/** The soft taint asks the scheduler to prefer other nodes; it forbids nothing. */
function markCandidate(model: ClusterModel, node: Node, isCandidate: boolean): void {
  const others = node.taints.filter((taint) => taint.key !== CANDIDATE);
  const taint = {
    key: CANDIDATE,
    value: String(model.clock.now() / 1000),
    effect: 'PreferNoSchedule',
  } as const;
  node.taints = isCandidate ? [...others, taint] : others;
  model.changeNode(node);
}

function isRemovable(model: ClusterModel, memory: AutoscalerMemory, node: Node): boolean {
  if (utilizationOf(node) >= memory.spec.utilizationThreshold) return false;
  const pods = podsToMove(node, memory);
  if (!pods.every((pod) => mayMove(model, pod))) return false;
  if (pods.length === 0) return true;
  const elsewhere = imagineNodes(model, memory).filter((each) => each.node.meta !== node.meta);
  return pods.every((pod) => place(pod, elsewhere));
}

/** The fuller of the two resources, DaemonSet pods counted in, as upstream counts by default. */
function utilizationOf(node: Node): number {
  const { allocatable, used } = node;
  if (allocatable === undefined) return 1;
  return Math.max(used.cpuMillis / allocatable.cpuMillis, used.memoryBytes / allocatable.memoryBytes);
}

function podsToMove(node: Node, memory: AutoscalerMemory): readonly Pod[] {
  return [...node.pods].filter(
    (pod) =>
      pod.meta.owner?.kind !== 'DaemonSet' &&
      pod.priority >= memory.spec.priorityCutoff &&
      pod.meta.deletionAt === undefined &&
      !isTerminal(pod),
  );
}

/** A pod that nothing would make again holds its node, unless it says otherwise; so does one under a budget at its limit. */
function mayMove(model: ClusterModel, pod: Pod): boolean {
  const stated = pod.meta.annotations[SAFE_TO_EVICT];
  if (stated === 'false' || (stated !== 'true' && pod.meta.owner === undefined)) return false;
  const budgets = [...model.budgets.values()].filter((budget) => covers(budget, pod));
  return budgets.every((budget) => countBudget(model, budget).disruptionsAllowed > 0);
}

function removeDue(model: ClusterModel, memory: AutoscalerMemory, due: readonly Node[]): void {
  const empty = due.filter((node) => podsToMove(node, memory).length === 0);
  const chosen = empty.length > 0 ? empty.slice(0, MAX_EMPTY_AT_ONCE) : due.slice(0, 1);
  for (const node of chosen) {
    memory.unneededSince.delete(node);
    node.taints = [
      ...node.taints.filter((taint) => taint.key !== CANDIDATE),
      { key: TO_BE_DELETED, value: String(model.clock.now() / 1000), effect: 'NoSchedule' },
    ];
    model.changeNode(node);
    model.emit({ kind: 'nodeDraining', node });
    for (const pod of podsToMove(node, memory)) model.deletePod(pod, 'drained');
    model.clock.after(model.settings.removeSeconds, () => {
      model.removeNode(node);
    });
  }
}
