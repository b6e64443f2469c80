import { expect, test } from 'vitest';
import { readRetryAfter } from '../functions/retry-after.ts';

const NOW = Date.UTC(2026, 2, 2, 9, 0, 0);

test.each([
  ['12', 12_000],
  ['0', 0],
  [' 5 ', 5_000],
  ['Mon, 02 Mar 2026 09:00:30 GMT', 30_000],
  ['Mon, 02 Mar 2026 08:59:00 GMT', 0],
])('reads Retry-After %j', (header, expected) => {
  expect(readRetryAfter(header, NOW)).toBe(expected);
});

test.each([[undefined], [null], [''], ['soon'], ['-3'], ['1.5s']])(
  'makes nothing of Retry-After %j',
  (header) => {
    expect(readRetryAfter(header, NOW)).toBeUndefined();
  },
);
