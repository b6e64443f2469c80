import { describe, expect, test } from 'vitest';
import { isUsablePoolName, poolNameProblem } from '../../functions/domain/pool-name.ts';

test.each(['base', 'data100', 'user-pool', 'a', '0', 'team.a', 'x'.repeat(51)])('%s can be used', (name) => {
  expect(poolNameProblem(name)).toBeUndefined();
  expect(isUsablePoolName(name)).toBe(true);
});

describe('cannot be used, and why', () => {
  const rule = 'must be lower-case letters, digits, dashes and dots, with a letter or digit at both ends';
  test.each([
    ['', rule],
    ['Base', rule],
    ['team/a', rule],
    ['user_pool', rule],
    ['-a', rule],
    ['a-', rule],
    ['a..b', rule],
    ['a.-b', rule],
    ['ä', rule],
    ['a b', rule],
    ['a\n', rule],
    ['x'.repeat(52), 'is 52 characters long; the name of its Deployment has room for 51'],
  ])('%j', (name, problem) => {
    expect(poolNameProblem(name)).toBe(problem);
    expect(isUsablePoolName(name)).toBe(false);
  });
});
