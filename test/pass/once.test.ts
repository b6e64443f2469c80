import { describe, expect, it } from 'vitest';
import { rememberSaid } from '../../functions/pass/once.ts';

function run(before: readonly string[] | undefined, fingerprints: readonly string[]) {
  const once = rememberSaid(before);
  const said: string[] = [];
  for (const fingerprint of fingerprints) once.say(fingerprint, () => said.push(fingerprint));
  return { said, remembered: once.said() };
}

describe('what is said once', () => {
  it.each([
    { name: 'is said the first time', before: [], now: ['a'], expected: { said: ['a'], remembered: ['a'] } },
    { name: 'is not said again', before: ['a'], now: ['a'], expected: { said: [], remembered: ['a'] } },
    {
      name: 'is said once in one pass',
      before: [],
      now: ['a', 'a'],
      expected: { said: ['a'], remembered: ['a'] },
    },
    {
      name: 'is forgotten when it is gone',
      before: ['a'],
      now: ['b'],
      expected: { said: ['b'], remembered: ['b'] },
    },
    {
      name: 'is not said while nobody knows what was said before',
      before: undefined,
      now: ['a'],
      expected: { said: [], remembered: ['a'] },
    },
  ])('$name', ({ before, now, expected }) => {
    expect(run(before, now)).toEqual(expected);
  });

  it('is kept by kind when a pass could not look', () => {
    const once = rememberSaid(['finding:1', 'finding:2', 'pool:3']);
    once.keep('finding:');
    expect(once.said()).toEqual(['finding:1', 'finding:2']);
  });

  it('is remembered up to a bound', () => {
    const many = Array.from({ length: 2000 }, (_, index) => `f${index}`);
    expect(run([], many).remembered).toHaveLength(500);
  });
});
