/** For work that knows no signal: whoever waits for it stops waiting. */

/** @throws what `failure` makes, as soon as the signal says stop; the work itself runs on unheard. */
export async function orStop<T>(work: Promise<T>, signal: AbortSignal, failure: () => Error): Promise<T> {
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
