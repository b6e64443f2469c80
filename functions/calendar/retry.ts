/** Trying again, within a budget of time that is known beforehand: a pass has its minute and no more. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CalendarError } from '../errors.ts';

export interface RetryPolicy {
  /** Most requests for one page, the first included. */
  readonly attempts: number;
  /** Most that one reading may spend waiting between requests, in milliseconds. */
  readonly waitBudgetMs: number;
  /** First wait; each further one is twice as long. */
  readonly firstWaitMs: number;
  /** Longest that one request may take, its body included, in milliseconds. */
  readonly requestTimeoutMs: number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const RETRY_POLICY: RetryPolicy = {
  attempts: 5,
  waitBudgetMs: 15_000,
  firstWaitMs: 500,
  requestTimeoutMs: 10_000,
  wait: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** What one request came to. */
export type Attempt<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | {
      readonly kind: 'failed';
      readonly error: CalendarError;
      readonly mayRetry: boolean;
      /** What the server asked for (`Retry-After`), in milliseconds. */
      readonly retryAfterMs: number | undefined;
    };

/** Remembers what one reading has waited so far: its pages share the budget. */
export class RetryBudget {
  readonly #policy: RetryPolicy;
  #waitedMs = 0;

  constructor(policy: RetryPolicy) {
    this.#policy = policy;
  }

  /** @throws CalendarError of the last attempt when there is no time or no sense in another. */
  async run<T>(attempt: () => Promise<Attempt<T>>, signal: AbortSignal): Promise<T> {
    for (let tried = 1; ; tried += 1) {
      const outcome = await attempt();
      if (outcome.kind === 'answered') {
        return outcome.value;
      }
      const waitMs = outcome.retryAfterMs ?? this.#policy.firstWaitMs * 2 ** (tried - 1);
      const isAffordable = this.#waitedMs + waitMs <= this.#policy.waitBudgetMs;
      if (!outcome.mayRetry || tried >= this.#policy.attempts || !isAffordable || signal.aborted) {
        throw outcome.error;
      }
      this.#waitedMs += waitMs;
      await this.#pause(waitMs, outcome.error, signal);
    }
  }

  async #pause(waitMs: number, error: CalendarError, signal: AbortSignal): Promise<void> {
    try {
      await this.#policy.wait(waitMs, signal);
    } catch {
      // Told to stop while waiting: what the server said last is worth more than "aborted".
      throw error;
    }
  }
}
