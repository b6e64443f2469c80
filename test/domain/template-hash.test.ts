import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashOf } from '../../functions/domain/template-hash.ts';

test('is the same from release to release: a new one would replace every placeholder', () => {
  expect(hashOf({ a: 1, b: ['x', { c: null }] })).toBe('5b6b7e878f96bee1');
});

test('has 16 digits, leading zeros included', () => {
  expect(hashOf({ replicas: 245 })).toBe('08f537b505e1407b');
});

test('takes what is undefined as JSON does: null in a list, absent in a mapping', () => {
  expect(hashOf([undefined, { a: 1, b: undefined }])).toBe(hashOf([null, { a: 1 }]));
});

test('tells a list from its reverse, a number from its text, a key from a value', () => {
  const values = [['a', 'b'], ['b', 'a'], [1], ['1'], { a: 'b' }, { b: 'a' }, {}, [], null, '', 0, false];
  expect(new Set(values.map(hashOf)).size).toBe(values.length);
});

test('law: the order of the keys does not matter, at any depth', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (record) => {
      const swapped = Object.fromEntries(Object.entries(record).toReversed());
      expect(hashOf({ deep: [swapped] })).toBe(hashOf({ deep: [record] }));
    }),
  );
});

test('law: any change of a value changes the hash', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      fc.pre(a !== b);
      expect(hashOf({ image: a })).not.toBe(hashOf({ image: b }));
    }),
  );
});
