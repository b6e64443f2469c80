import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shareOut } from '../../functions/domain/share-out.ts';

describe('a bound over several pools', () => {
  it.each([
    {
      name: 'changes nothing while all fits',
      claims: [
        { baseline: 1, asked: 3 },
        { baseline: 2, asked: undefined },
      ],
      total: 5,
      expected: { counts: [3, undefined], asked: 5, allowed: 5 },
    },
    {
      name: 'gives baselines first and shares the rest in proportion',
      claims: [
        { baseline: 1, asked: 9 },
        { baseline: 1, asked: 5 },
      ],
      total: 8,
      expected: { counts: [5, 3], asked: 14, allowed: 8 },
    },
    {
      name: 'gives the odd one to the largest remainder, then in config order',
      claims: [
        { baseline: 0, asked: 1 },
        { baseline: 0, asked: 1 },
        { baseline: 0, asked: 1 },
      ],
      total: 2,
      expected: { counts: [1, 1, 0], asked: 3, allowed: 2 },
    },
    {
      name: 'takes the same remainder of a small and of a large share for the same',
      claims: [
        { baseline: 0, asked: 1 },
        { baseline: 0, asked: 10 },
        { baseline: 0, asked: 1 },
      ],
      total: 4,
      expected: { counts: [1, 3, 0], asked: 12, allowed: 4 },
    },
    {
      name: 'keeps the baselines even where they alone are more than the bound',
      claims: [
        { baseline: 4, asked: 6 },
        { baseline: 4, asked: undefined },
      ],
      total: 5,
      expected: { counts: [4, undefined], asked: 10, allowed: 8 },
    },
    {
      name: 'takes a cool-off below the baseline at its word',
      claims: [
        { baseline: 4, asked: 0 },
        { baseline: 0, asked: 9 },
      ],
      total: 6,
      expected: { counts: [0, 6], asked: 9, allowed: 6 },
    },
  ])('$name', ({ claims, total, expected }) => {
    expect(shareOut(claims, total)).toEqual(expected);
  });

  const claim = fc.record({
    baseline: fc.nat(20),
    asked: fc.option(fc.nat(50), { nil: undefined }),
  });

  it('never gives a pool more than it asked, nor less than the smaller of baseline and ask', () => {
    fc.assert(
      fc.property(fc.array(claim, { minLength: 1, maxLength: 12 }), fc.nat(200), (claims, total) => {
        const { counts } = shareOut(claims, total);
        claims.forEach(({ baseline, asked }, index) => {
          const count = counts[index] ?? baseline;
          expect(count).toBeLessThanOrEqual(asked ?? baseline);
          expect(count).toBeGreaterThanOrEqual(Math.min(baseline, asked ?? baseline));
        });
      }),
    );
  });

  it('uses up the bound, and passes it only by baselines', () => {
    fc.assert(
      fc.property(fc.array(claim, { minLength: 1, maxLength: 12 }), fc.nat(200), (claims, total) => {
        const { counts, asked, allowed } = shareOut(claims, total);
        const sum = claims.reduce((all, { baseline }, index) => all + (counts[index] ?? baseline), 0);
        const floor = claims.reduce((all, one) => all + Math.min(one.baseline, one.asked ?? one.baseline), 0);
        expect(sum).toBe(allowed);
        expect(allowed).toBe(Math.min(asked, Math.max(total, floor)));
      }),
    );
  });
});
