/** What the figures were taken on, so that nobody compares them with another machine's unawares. */
import { arch, cpus, loadavg, release, totalmem, type } from 'node:os';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Processes that wanted a core over the last minute, before the run: above a tenth of the cores, figures are noisy. */
  readonly loadBefore: number;
}

export function describeMachine(): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memoryGb: Math.round(totalmem() / 1e9),
    system: `${type()} ${release()} ${arch()}`,
    node: process.version,
    loadBefore: Math.round((loadavg()[0] ?? Number.NaN) * 100) / 100,
  };
}
