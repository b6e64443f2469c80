/** For work that knows no signal, or may not heed it: whoever waits for it stops waiting. */

export interface Stopping {
  /** What is thrown when the signal says stop; its reason unless given. */
  readonly failure?: () => unknown;
  /** Time to end by itself, for work that may have more to say about it. Milliseconds, 0 unless given. */
  readonly graceMillis?: number;
}

/** The work itself runs on unheard. */
export async function orStop<T>(
  work: Promise<T>,
  signal: AbortSignal,
  { failure = (): unknown => signal.reason, graceMillis = 0 }: Stopping = {},
): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  let grace: NodeJS.Timeout | undefined;
  const giveUp = (): void => {
    stopped.reject(failure());
  };
  const stop = (): void => {
    if (graceMillis > 0) grace = setTimeout(giveUp, graceMillis);
    else giveUp();
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) {
    stop();
  }
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    clearTimeout(grace);
    signal.removeEventListener('abort', stop);
  }
}
