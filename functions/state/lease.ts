/**
 * One writer per cluster. A pass takes the lease before it reads and gives it up when it is done; a pass that
 * was killed leaves a lease that expires. Each lease carries a fencing number that only ever grows, through
 * releases and expiries, so that a pass which wakes up late is told apart from the one that came after it.
 *
 * Pure arithmetic: the stores run it inside their transactions.
 */
import type { Instant } from '../domain/instant.ts';
import { MILLISECONDS_PER_SECOND } from '../domain/instant.ts';
import type { Lease } from '../ports.ts';

/** The lease as it is stored. It outlives its holder, since the next fencing number is counted from it. */
export interface LeaseRecord {
  /** 0: never taken. */
  readonly fence: number;
  readonly owner: string;
  readonly takenAt: Instant;
  readonly expiresAt: Instant;
  readonly isReleased: boolean;
}

export interface Claim {
  /** Names one pass and no other: a second claim by the same owner is the first one sent again. */
  readonly owner: string;
  readonly now: Instant;
  readonly leaseSeconds: number;
}

export type Claimed =
  | { readonly kind: 'acquired'; readonly lease: Lease; readonly record: LeaseRecord }
  | { readonly kind: 'held'; readonly owner: string; readonly expiresAt: Instant };

export const NEVER_TAKEN: LeaseRecord = {
  fence: 0,
  owner: '',
  takenAt: 0,
  expiresAt: 0,
  isReleased: true,
};

/**
 * How far the clocks of two machines are believed to differ. A lease taken further in the future than this was
 * stamped by a wrong clock: without the bound, one pass on a machine an hour ahead that is then killed would
 * lock every other out for an hour. Breaking such a lease is safe, because the fence decides and not the clock.
 */
export const CLOCK_SKEW_SECONDS = 10;

/** Whether somebody else must keep off at `now`. */
export function isLive(record: LeaseRecord, now: Instant): boolean {
  const isPlausible = record.takenAt <= now + CLOCK_SKEW_SECONDS * MILLISECONDS_PER_SECOND;
  return !record.isReleased && isPlausible && now < record.expiresAt;
}

/**
 * Takes the lease, or says who holds it. The owner of a live lease may take it again: when the answer to a
 * commit is lost the client sends the transaction once more and must not be locked out by its own first try.
 */
export function takeLease(record: LeaseRecord, claim: Claim): Claimed {
  if (isLive(record, claim.now) && record.owner !== claim.owner) {
    return { kind: 'held', owner: record.owner, expiresAt: record.expiresAt };
  }
  const lease: Lease = {
    owner: claim.owner,
    fence: record.fence + 1,
    expiresAt: claim.now + claim.leaseSeconds * MILLISECONDS_PER_SECOND,
  };
  return { kind: 'acquired', lease, record: { ...lease, takenAt: claim.now, isReleased: false } };
}

/**
 * Whether this is still the newest lease. An expired or released one that nobody has taken since is: no decision
 * newer than its holder's exists. The owner is compared too, since an operator may have deleted the record, which
 * starts the numbers anew.
 */
export function isNewest(record: LeaseRecord, lease: Lease): boolean {
  return record.fence === lease.fence && record.owner === lease.owner;
}

/** The number stays: the next lease must be above it. */
export function releaseLease(record: LeaseRecord): LeaseRecord {
  return { ...record, isReleased: true };
}
