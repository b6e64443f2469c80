/** What the stores do alike: how a change is laid over what is stored. */
import type { NodeHistory, NodeRecord } from '../domain/history.ts';
import type { ClusterState } from '../ports.ts';

/** Fields left out stay as they are; a field given as undefined is cleared. */
export function overlay(stored: ClusterState, change: Partial<ClusterState>): ClusterState {
  const merged = { ...stored, ...change };
  return change.history === undefined
    ? merged
    : { ...merged, history: mergeHistory(stored.history, change.history) };
}

/**
 * The nodes of the newer history and no others: a node that is gone is pruned. Its instants are taken as they are,
 * since the fence shows that its writer has read the stored ones, and may have moved them on purpose: after a gap
 * the watch starts anew, and instants of a clock that ran ahead are pulled back. Only a busy time is never forgotten:
 * a pass that has none to tell does not wipe out the one that is stored.
 */
function mergeHistory(stored: NodeHistory, newer: NodeHistory): NodeHistory {
  const nodes = new Map<string, NodeRecord>();
  for (const [uid, node] of newer.nodes) {
    nodes.set(uid, { ...node, lastBusyAt: node.lastBusyAt ?? stored.nodes.get(uid)?.lastBusyAt });
  }
  return { observedAt: newer.observedAt, nodes };
}
