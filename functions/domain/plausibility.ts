/**
 * A list that answers 200 can still be wrong: a cut-off proxy, a cache that is warming up. Nodes that were there
 * a minute ago and whose pods are still listed cannot be gone, and a cluster does not lose most of its pods
 * between two passes. Such a reading counts as failed; it never shrinks a warm pool.
 */
import type { NodeFacts } from './node.ts';
import type { NodeHistory } from './history.ts';
import type { NodeUsage } from './usage.ts';

export interface Reading {
  readonly nodes: readonly NodeFacts[];
  /** By node name. */
  readonly usage: ReadonlyMap<string, NodeUsage>;
  readonly history: NodeHistory;
  /** Pods that the pass before this one listed; undefined: not known. */
  readonly podsSeenBefore: number | undefined;
}

export type Implausibility =
  | { readonly kind: 'nodesLost'; readonly lost: number; readonly known: number }
  | { readonly kind: 'podsLost'; readonly before: number; readonly now: number };

/** Below this, losing most pods is ordinary: a small cluster after its last user left. */
const FEWEST_PODS_TO_DOUBT = 10;

/** Why the reading is not to be believed; undefined when it is. */
export function findImplausibility(reading: Reading): Implausibility | undefined {
  return findLostNodes(reading) ?? findLostPods(reading);
}

export function countPods(usage: ReadonlyMap<string, NodeUsage>): number {
  let count = 0;
  for (const node of usage.values()) count += node.podCount;
  return count;
}

function findLostNodes({ nodes, usage, history }: Reading): Implausibility | undefined {
  const listed = new Set(nodes.map((node) => node.name));
  const knownWithPods = new Set<string>();
  for (const record of history.nodes.values()) {
    if ((usage.get(record.name)?.podCount ?? 0) > 0) knownWithPods.add(record.name);
  }
  const lost = [...knownWithPods].filter((name) => !listed.has(name)).length;
  if (lost * 2 <= knownWithPods.size) return undefined;
  return { kind: 'nodesLost', lost, known: knownWithPods.size };
}

/** The pass after this one compares with the smaller count, so a true loss holds a pool for one pass only. */
function findLostPods({ usage, podsSeenBefore }: Reading): Implausibility | undefined {
  const now = countPods(usage);
  if (podsSeenBefore === undefined || podsSeenBefore < FEWEST_PODS_TO_DOUBT) return undefined;
  if (now * 2 >= podsSeenBefore) return undefined;
  return { kind: 'podsLost', before: podsSeenBefore, now };
}
