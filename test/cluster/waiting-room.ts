/** A retry policy on a virtual clock: whoever waits is seen to, and goes on when the test lets time pass. */
import { DEFAULT_RETRY } from '../../functions/cluster/retry.ts';
import type { RetryPolicy } from '../../functions/cluster/retry.ts';
import { VirtualClock } from '../../functions/embedded/clock.ts';

export class WaitingRoom {
  /** Every wait begun so far, in milliseconds. */
  readonly waits: number[] = [];
  readonly #clock = new VirtualClock(0);
  #arrived = Promise.withResolvers<undefined>();

  readonly retry: RetryPolicy = {
    ...DEFAULT_RETRY,
    random: () => 1,
    now: () => this.#clock.now(),
    wait: (millis, signal) => this.#wait(millis, signal),
  };

  /** Resolves when so many waits have begun. */
  async hasSeen(count: number): Promise<void> {
    while (this.waits.length < count) {
      await this.#arrived.promise;
    }
  }

  /** Time passes, and whose wait is over goes on. */
  pass(millis: number): void {
    this.#clock.runUntil(this.#clock.now() + millis);
  }

  #wait(millis: number, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#clock.at(this.#clock.now() + millis, () => {
      resolve(true);
    });
    signal.addEventListener('abort', () => {
      resolve(false);
    });
    this.waits.push(millis);
    this.#arrived.resolve(undefined);
    this.#arrived = Promise.withResolvers();
    return promise;
  }
}
