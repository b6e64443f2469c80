/** What must hold of every schedule, as lists of violations. */
import type { NodeRecord } from '../../functions/domain/history.ts';
import type { Instant } from '../../functions/domain/instant.ts';
import type { ClusterState } from '../../functions/ports.ts';
import type { Entry, Outcome } from './schedule.ts';

type Save = Extract<Entry, { kind: 'save' }>;

const GRACE_SECONDS = 600;

export function violationsOf(outcome: Outcome): readonly string[] {
  const found = [
    ...staleWrites(outcome),
    ...staleSaves(outcome),
    ...loweredUnproven(outcome),
    ...outcome.journal
      .filter(isSave)
      .flatMap((save) => [...badHistory(save), ...lostNodes(save, outcome.lastingNodes)]),
    ...badEnd(outcome),
  ];
  return found.map((violation) => `seed ${outcome.seed}: ${violation}`);
}

/**
 * No decision is applied after a newer one was. Where all clocks agree not even after a newer lease was taken: the
 * older pass has met its deadline by then. Where they do not, a pass that could not save what it saw, and so does not
 * know whether its lease still counts, may raise a count on a reading of its own; see `loweredUnproven`.
 */
function staleWrites({ journal, isSkewed }: Outcome): readonly string[] {
  let newestLease = 0;
  let newestWrite = 0;
  const saved = new Set<string>();
  const found: string[] = [];
  for (const entry of journal) {
    if (entry.kind === 'lease') newestLease = Math.max(newestLease, entry.fence);
    if (entry.kind === 'save') saved.add(entry.pass);
    if (entry.kind !== 'write' || entry.fence === undefined) continue;
    if (isSkewed && !saved.has(entry.pass)) continue;
    const bound = isSkewed ? newestWrite : newestLease;
    if (entry.fence < bound) found.push(`${entry.pass} wrote with fence ${entry.fence} after ${bound}`);
    newestWrite = Math.max(newestWrite, entry.fence);
  }
  return found;
}

function staleSaves({ journal }: Outcome): readonly string[] {
  let newest = 0;
  const found: string[] = [];
  for (const entry of journal) {
    if (entry.kind === 'lease') {
      if (entry.fence <= newest) found.push(`fence ${entry.fence} was given out after ${newest}`);
      newest = entry.fence;
    }
    if (entry.kind === 'save' && entry.fence !== newest)
      found.push(`${entry.pass} saved after fence ${newest}`);
  }
  return found;
}

/** Without the lease, or without a save that the store took from its holder, no count is lowered. */
function loweredUnproven({ journal }: Outcome): readonly string[] {
  const saved = new Set<string>();
  const found: string[] = [];
  for (const entry of journal) {
    if (entry.kind === 'save') saved.add(entry.pass);
    if (entry.kind !== 'write' || saved.has(entry.pass)) continue;
    const { pass, before = 0, after } = entry;
    if (after < before) found.push(`${pass} lowered ${before} to ${after} without a save`);
  }
  return found;
}

/**
 * First seen never later, last busy never earlier. Two things are meant to move them: after a gap as long as the
 * grace period the watch starts anew, and instants of a clock that ran ahead are pulled back to now.
 */
function badHistory({ pass, now, before, after }: Save): readonly string[] {
  return [...after.history.nodes].flatMap(([uid, node]) => {
    const stored = before.history.nodes.get(uid);
    if (stored === undefined) return [];
    return [
      ...(isLater(node, stored, restartOf(before, now)) ? [`${pass}: ${uid} first seen later`] : []),
      ...(isBusyEarlier(node, stored, now) ? [`${pass}: ${uid} last busy earlier`] : []),
    ];
  });
}

/** The instant at which the watch may have started anew; undefined when it may not. */
function restartOf({ history }: ClusterState, now: Instant): Instant | undefined {
  const gap = Math.abs(now - (history.observedAt ?? now)) / 1000;
  return gap > GRACE_SECONDS ? now : undefined;
}

function isLater(node: NodeRecord, stored: NodeRecord, restart: Instant | undefined): boolean {
  return node.firstSeenAt > stored.firstSeenAt && node.firstSeenAt !== restart;
}

function isBusyEarlier(node: NodeRecord, stored: NodeRecord, now: Instant): boolean {
  return (node.lastBusyAt ?? -Infinity) < Math.min(stored.lastBusyAt ?? -Infinity, now);
}

function lostNodes({ pass, before, after }: Save, lasting: readonly string[]): readonly string[] {
  return lasting
    .filter((uid) => before.history.nodes.has(uid) && !after.history.nodes.has(uid))
    .map((uid) => `${pass} lost ${uid}`);
}

/** A pass alone always gets through, and the one after it has nothing left to do. */
function badEnd({ last }: Outcome): readonly string[] {
  return [
    ...(last.first.exitCode === 0 ? [] : ['the pass after it all failed']),
    ...(last.second.exitCode === 0 && last.writes === 0 ? [] : ['the second pass after it all still wrote']),
  ];
}

function isSave(entry: Entry): entry is Save {
  return entry.kind === 'save';
}
