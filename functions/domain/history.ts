/**
 * When each node was first seen and last busy. A node's usage swings hard just after it appears and just after a
 * user logs out, so it counts only once it has been watched, and idle, for the grace period. Kept by node UID, since
 * names are reused; nodes that are gone are forgotten. If passes stopped for longer than the grace period, nobody
 * was watching: all nodes count as newly seen.
 */
import { secondsBetween } from './instant.ts';
import type { Instant } from './instant.ts';

/** When a node was first seen and last busy; kept by node UID, since names are reused. */
export interface NodeRecord {
  readonly name: string;
  readonly firstSeenAt: Instant;
  /** Undefined: never seen busy. */
  readonly lastBusyAt: Instant | undefined;
}

export interface NodeHistory {
  /** When a pass last saved its observations; undefined: never. */
  readonly observedAt: Instant | undefined;
  readonly nodes: ReadonlyMap<string, NodeRecord>;
}

export const EMPTY_HISTORY: NodeHistory = { observedAt: undefined, nodes: new Map() };

/** What one pass sees of one node. */
export interface NodeObservation {
  readonly uid: string;
  readonly name: string;
  readonly isBusy: boolean;
  /** Of the node's pool: pools may have different ones. */
  readonly graceSeconds: number;
}

/**
 * With a grace period shorter than the minute between two passes, every pass would look like the first after a stop;
 * passes have stopped when at least one is missing.
 */
const MIN_GAP_SECONDS = 90;

/** The history after this pass: what it saw, and nothing of nodes that it did not see. */
export function observe(
  history: NodeHistory,
  observations: readonly NodeObservation[],
  now: Instant,
): NodeHistory {
  return collectRecords(
    observations.map((seen) => [seen.uid, observeNode(history, seen, now)]),
    now,
  );
}

/** What is known of one node after this pass: seen no later, and busy no earlier, than was known before. */
export function observeNode(history: NodeHistory, seen: NodeObservation, now: Instant): NodeRecord {
  const before = history.nodes.get(seen.uid);
  const lastBusyAt = seen.isBusy ? now : notAfter(before?.lastBusyAt, now);
  const isWatched = before !== undefined && wasWatching(history, seen.graceSeconds, now);
  // Instants of a clock that ran ahead are pulled back to now, or they would bar the node until time catches up.
  const firstSeenAt = isWatched ? Math.min(before.firstSeenAt, now) : now;
  return { name: seen.name, firstSeenAt, lastBusyAt };
}

/** One history out of the records of several pools; a node that two pools claim keeps the stricter of each. */
export function collectRecords(
  records: Iterable<readonly [uid: string, record: NodeRecord]>,
  now: Instant,
): NodeHistory {
  const nodes = new Map<string, NodeRecord>();
  for (const [uid, record] of records) {
    const other = nodes.get(uid);
    nodes.set(uid, other === undefined ? record : stricter(other, record));
  }
  return { observedAt: now, nodes };
}

function wasWatching(history: NodeHistory, graceSeconds: number, now: Instant): boolean {
  if (history.observedAt === undefined) {
    return false;
  }
  // A clock that was set back by more than that says as little about the time between as a stop does.
  const gapSeconds = Math.abs(secondsBetween(history.observedAt, now));
  return gapSeconds <= Math.max(graceSeconds, MIN_GAP_SECONDS);
}

function notAfter(at: Instant | undefined, now: Instant): Instant | undefined {
  return at === undefined ? undefined : Math.min(at, now);
}

function stricter(a: NodeRecord, b: NodeRecord): NodeRecord {
  return {
    name: a.name,
    firstSeenAt: Math.max(a.firstSeenAt, b.firstSeenAt),
    lastBusyAt:
      a.lastBusyAt === undefined || b.lastBusyAt === undefined
        ? (a.lastBusyAt ?? b.lastBusyAt)
        : Math.max(a.lastBusyAt, b.lastBusyAt),
  };
}
