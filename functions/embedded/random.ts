/** Chance from a seed. Each purpose draws from a stream of its own, so that two policies meet the same arrivals. */

export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** An independent stream; the same name always gives the same one. */
  stream(name: string): Random;
}

/** How long something takes, in seconds. */
export type Duration =
  | number
  | { readonly uniform: readonly [number, number] }
  /** Half of all draws lie below the median; sigma is the standard deviation of the logarithm. */
  | { readonly median: number; readonly sigma: number };

export function randomFrom(seed: number | string): Random {
  let state = hash(String(seed));
  return {
    next: () => {
      // SplitMix32: small, fast, passes PractRand to 2^32 draws, and any seed is a good one.
      state = (state + 0x9e3779b9) | 0;
      let mixed = state ^ (state >>> 16);
      mixed = Math.imul(mixed, 0x21f0aaad);
      mixed ^= mixed >>> 15;
      mixed = Math.imul(mixed, 0x735a2d97);
      mixed ^= mixed >>> 15;
      return (mixed >>> 0) / 0x1_0000_0000;
    },
    stream: (name) => randomFrom(`${String(seed)}/${name}`),
  };
}

/** One draw of a duration, in seconds, never negative. */
export function drawSeconds(duration: Duration, random: Random): number {
  if (typeof duration === 'number') return duration;
  if ('uniform' in duration) return drawBetween(duration.uniform[0], duration.uniform[1], random);
  return duration.median * Math.exp(duration.sigma * drawNormal(random));
}

/** The duration that half of the draws stay under, in seconds. */
export function medianSeconds(duration: Duration): number {
  if (typeof duration === 'number') return duration;
  return 'uniform' in duration ? (duration.uniform[0] + duration.uniform[1]) / 2 : duration.median;
}

export function drawBetween(low: number, high: number, random: Random): number {
  return low + (high - low) * random.next();
}

/** Time until the next of things that happen at a steady average rate. */
export function drawExponential(mean: number, random: Random): number {
  return -mean * Math.log(1 - random.next());
}

function drawNormal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) {
    value ^= character.codePointAt(0) ?? 0;
    value = Math.imul(value, 0x01000193);
  }
  return value;
}
