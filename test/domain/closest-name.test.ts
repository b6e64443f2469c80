import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closestName, editDistance } from '../../functions/domain/closest-name.ts';

describe('the name that was probably meant', () => {
  test.each([
    ['a letter missing', 'bse', ['base', 'workshop'], 'base'],
    ['a letter too many', 'basee', ['base', 'workshop'], 'base'],
    ['a wrong letter', 'bace', ['base', 'workshop'], 'base'],
    ['two letters swapped', 'bsae', ['base', 'workshop'], 'base'],
    ['another letter case', 'BASE', ['base', 'workshop'], 'base'],
    ['two slips in a long name', 'wrkshp', ['base', 'workshop'], 'workshop'],
    ['the beginning of a name', 'work', ['base', 'workshop'], 'workshop'],
    ['the nearer of two', 'worksop', ['workhorse', 'workshop'], 'workshop'],
    ['the first of two as near', 'bat', ['bar', 'bad'], 'bar'],
    ['a plural', 'nodePool', ['nodePools', 'namespace'], 'nodePools'],
  ])('%s', (...[, name, candidates, expected]) => {
    expect(closestName(name, candidates)).toBe(expected);
  });

  test.each([
    ['nothing alike', 'gpu', ['base', 'workshop']],
    ['an empty name', '', ['base']],
    ['no candidates', 'base', []],
    ['one letter for another', 'a', ['b']],
    ['a name beyond all bounds', 'b'.repeat(10_000), ['base']],
    ['a candidate beyond all bounds', 'base', ['b'.repeat(10_000)]],
  ])('none for %s', (_, name, candidates) => {
    expect(closestName(name, candidates)).toBeUndefined();
  });
});

describe('laws of the distance', () => {
  const word = fc.string({ maxLength: 8 });

  test('it is the same in both directions, and zero for equals alone', () => {
    fc.assert(
      fc.property(word, word, (left, right) => {
        expect(editDistance(left, right)).toBe(editDistance(right, left));
        expect(editDistance(left, right) === 0).toBe(left === right);
      }),
    );
  });

  test('it is never more than the longer word', () => {
    fc.assert(
      fc.property(word, word, (left, right) => {
        expect(editDistance(left, right)).toBeLessThanOrEqual(Math.max(left.length, right.length));
      }),
    );
  });
});
