/** Times work inside this process. */
import { setImmediate } from 'node:timers/promises';

export interface TimingOptions {
  readonly samples: number;
  /** Runs that one sample is the mean of: enough for the clock. */
  readonly runs: number;
}

/** Seconds that one run takes, one number a sample. A tenth of the runs go first, for the compiler. */
export async function timeRuns(
  work: () => unknown,
  { samples, runs }: TimingOptions,
): Promise<readonly number[]> {
  const seconds: number[] = [];
  for (let run = 0; run < Math.ceil((samples * runs) / 10); run += 1) await work();
  for (let sample = 0; sample < samples; sample += 1) {
    const started = performance.now();
    for (let run = 0; run < runs; run += 1) await work();
    seconds.push((performance.now() - started) / 1000 / runs);
    await setImmediate();
  }
  return seconds;
}
