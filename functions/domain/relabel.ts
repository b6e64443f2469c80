/**
 * kube-scheduler evicts the newest placeholder first, whose node still pulls the image. So a placeholder is born
 * cold, and is marked warm, once and never back, when its node is warm: it is then preempted first. Where a pool has
 * no warm one left, the one nearest to warm is marked ahead of time, so that users do not go to the coldest.
 */
import type { Instant } from './instant.ts';
import type { PlaceholderPod } from './placeholder.ts';
import type { NodeWarmth } from './warmth.ts';

export interface Relabel {
  readonly pod: PlaceholderPod;
  readonly reason: 'nodeIsWarm' | 'nearestToWarm';
}

/**
 * @param placeholders those of one pool
 * @param warmthByNode of the nodes that they stand on, by name
 */
export function chooseRelabels(
  placeholders: readonly PlaceholderPod[],
  warmthByNode: ReadonlyMap<string, NodeWarmth>,
): readonly Relabel[] {
  const standing = placeholders.filter(isStanding);
  const cold = standing.filter((pod) => pod.warmth === 'cold');
  const turned = cold.filter((pod) => warmthByNode.get(pod.nodeName)?.isWarm === true);
  if (turned.length > 0) {
    return turned.map((pod) => ({ pod, reason: 'nodeIsWarm' }));
  }
  const nearest = cold.length === standing.length ? nearestToWarm(cold, warmthByNode) : undefined;
  return nearest === undefined ? [] : [{ pod: nearest, reason: 'nearestToWarm' }];
}

type StandingPod = PlaceholderPod & { readonly nodeName: string };

/** Bound to a node and not on its way out. */
export function isStanding(pod: PlaceholderPod): pod is StandingPod {
  return pod.nodeName !== undefined && !pod.isTerminating;
}

function nearestToWarm(
  pods: readonly StandingPod[],
  warmthByNode: ReadonlyMap<string, NodeWarmth>,
): PlaceholderPod | undefined {
  const expectedAt = (pod: StandingPod): Instant =>
    warmthByNode.get(pod.nodeName)?.expectedWarmAt ?? Number.MAX_SAFE_INTEGER;
  return [...pods].sort(
    (a, b) => expectedAt(a) - expectedAt(b) || a.createdAt - b.createdAt || (a.uid < b.uid ? -1 : 1),
  )[0];
}
