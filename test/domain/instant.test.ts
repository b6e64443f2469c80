import { describe, expect, test } from 'vitest';
import { instantOf, isWithin, secondsBetween } from '../../functions/domain/instant.ts';

describe('a window holds its start and not its end', () => {
  test.each([
    [999, false],
    [1000, true],
    [1999, true],
    [2000, false],
  ])('%d', (at, expected) => {
    expect(isWithin({ startAt: 1000, endAt: 2000 }, at)).toBe(expected);
  });

  test('one without length holds nothing', () => {
    expect(isWithin({ startAt: 1000, endAt: 1000 }, 1000)).toBe(false);
  });
});

test('seconds from one instant to another, backwards too', () => {
  expect([secondsBetween(1000, 3500), secondsBetween(3500, 1000)]).toEqual([2.5, -2.5]);
});

test.each([
  ['2026-03-02T09:00:00Z', Date.UTC(2026, 2, 2, 9)],
  ['2026-03-02T10:00:00.25+01:00', Date.UTC(2026, 2, 2, 9) + 250],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('the timestamp %s', (text, at) => {
  expect(instantOf(text)).toBe(at);
});
