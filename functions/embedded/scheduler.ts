/** kube-scheduler: whenever something changed, tries every pod without a node, the most important first. */
import type { ClusterModel, ModelEvent } from './model.ts';
import type { JsonObject, Node, Pod } from './objects.ts';
import type { Fit } from './placement.ts';
import { fitOn, scoreOf } from './placement.ts';
import { chooseEviction } from './preemption.ts';

const WAKING: ReadonlySet<ModelEvent['kind']> = new Set([
  'podAdded',
  'podRemoved',
  'podChanged',
  'nodeAdded',
  'nodeReady',
  'nodeChanged',
]);

export function runScheduler(model: ClusterModel): void {
  model.listen((event) => {
    if (!WAKING.has(event.kind) || model.unbound.size === 0) return;
    model.clock.soon('scheduler', () => {
      scheduleAll(model);
    });
  });
}

function scheduleAll(model: ClusterModel): void {
  /** Shapes that found no room in this round: binding others gives them none. */
  const failed = new Map<JsonObject, string>();
  for (const pod of [...model.unbound].sort(byQueueOrder)) {
    if (pod.isGone) continue;
    const message = failed.get(pod.spec) ?? schedule(model, pod);
    if (message === undefined) continue;
    failed.set(pod.spec, message);
    reportPending(model, pod, message);
  }
}

function byQueueOrder(a: Pod, b: Pod): number {
  return b.priority - a.priority || a.meta.sequence - b.meta.sequence;
}

/** Binds the pod or makes room for it; otherwise says why it stays Pending. */
function schedule(model: ClusterModel, pod: Pod): string | undefined {
  const fits = new Map<Node, Fit>();
  for (const node of model.nodes.values()) fits.set(node, fitOn(model, node, pod));
  const chosen = bestOf(model, pod, fits);
  if (chosen !== undefined) {
    model.bindPod(pod, chosen);
    return undefined;
  }
  const eviction = chooseEviction(model, pod);
  if (eviction === undefined) return pendingMessage(pod, [...fits.values()]);
  pod.nominatedNode = eviction.node;
  clearLowerNominations(model, pod);
  for (const victim of eviction.victims) {
    model.emit({ kind: 'podPreempted', pod: victim, by: pod });
    model.deletePod(victim, 'preempted');
  }
  // With victims gone at once the next round binds it; until then it is Pending like any other.
  reportPending(model, pod, pendingMessage(pod, [...fits.values()]));
  return undefined;
}

function bestOf(model: ClusterModel, pod: Pod, fits: ReadonlyMap<Node, Fit>): Node | undefined {
  if (pod.nominatedNode !== undefined && fits.get(pod.nominatedNode)?.kind === 'fits')
    return pod.nominatedNode;
  let best: Node | undefined;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const [node, fit] of fits) {
    if (fit.kind !== 'fits') continue;
    const score = scoreOf(model, node, pod);
    if (score <= bestScore) continue;
    best = node;
    bestScore = score;
  }
  return best;
}

/** Pods of lower priority that were to land on the same node look for another. */
function clearLowerNominations(model: ClusterModel, pod: Pod): void {
  for (const other of model.unbound) {
    if (other.nominatedNode === pod.nominatedNode && other.priority < pod.priority)
      other.nominatedNode = undefined;
  }
}

function reportPending(model: ClusterModel, pod: Pod, message: string): void {
  if (pod.isGone || pod.pendingMessage === message) return;
  pod.pendingMessage = message;
  model.touch(pod.meta);
}

/** In the scheduler's words: `0/3 nodes are available: 2 Insufficient memory, 1 node(s) were unschedulable. …`. */
export function pendingMessage(pod: Pod, fits: readonly Fit[]): string {
  const counts = new Map<string, number>();
  for (const fit of fits) {
    if (fit.kind !== 'fits') counts.set(fit.reason, (counts.get(fit.reason) ?? 0) + 1);
  }
  const reasons = [...counts].map(([reason, count]) => `${String(count)} ${reason}`).sort();
  const total = String(fits.length);
  if (fits.length === 0) return 'no nodes available to schedule pods';
  return `0/${total} nodes are available: ${reasons.join(', ')}. preemption: ${preemptionMessage(pod, fits)}`;
}

function preemptionMessage(pod: Pod, fits: readonly Fit[]): string {
  if (!pod.mayPreempt) return 'not eligible due to preemptionPolicy=Never.';
  const full = fits.filter((fit) => fit.kind === 'full').length;
  const parts = [
    ...(full > 0 ? [`${String(full)} No preemption victims found for incoming pod`] : []),
    ...(full < fits.length ? [`${String(fits.length - full)} Preemption is not helpful for scheduling`] : []),
  ];
  return `0/${String(fits.length)} nodes are available: ${parts.join(', ')}.`;
}
