/**
 * How a pool's spares stand, in one line for the log and for `kubectl describe`: how many are warm, by which minute the
 * others should be, and in the scheduler's own words why some have no node.
 */
import type { SpareSummary } from './assessment.ts';
import type { Instant } from './instant.ts';

const MAX_MESSAGE_LENGTH = 200;

/** Such as `1 warm, 2 warming (by 09:12Z), 1 Pending (0/3 nodes are available: 3 Insufficient memory.)`. */
export function describeSpares(spares: Omit<SpareSummary, 'wanted'>): string {
  const parts = [`${spares.warm} warm`, ...warmingWords(spares), ...pendingWords(spares)];
  return parts.join(', ');
}

/** When the last of those that warm up should be warm; undefined when none does, or nobody can say. */
export function allWarmAt({ warming }: Pick<SpareSummary, 'warming'>): Instant | undefined {
  const expected = warming.map(({ expectedWarmAt }) => expectedWarmAt);
  const known = expected.filter((at) => at !== undefined);
  return known.length === 0 || known.length < expected.length ? undefined : Math.max(...known);
}

/** Of the placeholder that has waited longest; undefined when none waits, or the scheduler has said nothing. */
export function pendingMessage({ pending }: Pick<SpareSummary, 'pending'>): string | undefined {
  const said = pending.filter(({ message }) => message !== undefined);
  const oldest = said.toSorted((a, b) => a.sinceAt - b.sinceAt)[0]?.message;
  return oldest !== undefined && oldest.length > MAX_MESSAGE_LENGTH
    ? `${oldest.slice(0, MAX_MESSAGE_LENGTH)}…`
    : oldest;
}

function warmingWords(spares: Omit<SpareSummary, 'wanted'>): readonly string[] {
  const count = spares.warming.length;
  if (count === 0) {
    return [];
  }
  const at = allWarmAt(spares);
  return [at === undefined ? `${count} warming` : `${count} warming (by ${minuteOf(at)})`];
}

function pendingWords(spares: Omit<SpareSummary, 'wanted'>): readonly string[] {
  const count = spares.pending.length;
  if (count === 0) {
    return [];
  }
  const message = pendingMessage(spares);
  return [message === undefined ? `${count} Pending` : `${count} Pending (${message})`];
}

/** `09:12Z`, rounded up: said a minute early would be said wrong. */
function minuteOf(at: Instant): string {
  return `${new Date(Math.ceil(at / 60_000) * 60_000).toISOString().slice(11, 16)}Z`;
}
