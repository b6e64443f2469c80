import { expect, test } from 'vitest';
import { DEFAULT_RETRY, waitBeforeRetry } from '../../functions/cluster/retry.ts';
import type { FailedAttempt } from '../../functions/cluster/retry.ts';

const failed = (change: Partial<FailedAttempt>): FailedAttempt => ({
  kind: 'unavailable',
  attempt: 1,
  retryAfterMillis: undefined,
  ...change,
});

test.each<{ name: string; attempt: FailedAttempt; random: number; expected: number }>([
  { name: 'a first wait at its longest', attempt: failed({}), random: 1, expected: 250 },
  { name: 'a first wait at its shortest', attempt: failed({}), random: 0, expected: 125 },
  { name: 'twice as long each time', attempt: failed({ attempt: 3 }), random: 1, expected: 1000 },
  { name: 'as long as asked', attempt: failed({ retryAfterMillis: 9000 }), random: 1, expected: 9000 },
  {
    name: 'its own wait when less was asked',
    attempt: failed({ attempt: 4, retryAfterMillis: 1000 }),
    random: 1,
    expected: 2000,
  },
  {
    name: 'the longest that may be asked',
    attempt: failed({ kind: 'throttled', retryAfterMillis: 30_000 }),
    random: 1,
    expected: 30_000,
  },
])('waits $name', ({ attempt, random, expected }) => {
  expect(waitBeforeRetry(attempt, { ...DEFAULT_RETRY, random: () => random })).toBe(expected);
});

test('never waits longer than its bound of its own accord', () => {
  const policy = { ...DEFAULT_RETRY, attempts: 100, random: () => 1 };
  expect(waitBeforeRetry(failed({ attempt: 60 }), policy)).toBe(4000);
});

test.each<{ name: string; attempt: FailedAttempt }>([
  { name: 'the last attempt', attempt: failed({ attempt: 5 }) },
  { name: 'more patience asked than a pass has', attempt: failed({ retryAfterMillis: 30_001 }) },
  ...(
    [
      'unauthenticated',
      'forbidden',
      'notFound',
      'conflict',
      'gone',
      'invalid',
      'timeout',
      'malformed',
      'misconfigured',
      'aborted',
    ] as const
  ).map((kind) => ({ name: kind, attempt: failed({ kind }) })),
])('does not try again after $name', ({ attempt }) => {
  expect(waitBeforeRetry(attempt, DEFAULT_RETRY)).toBeUndefined();
});
