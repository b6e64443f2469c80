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
    ['spaces around', '  bse ', ['base', 'workshop'], 'base'],
    ['the first three letters', 'wor', ['base', 'workshop'], 'workshop'],
    ['two slips in a name of six letters', 'corce', ['course', 'base'], 'course'],
    ['a slip in a name of the greatest length', `${'b'.repeat(63)}c`, ['b'.repeat(64)], 'b'.repeat(64)],
    ['a plural', 'nodePool', ['nodePools', 'namespace'], 'nodePools'],
  ])('%s', (...[, name, candidates, expected]) => {
    expect(closestName(name, candidates)).toBe(expected);
  });

  test.each([
    ['nothing alike', 'gpu', ['base', 'workshop']],
    ['an empty name', '', ['base']],
    ['no candidates', 'base', []],
    ['an empty name beside one letter', '', ['b']],
    ['one letter for another', 'a', ['b']],
    ['one letter of two', 'a', ['ab']],
    ['the first two letters alone', 'wo', ['base', 'workshop']],
    ['a name just beyond the bound', 'b'.repeat(65), ['b'.repeat(64)]],
    ['a candidate just beyond the bound', 'b'.repeat(64), ['b'.repeat(65)]],
    ['a name beyond all bounds', 'b'.repeat(10_000), ['base']],
    ['a candidate beyond all bounds', 'base', ['b'.repeat(10_000)]],
  ])('none for %s', (_, name, candidates) => {
    expect(closestName(name, candidates)).toBeUndefined();
  });
});

describe('the distance', () => {
  test.each([
    ['base', 'base', 0],
    ['base', '', 4],
    ['base', 'bse', 1],
    ['base', 'basee', 1],
    ['base', 'bace', 1],
    ['base', 'bsae', 1],
    ['abase', 'baase', 1],
    ['hub-west', 'hbu-wets', 2],
    ['ab', 'ca', 2],
    ['ca', 'ab', 2],
    ['ca', 'abc', 3],
    ['workshop', 'wrokshpo', 2],
    ['kitten', 'sitting', 3],
  ])('from %j to %j', (from, to, edits) => {
    expect(editDistance(from, to)).toBe(edits);
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
