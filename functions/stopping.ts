/** For work that knows no signal: whoever waits for it stops waiting. */

/**
 * The work itself runs on unheard.
 * @param failure what is thrown as soon as the signal says stop; its reason unless given
 */
export async function orStop<T>(
  work: Promise<T>,
  signal: AbortSignal,
  failure: () => unknown = () => signal.reason,
): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const stop = (): void => {
    stopped.reject(failure());
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) {
    stop();
  }
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
