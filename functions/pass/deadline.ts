/**
 * The two clocks of a pass. `stop` ends reading and deciding: it fires on SIGTERM and at the pass's own deadline,
 * which lies under the task's timeout, under the minute. A write in flight is not cut off by it: it gets a short
 * time of its own, so that the pass knows what it did, and the release of the lease another.
 */

export const PASS_SECONDS = 50;
/** Longer than a pass can live, so that a killed one costs at most the next pass. */
export const LEASE_SECONDS = 58;
const WRITE_SECONDS = 3;
const STATE_SECONDS = 10;

export interface Deadline {
  /** Fires when the pass must come to its end. */
  readonly stop: AbortSignal;
  /**
   * Whether that moment has come, by the clock too: a process that was frozen hears from the network before its timers
   * fire, and must not write on the strength of what it read before.
   */
  isOver(): boolean;
  /** For one write, or for the release: independent of `stop`. */
  forWrite(): AbortSignal;
  /** For taking the lease: a store that does not answer must leave time for the cluster. */
  forState(): AbortSignal;
}

/** @param terminated fires on SIGTERM; `secondsLeft` counts from now. */
export function startDeadline(terminated: AbortSignal, secondsLeft: number = PASS_SECONDS): Deadline {
  const end = endAfter(secondsLeft, 'the pass has come to its own deadline');
  const stop = AbortSignal.any([terminated, end.signal]);
  return {
    stop,
    isOver: () => stop.aborted || end.isPast(),
    forWrite: () => AbortSignal.timeout(WRITE_SECONDS * 1000),
    forState: () => AbortSignal.any([stop, AbortSignal.timeout(STATE_SECONDS * 1000)]),
  };
}

/** What one cluster of a fleet may take, from when its turn came; never beyond the pass's own end. */
export const CLUSTER_SECONDS = 40;

export function startClusterDeadline(pass: Deadline, secondsLeft: number = CLUSTER_SECONDS): Deadline {
  const ownEnd = endAfter(secondsLeft, 'the cluster has come to its own deadline');
  return {
    stop: AbortSignal.any([pass.stop, ownEnd.signal]),
    isOver: () => pass.isOver() || ownEnd.isPast(),
    forWrite: () => pass.forWrite(),
    forState: () => AbortSignal.any([pass.forState(), ownEnd.signal]),
  };
}

interface End {
  readonly signal: AbortSignal;
  isPast(): boolean;
}

/** Not AbortSignal.timeout: its TimeoutError would make a pass that ends look like a server that does not answer. */
function endAfter(seconds: number, reason: string): End {
  const end = new AbortController();
  const endsAtMs = performance.now() + seconds * 1000;
  setTimeout(() => {
    end.abort(new Error(reason));
  }, seconds * 1000).unref();
  return { signal: end.signal, isPast: () => performance.now() >= endsAtMs };
}
