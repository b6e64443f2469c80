/**
 * A name that matches nothing is answered with the name that was probably meant: one or two slips of the
 * finger, letter case aside. Nothing is ever taken for something else on this ground; it is only offered.
 */

/** Names come from people and calendars; beyond this many characters nothing is compared. */
const LONGEST_NAME = 64;

/** Shortest beginning of a name that is worth completing. */
const SHORTEST_PREFIX = 3;

/** The candidate nearest to `name`, or undefined when none is near enough to be worth offering. */
export function closestName(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.trim().toLowerCase();
  if (wanted.length > LONGEST_NAME) {
    return undefined;
  }
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = distanceWithin(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Edit distance when it is small for names of this length, else infinity. */
function distanceWithin(wanted: string, candidate: string): number {
  if (candidate.length > LONGEST_NAME) {
    return Number.POSITIVE_INFINITY;
  }
  const longer = Math.max(wanted.length, candidate.length);
  const allowed = Math.max(1, Math.floor(longer / 3));
  // Each missing letter is one edit: a sentence need not be compared letter by letter to know.
  const isFar = Math.abs(wanted.length - candidate.length) > allowed;
  const distance = isFar ? Number.POSITIVE_INFINITY : editDistance(wanted, candidate);
  // A single letter is one edit away from any other, which says nothing.
  if (distance <= allowed && distance < Math.min(wanted.length, candidate.length)) {
    return distance;
  }
  return wanted.length >= SHORTEST_PREFIX && candidate.startsWith(wanted)
    ? candidate.length
    : Number.POSITIVE_INFINITY;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const edited = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
      );
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(isSwap ? Math.min(edited, at(beforeLast, column - 2) + 1) : edited);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
