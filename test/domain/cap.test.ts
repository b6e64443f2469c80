import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cap, type CappedPool, layCaps } from '../../functions/domain/cap.ts';

const pool = (cluster: string, baseline = 0, maxReplicas = 50) => ({ cluster, baseline, maxReplicas });
const calendar = (most: number, ...clusters: readonly string[]): Cap => ({
  name: 'calendarMaxReplicas',
  most,
  clusters: new Set(clusters),
});
const total = (most: number): Cap => ({ name: 'maxReplicasTotal', most, clusters: new Set(['a', 'b', 'c']) });

describe('caps over several pools', () => {
  it.each([
    { name: 'take nothing while all fits', caps: [calendar(9, 'a', 'b'), total(12)], cuts: [[], [], []] },
    {
      name: 'of a calendar leave the pools of others alone',
      caps: [calendar(6, 'a', 'b')],
      cuts: [[{ by: 'calendarMaxReplicas', left: 4 }], [{ by: 'calendarMaxReplicas', left: 2 }], []],
    },
    {
      name: 'of two calendars are shared each among its own',
      caps: [calendar(6, 'a', 'b'), calendar(1, 'c')],
      cuts: [
        [{ by: 'calendarMaxReplicas', left: 4 }],
        [{ by: 'calendarMaxReplicas', left: 2 }],
        [{ by: 'calendarMaxReplicas', left: 1 }],
      ],
    },
    {
      name: 'of the fleet bound what those of calendars left',
      caps: [calendar(6, 'a', 'b'), total(6)],
      cuts: [
        [
          { by: 'calendarMaxReplicas', left: 4 },
          { by: 'maxReplicasTotal', left: 3 },
        ],
        [
          { by: 'calendarMaxReplicas', left: 2 },
          { by: 'maxReplicasTotal', left: 1 },
        ],
        [{ by: 'maxReplicasTotal', left: 2 }],
      ],
    },
  ])('$name', ({ caps, cuts }) => {
    expect(layCaps(caps, [pool('a'), pool('b'), pool('c')])([6, 3, 3]).cuts).toEqual(cuts);
  });

  it('tell each excess with the pools that get less', () => {
    const [a, b] = [pool('a', 1), pool('b', 2)];
    const cap = calendar(6, 'a', 'b');
    expect(layCaps([cap], [a, b])([9, undefined]).excesses).toEqual([
      { cap, asked: 11, allowed: 6, cuts: [{ pool: a, asked: 9, left: 4 }] },
    ]);
  });

  it("reckon with a pool's own maxReplicas, which is not their doing", () => {
    const capped = layCaps([calendar(10, 'a', 'b')], [pool('a', 0, 4), pool('b')]);
    expect(capped([99, 6])).toEqual({ cuts: [[], []], excesses: [] });
  });
});

interface Drawn {
  readonly pools: readonly (CappedPool & { readonly asked: number | undefined })[];
  readonly caps: readonly Cap[];
}

describe('laws of caps', () => {
  const claim = fc.record({
    cluster: fc.constantFrom('a', 'b', 'c'),
    baseline: fc.nat(8),
    maxReplicas: fc.integer({ min: 8, max: 40 }),
    asked: fc.option(fc.nat(50), { nil: undefined }),
  });
  const drawn: fc.Arbitrary<Drawn> = fc.record({
    pools: fc.array(claim, { maxLength: 10 }),
    caps: fc
      .tuple(fc.nat(60), fc.nat(60), fc.nat(90))
      .map(([ab, c, all]) => [calendar(ab, 'a', 'b'), calendar(c, 'c'), total(all)]),
  });

  /** Of each pool: what it comes to without caps and with them, and what no cap may take. */
  function outcomesOf({ pools, caps }: Drawn) {
    const { cuts, excesses } = layCaps(caps, pools)(pools.map(({ asked }) => asked));
    const outcomes = pools.map(({ cluster, baseline, maxReplicas, asked }, index) => {
      const wanted = Math.min(asked ?? baseline, maxReplicas);
      const count = cuts[index]?.at(-1)?.left ?? wanted;
      return { cluster, wanted, count, floor: Math.min(baseline, wanted), cuts: cuts[index] ?? [] };
    });
    return { outcomes, excesses };
  }

  function sumOf(
    cap: Cap,
    outcomes: ReturnType<typeof outcomesOf>['outcomes'],
    key: 'wanted' | 'count' | 'floor',
  ) {
    return outcomes
      .filter(({ cluster }) => cap.clusters.has(cluster))
      .reduce((sum, outcome) => sum + outcome[key], 0);
  }

  it('no cap is passed but by baselines', () => {
    fc.assert(
      fc.property(drawn, (input) => {
        const { outcomes } = outcomesOf(input);
        for (const cap of input.caps) {
          expect(sumOf(cap, outcomes, 'count')).toBeLessThanOrEqual(
            Math.max(cap.most, sumOf(cap, outcomes, 'floor')),
          );
        }
      }),
    );
  });

  it('no pool gets less than its baseline, unless its events ask for less, nor more than they ask', () => {
    fc.assert(
      fc.property(drawn, (input) => {
        const { outcomes } = outcomesOf(input);
        expect(outcomes.filter(({ count, floor, wanted }) => count < floor || count > wanted)).toEqual([]);
      }),
    );
  });

  it('a cap that is exceeded is used up, to the last placeholder', () => {
    fc.assert(
      fc.property(drawn, fc.nat(2), ({ pools, caps }, chosen) => {
        for (const cap of caps.slice(chosen, chosen + 1)) {
          const { outcomes } = outcomesOf({ pools, caps: [cap] });
          const [wanted, count, floor] = (['wanted', 'count', 'floor'] as const).map((key) =>
            sumOf(cap, outcomes, key),
          );
          expect(count).toBe(Math.min(wanted!, Math.max(cap.most, floor!)));
        }
      }),
    );
  });

  it('each cut takes something of what the one before it left', () => {
    fc.assert(
      fc.property(drawn, (input) => {
        for (const { wanted, cuts } of outcomesOf(input).outcomes) {
          const steps = [wanted, ...cuts.map(({ left }) => left)];
          expect(steps).toEqual([...new Set(steps)].sort((one, other) => other - one));
        }
      }),
    );
  });
});
