/**
 * Where one pod may stand: kube-scheduler's filters (node selector, taints, cordon, readiness, resources), then its
 * scores. A pod that fails only for want of resources may preempt; one that fails the others never helps itself by it.
 */
import type { Toleration } from '../domain/placeholder.ts';
import type { ClusterModel } from './model.ts';
import { add } from './model.ts';
import type { Node, Pod, PodNeeds, Resources, Taint } from './objects.ts';
import { violatedSpread } from './topology-spread.ts';

const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const UNREACHABLE: Taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' };

export type Fit =
  | { readonly kind: 'fits' }
  /** Only room is wanting: taking pods away could help. */
  | { readonly kind: 'full'; readonly reason: string }
  | { readonly kind: 'barred'; readonly reason: string };

const FITS: Fit = { kind: 'fits' };
const SELECTOR_MISMATCH: Fit = {
  kind: 'barred',
  reason: "node(s) didn't match Pod's node affinity/selector",
};

/** The taints that stand in the node's spec: its own, and those that the node controllers add. */
export function effectiveTaints(node: Node): readonly Taint[] {
  if (node.ready === 'True' && !node.isCordoned) return node.taints;
  return [
    ...node.taints,
    ...(node.isCordoned ? [UNSCHEDULABLE] : []),
    ...(node.ready === 'False' ? [NOT_READY] : []),
    ...(node.ready === 'Unknown' ? [UNREACHABLE] : []),
  ];
}

export function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some((toleration) => {
    if (toleration.effect !== undefined && toleration.effect !== taint.effect) return false;
    if (toleration.key === undefined || toleration.key === '') return toleration.operator === 'Exists';
    if (toleration.key !== taint.key) return false;
    return toleration.operator === 'Exists' || (toleration.value ?? '') === (taint.value ?? '');
  });
}

/** Whether a pod could stand on a node if it were empty: everything but room. */
export function admits(node: Node, needs: PodNeeds): Fit {
  for (const key in needs.nodeSelector) {
    if (node.meta.labels[key] !== needs.nodeSelector[key]) return SELECTOR_MISMATCH;
  }
  for (const taint of effectiveTaints(node)) {
    if (taint.effect === 'PreferNoSchedule' || tolerates(needs.tolerations, taint)) continue;
    return { kind: 'barred', reason: taintReason(taint) };
  }
  return FITS;
}

function taintReason(taint: Taint): string {
  if (taint.key === UNSCHEDULABLE.key) return 'node(s) were unschedulable';
  return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
}

/** Whether there is room beside what is used already. */
export function hasRoom(node: Node, used: Resources & { readonly pods: number }, needs: Resources): Fit {
  const { allocatable } = node;
  if (allocatable === undefined) return { kind: 'full', reason: 'Insufficient cpu' };
  if (used.pods + 1 > allocatable.pods) return { kind: 'full', reason: 'Too many pods' };
  // As in the scheduler: what a pod does not ask for is not looked at, even on a node that is over its limit.
  if (needs.cpuMillis > 0 && used.cpuMillis + needs.cpuMillis > allocatable.cpuMillis) {
    return { kind: 'full', reason: 'Insufficient cpu' };
  }
  if (needs.memoryBytes > 0 && used.memoryBytes + needs.memoryBytes > allocatable.memoryBytes) {
    return { kind: 'full', reason: 'Insufficient memory' };
  }
  return FITS;
}

/** Fit with the pods that stand there and those of at least equal priority that are on their way. */
export function fitOn(model: ClusterModel, node: Node, pod: Pod): Fit {
  const admitted = admits(node, pod.needs);
  if (admitted.kind !== 'fits') return admitted;
  const violated = violatedSpread(model, node, pod);
  if (violated !== undefined) return violated;
  return hasRoom(node, usedWithNominated(model, node, pod), pod.needs);
}

export function usedWithNominated(
  model: ClusterModel,
  node: Node,
  pod: Pod,
): Resources & { readonly pods: number } {
  let used: Resources = node.used;
  let pods = node.pods.size;
  for (const other of model.unbound) {
    if (other.nominatedNode !== node || other === pod || other.priority < pod.priority) continue;
    used = add(used, other.needs);
    pods += 1;
  }
  return { ...used, pods };
}

/** 0 to 100 for room left (or taken), and three times as much for a node without soft taints, as upstream weighs them. */
export function scoreOf(model: ClusterModel, node: Node, pod: Pod): number {
  const { allocatable } = node;
  if (allocatable === undefined) return 0;
  const cpu = share(node.used.cpuMillis + pod.needs.cpuMillis, allocatable.cpuMillis);
  const memory = share(node.used.memoryBytes + pod.needs.memoryBytes, allocatable.memoryBytes);
  const taken = (100 * (cpu + memory)) / 2;
  const soft = node.taints.some(
    (taint) => taint.effect === 'PreferNoSchedule' && !tolerates(pod.needs.tolerations, taint),
  );
  return (isPacked(model, pod) ? taken : 100 - taken) + (soft ? 0 : 300);
}

function isPacked(model: ClusterModel, pod: Pod): boolean {
  const { scoring, packingSchedulers } = model.settings;
  return scoring === 'mostAllocated' || packingSchedulers.includes(pod.needs.schedulerName);
}

function share(used: number, whole: number): number {
  return whole > 0 ? Math.min(1, used / whole) : 1;
}
