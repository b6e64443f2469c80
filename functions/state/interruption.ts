import { StateError } from '../errors.ts';

/** The error for work that ended because its signal fired: time ran out, or the pass was told to stop. */
export function interruption(doing: string, signal: AbortSignal): StateError {
  const isTimeout = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
  return isTimeout
    ? new StateError(`${doing}: no answer in the time that was left`, {
        kind: 'timeout',
        remedy: 'look at the latency of the store named by --state; the next pass tries again',
        cause: signal.reason,
      })
    : new StateError(`${doing}: the pass was told to stop`, {
        kind: 'aborted',
        remedy: 'nothing: the next pass goes on from what is stored',
        cause: signal.reason,
      });
}

/** Gives up waiting when the signal fires. What was started goes on unheard; its result is dropped. */
export async function untilInterrupted<T>(
  work: () => Promise<T>,
  doing: string,
  signal: AbortSignal,
): Promise<T> {
  if (signal.aborted) throw interruption(doing, signal);
  const { promise: fired, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => {
    reject(interruption(doing, signal));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work(), fired]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
