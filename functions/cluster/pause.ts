/**
 * An API server that answers 429 or 503 with Retry-After speaks of its load, not of the one request. So its wish holds for
 * everything that this pass sends it: until that moment nothing new goes out. What is in flight is left alone, and
 * other clusters have a connection and a pause of their own.
 */
import { MalformedError, PausedError, StatusError } from './failure.ts';
import type { RetryPolicy } from './retry.ts';

/** Other errors of a server come with it too, but are about the one request. */
const ABOUT_LOAD: readonly number[] = [429, 503];

/** Timers may fire this much early. */
const TIMER_MILLIS = 1;

/** What one server asks for. */
export class Pause {
  readonly #policy: RetryPolicy;
  #endsAt = 0;
  #askedBy: StatusError | undefined;

  constructor(policy: RetryPolicy) {
    this.#policy = policy;
  }

  /** Of several moments the latest wins. */
  ask(refusal: StatusError): void {
    const endsAt = this.#policy.now() + (refusal.retryAfterMillis ?? 0);
    if (ABOUT_LOAD.includes(refusal.status) && endsAt > this.#endsAt) {
      this.#endsAt = endsAt;
      this.#askedBy = refusal;
    }
  }

  /**
   * Those who wait do not go on all at once, and whoever was refused, and waits by itself, goes before them: when it is
   * refused again, they wait on.
   *
   * @returns who asked for the pause that is over now; undefined when there was none
   * @throws PausedError when the signal ends the wait, or when it would be longer than a pass has patience
   */
  async end(signal: AbortSignal): Promise<StatusError | undefined> {
    const { now, random, wait, firstWaitMillis, longestRetryAfterMillis } = this.#policy;
    let waitedFor: StatusError | undefined;
    for (;;) {
      const left = this.#endsAt - now();
      if (this.#askedBy === undefined || left < TIMER_MILLIS) {
        return waitedFor;
      }
      waitedFor = this.#askedBy;
      const isTooLong = left > longestRetryAfterMillis;
      if (isTooLong || !(await wait(left + firstWaitMillis * random(), signal))) {
        throw new PausedError('not sent, since the API server asks for a pause', waitedFor);
      }
    }
  }
}

/** One request on its way through the pauses of its server. */
export class Turn {
  readonly #pause: Pause;
  readonly #signal: AbortSignal;
  #waitedFor: StatusError | undefined;

  constructor(pause: Pause, signal: AbortSignal) {
    this.#pause = pause;
    this.#signal = signal;
  }

  /** @throws PausedError */
  async come(): Promise<void> {
    this.#waitedFor = (await this.#pause.end(this.#signal)) ?? this.#waitedFor;
  }

  /**
   * Takes note of what an attempt ended with.
   *
   * @returns what it ended with; but a time limit of the caller's that the pause used up is no silence of the server
   */
  judge(cause: unknown): unknown {
    if (cause instanceof StatusError) {
      this.#pause.ask(cause);
      this.#waitedFor = (cause.retryAfterMillis ?? 0) > 0 ? cause : this.#waitedFor;
      return cause;
    }
    const isAnswer = cause instanceof MalformedError || cause instanceof PausedError;
    return this.#waitedFor === undefined || isAnswer || !this.#signal.aborted
      ? cause
      : new PausedError('no time left for an answer, since the API server asks for a pause', this.#waitedFor);
  }
}
