import { describe, expect, it } from 'vitest';
import { drawExponential, drawSeconds, medianSeconds, randomFrom } from '../../functions/embedded/random.ts';
import type { Duration, Random } from '../../functions/embedded/random.ts';

const DRAWS = 20_000;

function draws(draw: (random: Random) => number): number[] {
  const random = randomFrom(1);
  return Array.from({ length: DRAWS }, () => draw(random)).sort((a, b) => a - b);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe('chance from a seed', () => {
  it('gives the same numbers for the same seed and others for another', () => {
    const take = (seed: number): number[] => {
      const random = randomFrom(seed);
      return [random.next(), random.next(), random.next()];
    };
    expect(take(7)).toEqual(take(7));
    expect(take(7)).not.toEqual(take(8));
  });

  it('has streams that do not disturb each other', () => {
    const one = randomFrom(1);
    const other = randomFrom(1);
    other.stream('pulls').next();
    other.next();
    expect(one.stream('class').next()).toBe(other.stream('class').next());
    expect(one.stream('class').next()).not.toBe(one.stream('pulls').next());
  });

  it('is spread evenly over 0 to 1', () => {
    const values = draws((random) => random.next());
    expect(values[0]).toBeGreaterThanOrEqual(0);
    expect(values.at(-1)).toBeLessThan(1);
    expect(mean(values)).toBeCloseTo(0.5, 1);
    expect(values[DRAWS / 4]).toBeCloseTo(0.25, 1);
  });

  const durations: readonly {
    readonly name: string;
    readonly duration: Duration;
    readonly median: number;
    readonly average: number;
  }[] = [
    { name: 'a constant', duration: 480, median: 480, average: 480 },
    { name: 'an even spread', duration: { uniform: [80, 120] }, median: 100, average: 100 },
    {
      name: 'a long tail',
      duration: { median: 480, sigma: 0.5 },
      median: 480,
      average: 480 * Math.exp(0.125),
    },
  ];
  it.each(durations)('draws $name around its median and mean', ({ duration, median, average }) => {
    const values = draws((random) => drawSeconds(duration, random));
    expect(medianSeconds(duration)).toBe(median);
    expect(values[DRAWS / 2]! / median).toBeCloseTo(1, 1);
    expect(mean(values) / average).toBeCloseTo(1, 1);
    expect(values[0]).toBeGreaterThanOrEqual(0);
  });

  it('draws pauses of the wanted mean', () => {
    const values = draws((random) => drawExponential(300, random));
    expect(mean(values) / 300).toBeCloseTo(1, 1);
    expect(values[0]).toBeGreaterThanOrEqual(0);
  });
});
