import { StateError } from '../errors.ts';

/** The error for work that ended because its signal fired: time ran out, or the pass was told to stop. */
export function interruption(doing: string, signal: AbortSignal): StateError {
  const isTimeout = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
  return isTimeout
    ? new StateError(`${doing}: no answer that helped in the time that was left`, {
        kind: 'timeout',
        remedy:
          'check that the store named by --state can be reached, and its latency; the next pass tries again',
        cause: signal.reason,
      })
    : new StateError(`${doing}: the pass was told to stop`, {
        kind: 'aborted',
        remedy: 'nothing: the next pass goes on from what is stored',
        cause: signal.reason,
      });
}
