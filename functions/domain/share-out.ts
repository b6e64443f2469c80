/**
 * How a bound is shared by several pools. Baselines come first, whatever they add up to; what events ask for beyond them
 * shares what is left in proportion to what each asked, the odd ones going to the largest remainders and then in config
 * order.
 */

export interface Claim {
  readonly baseline: number;
  /** What the pool's events ask, within its own `maxReplicas`; undefined: no event names it. */
  readonly asked: number | undefined;
}

export interface Share {
  /** The counts that stand in for the events' own, in the order of the claims; undefined where no event asks. */
  readonly counts: readonly (number | undefined)[];
  /** What all claims came to, and what they were cut to; the same when nothing was cut. */
  readonly asked: number;
  readonly allowed: number;
}

export function shareOut(claims: readonly Claim[], most: number): Share {
  const wanted = claims.map(({ baseline, asked }) => asked ?? baseline);
  const asked = sum(wanted);
  if (asked <= most) return { counts: claims.map((claim) => claim.asked), asked, allowed: asked };
  const first = claims.map(({ baseline }, index) => Math.min(baseline, wanted[index] ?? 0));
  const extras = wanted.map((count, index) => count - (first[index] ?? 0));
  const granted = apportion(extras, Math.max(0, most - sum(first)));
  const counts = claims.map((claim, index) =>
    claim.asked === undefined ? undefined : (first[index] ?? 0) + (granted[index] ?? 0),
  );
  return { counts, asked, allowed: sum(first) + sum(granted) };
}

/** Splits `seats` over the claims in proportion to them, by largest remainder; none gets more than it claims. */
function apportion(claims: readonly number[], seats: number): number[] {
  const total = sum(claims);
  if (total <= seats) return [...claims];
  const granted = claims.map((claim) => Math.floor((claim * seats) / total));
  // In whole numbers: the same remainder of a small and of a large quota would differ in its last digits.
  const remainders = claims.map((claim, index) => ({ index, part: (claim * seats) % total }));
  remainders.sort((a, b) => b.part - a.part || a.index - b.index);
  const odd = seats - sum(granted);
  for (const { index } of remainders.slice(0, odd)) granted[index] = (granted[index] ?? 0) + 1;
  return granted;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
