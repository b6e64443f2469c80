/** What the stores do alike: the empty state, and how a change is laid over what is stored. */
import type { NodeHistory, NodeRecord } from '../domain/history.ts';
import { EMPTY_HISTORY } from '../domain/history.ts';
import type { Instant } from '../domain/instant.ts';
import type { ClusterState } from '../ports.ts';

export const EMPTY_STATE: ClusterState = {
  history: EMPTY_HISTORY,
  keptEvents: undefined,
  reported: [],
  degradedSinceAt: undefined,
  checkedAt: undefined,
  objects: undefined,
  podsSeen: undefined,
  lastPass: undefined,
};

/** Fields left out stay as they are; a field given as undefined is cleared. */
export function overlay(stored: ClusterState, change: Partial<ClusterState>): ClusterState {
  const merged = { ...stored, ...change };
  return change.history === undefined
    ? merged
    : { ...merged, history: mergeHistory(stored.history, change.history) };
}

/**
 * The nodes of the newer history, no others (a node that is gone is pruned), none of them with less known of it
 * than before: a node that this pass did not see busy keeps the busy time that is stored.
 */
export function mergeHistory(stored: NodeHistory, newer: NodeHistory): NodeHistory {
  const nodes = new Map<string, NodeRecord>();
  for (const [uid, node] of newer.nodes) nodes.set(uid, mergeNode(stored.nodes.get(uid), node));
  return { observedAt: latest(stored.observedAt, newer.observedAt), nodes };
}

function mergeNode(stored: NodeRecord | undefined, newer: NodeRecord): NodeRecord {
  if (stored === undefined) return newer;
  return {
    ...newer,
    firstSeenAt: Math.min(stored.firstSeenAt, newer.firstSeenAt),
    lastBusyAt: latest(stored.lastBusyAt, newer.lastBusyAt),
  };
}

function latest(a: Instant | undefined, b: Instant | undefined): Instant | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.max(a, b);
}
