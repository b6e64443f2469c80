/** CPU that another process has used so far, from Linux's scheduler: finer than the hundredths of a second of `ps`. */
import { readdirSync, readFileSync } from 'node:fs';

/** Seconds over all living threads; NaN where the system does not say. */
export function cpuSecondsOf(pid: number): number {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const nanos = tasks.map((task) => {
      const [running = 'NaN'] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ');
      return Number(running);
    });
    return nanos.reduce((total, one) => total + one, 0) / 1e9;
  } catch {
    return Number.NaN;
  }
}
