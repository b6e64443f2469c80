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
  | { readonly kind: 'podsLost'; readonly expected: number; readonly now: number };

/** Below this, losing most pods is ordinary: a small cluster after its last user left. */
const FEWEST_PODS_TO_DOUBT = 10;

/** Why the reading is not to be believed; undefined when it is. */
export function findImplausibility(reading: Reading): Implausibility | undefined {
  return findLostNodes(reading) ?? findLostPods(reading);
}

/** Pods on the managed nodes: of others' nodes a pass may list all pods, or none (see ports.ts). */
export function countPods({ nodes, usage }: Pick<Reading, 'nodes' | 'usage'>): number {
  let count = 0;
  for (const { name } of nodes) count += usage.get(name)?.podCount ?? 0;
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

/**
 * Nodes that are gone take their pods along; the rest should still be there. The pass after this one compares with
 * the smaller count, so a true loss holds a pool for one pass only.
 */
function findLostPods(reading: Reading): Implausibility | undefined {
  const { podsSeenBefore } = reading;
  const now = countPods(reading);
  if (podsSeenBefore === undefined) return undefined;
  const expected = Math.round(podsSeenBefore * partOfNodesLeft(reading));
  if (expected < FEWEST_PODS_TO_DOUBT || now * 2 >= expected) return undefined;
  return { kind: 'podsLost', expected, now };
}

/** Of the nodes that the pass before saw, by UID; all of them when it saw none. */
function partOfNodesLeft({ nodes, history }: Reading): number {
  if (history.nodes.size === 0) return 1;
  return nodes.filter(({ uid }) => history.nodes.has(uid)).length / history.nodes.size;
}
