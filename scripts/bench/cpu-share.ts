/**
 * Processes that may use only so much of a core, as each task of a Cloud Run job has cores of its own: by control groups
 * of Linux, version 2 or 1 (docs.kernel.org: admin-guide/cgroup-v2, scheduler/sched-bwc).
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CpuShare {
  /** @param pid of a process that has just started: what it has used until then is not counted. */
  readonly add: (pid: number) => void;
  /** Ends what is left of its processes. Done by itself when this process exits. */
  readonly remove: () => void;
}

const ROOT = '/sys/fs/cgroup';
const PERIOD_MICROS = 100_000;

/** @param cores as 0.5. @returns undefined where this process may not make control groups: mostly that takes root. */
export function openCpuShare(name: string, cores: number): CpuShare | undefined {
  const isVersion2 = existsSync(join(ROOT, 'cgroup.controllers'));
  const folder = join(ROOT, ...(isVersion2 ? [] : ['cpu']), name);
  const quota = String(Math.round(cores * PERIOD_MICROS));
  const limit: readonly (readonly [file: string, value: string])[] = isVersion2
    ? [['cpu.max', `${quota} ${PERIOD_MICROS}`]]
    : [
        ['cpu.cfs_period_us', String(PERIOD_MICROS)],
        ['cpu.cfs_quota_us', quota],
      ];
  try {
    mkdirSync(folder);
  } catch {
    return undefined;
  }
  const remove = () => {
    process.off('exit', remove);
    removeGroup(folder);
  };
  process.once('exit', remove);
  try {
    for (const [file, value] of limit) writeFileSync(join(folder, file), value);
  } catch {
    remove();
    return undefined;
  }
  return {
    add: (pid) => {
      writeFileSync(join(folder, 'cgroup.procs'), String(pid));
    },
    remove,
  };
}

const MOST_TRIES = 100;
const TRY_MILLIS = 20;

/** A process that was killed is in its group for a moment longer. Waits in place, since it may be the exit that calls. */
function removeGroup(folder: string): void {
  for (let tries = 1; ; tries += 1) {
    try {
      for (const pid of readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)) {
        process.kill(Number(pid), 'SIGKILL');
      }
      rmdirSync(folder);
      return;
    } catch (error) {
      if (tries === MOST_TRIES) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_MILLIS);
    }
  }
}
