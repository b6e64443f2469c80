/**
 * When a request is sent again: throttled, refused for the moment (5xx) or cut. What the server has decided (401, 403,
 * 404, 409, 422) stays decided, and a server that lets one request run into its time limit is not waited for twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FailureKind } from '../errors.ts';

export interface RetryPolicy {
  /** Requests sent for one answer, the first included. */
  readonly attempts: number;
  readonly firstWaitMillis: number;
  readonly longestWaitMillis: number;
  /** A server that asks for more patience than this has none of ours: the pass ends before. */
  readonly longestRetryAfterMillis: number;
  /** From 0 to 1, for the jitter that keeps the clients of one server apart. */
  readonly random: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Resolves to false when the signal ended the wait. */
  readonly wait: (millis: number, signal: AbortSignal) => Promise<boolean>;
}

export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 5,
  firstWaitMillis: 250,
  longestWaitMillis: 4_000,
  longestRetryAfterMillis: 30_000,
  random: Math.random,
  now: () => performance.now(),
  wait,
};

async function wait(millis: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(millis, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

export interface FailedAttempt {
  readonly kind: FailureKind;
  /** From 1. */
  readonly attempt: number;
  readonly retryAfterMillis: number | undefined;
}

/** How long to wait before the next attempt; undefined when there shall be none. */
export function waitBeforeRetry(failed: FailedAttempt, policy: RetryPolicy): number | undefined {
  if (failed.kind !== 'throttled' && failed.kind !== 'unavailable') {
    return undefined;
  }
  if (failed.attempt >= policy.attempts) {
    return undefined;
  }
  const backoff = Math.min(policy.firstWaitMillis * 2 ** (failed.attempt - 1), policy.longestWaitMillis);
  const jittered = backoff * (0.5 + policy.random() / 2);
  const asked = failed.retryAfterMillis ?? 0;
  return asked > policy.longestRetryAfterMillis ? undefined : Math.max(asked, jittered);
}
