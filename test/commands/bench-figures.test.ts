/** What decides whether `npm run bench` fails, and what its figures are. */
import { describe, expect, test } from 'vitest';
import { figureOf, isMet, isRight, wrongCounts } from '../../scripts/bench/figure.ts';

test.each([
  ['of an odd number of runs', [3, 1, 2], { median: 2, lowest: 1, highest: 3, samples: 3 }],
  ['of an even number', [4, 1, 2, 10], { median: 3, lowest: 1, highest: 10, samples: 4 }],
  ['of one', [7], { median: 7, lowest: 7, highest: 7, samples: 1 }],
])('a figure %s', (_, samples, expected) => {
  expect(figureOf('wall', 's', samples)).toEqual({ name: 'wall', unit: 's', ...expected });
});

describe('a count', () => {
  const right = { name: 'requests', expected: 5, found: 5 };
  const wrong = { name: 'writes', expected: 0, found: 1 };

  test('is right when it is as expected, and otherwise wrong', () => {
    expect([right, wrong].map(isRight)).toEqual([true, false]);
  });

  test('that is wrong is found among all scenarios', () => {
    expect(wrongCounts([{ counts: [right] }, { counts: [right, wrong] }])).toEqual([wrong]);
    expect(wrongCounts([{ counts: [right] }])).toEqual([]);
  });
});

test('a bar is met up to its limit, and not by what was not measured', () => {
  const bar = (found: number) => isMet({ name: 'wall', atMost: 1.3, found, unit: 'times' });
  expect([bar(1.3), bar(1.31), bar(Number.NaN)]).toEqual([true, false, false]);
});
