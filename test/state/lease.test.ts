import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Claim, Claimed, LeaseRecord } from '../../functions/state/lease.ts';
import {
  CLOCK_SKEW_SECONDS,
  NEVER_TAKEN,
  isLive,
  isNewest,
  releaseLease,
  takeLease,
} from '../../functions/state/lease.ts';

const NOW = Date.UTC(2026, 2, 2, 9, 0);
const HELD: LeaseRecord = {
  fence: 7,
  owner: 'pass-1',
  takenAt: NOW,
  expiresAt: NOW + 58_000,
  isReleased: false,
};
const claim = (overrides: Partial<Claim> = {}): Claim => ({
  owner: 'pass-2',
  now: NOW,
  leaseSeconds: 58,
  ...overrides,
});
const takenBy = (owner: string, fence: number, now: number): Claimed => ({
  kind: 'acquired',
  lease: { owner, fence, expiresAt: now + 58_000 },
  record: { owner, fence, takenAt: now, expiresAt: now + 58_000, isReleased: false },
});

interface Row {
  readonly who: string;
  readonly record: LeaseRecord;
  readonly asked: Claim;
  readonly expected: Claimed;
}

describe('who may take the lease', () => {
  const tooEarly = NOW - CLOCK_SKEW_SECONDS * 1000 - 1;

  test.each<Row>([
    {
      who: 'the first pass ever',
      record: NEVER_TAKEN,
      asked: claim(),
      expected: takenBy('pass-2', 1, NOW),
    },
    {
      who: 'a pass after a release',
      record: releaseLease(HELD),
      asked: claim(),
      expected: takenBy('pass-2', 8, NOW),
    },
    {
      who: 'a pass at the instant of expiry',
      record: HELD,
      asked: claim({ now: NOW + 58_000 }),
      expected: takenBy('pass-2', 8, NOW + 58_000),
    },
    {
      who: 'the owner, whose first answer was lost',
      record: HELD,
      asked: claim({ owner: 'pass-1', now: NOW + 5_000 }),
      expected: takenBy('pass-1', 8, NOW + 5_000),
    },
    {
      who: 'a pass that finds a lease stamped by a clock that is wrong',
      record: HELD,
      asked: claim({ now: tooEarly }),
      expected: takenBy('pass-2', 8, tooEarly),
    },
  ])('$who takes it, with the next number', ({ record, asked, expected }) => {
    expect(takeLease(record, asked)).toEqual(expected);
  });

  test.each([
    ['at the instant it was taken', NOW],
    ['a millisecond before it expires', NOW + 57_999],
    ['from a machine whose clock is a little behind', NOW - CLOCK_SKEW_SECONDS * 1000],
  ])('another pass is kept off %s', (_, now) => {
    expect(takeLease(HELD, claim({ now }))).toEqual({
      kind: 'held',
      owner: 'pass-1',
      expiresAt: NOW + 58_000,
    });
  });
});

describe('whose decision is the newest', () => {
  const lease = { owner: 'pass-1', fence: 7, expiresAt: NOW + 58_000 };

  test.each([
    ['while it is held', HELD],
    ['after it was released, when nobody has taken it since', releaseLease(HELD)],
  ])('the last holder %s', (_, record) => {
    expect(isNewest(record, lease)).toBe(true);
  });

  test.each([
    ['a later pass has taken it', { ...HELD, fence: 8, owner: 'pass-2' }],
    ['the same pass has taken it again', { ...HELD, fence: 8 }],
    ['the record was deleted', NEVER_TAKEN],
    ['the record was deleted and the numbers came up to the same', { ...HELD, owner: 'pass-2' }],
  ])('not the holder once %s', (_, record) => {
    expect(isNewest(record, lease)).toBe(false);
  });
});

test('the number grows with every lease taken, whatever clocks, releases and owners do', () => {
  const step = fc.record({
    owner: fc.constantFrom('a', 'b', 'c'),
    now: fc.integer({ min: 0, max: 10_000_000 }),
    leaseSeconds: fc.integer({ min: 1, max: 120 }),
    isReleased: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { fences, refusals } = play(steps);
      expect(fences).toEqual(fences.map((_, index) => index + 1));
      expect(refusals.filter(({ record, asked }) => !isLive(record, asked.now))).toEqual([]);
      expect(refusals.filter(({ record, asked }) => record.owner === asked.owner)).toEqual([]);
    }),
  );
});

interface Refusal {
  readonly record: LeaseRecord;
  readonly asked: Claim;
}

function play(steps: readonly (Claim & { readonly isReleased: boolean })[]): {
  fences: number[];
  refusals: Refusal[];
} {
  let record = NEVER_TAKEN;
  const fences: number[] = [];
  const refusals: Refusal[] = [];
  for (const { isReleased, ...asked } of steps) {
    const claimed = takeLease(record, asked);
    if (claimed.kind === 'held') {
      refusals.push({ record, asked });
      continue;
    }
    fences.push(claimed.lease.fence);
    record = isReleased ? releaseLease(claimed.record) : claimed.record;
  }
  return { fences, refusals };
}
