/**
 * Processes that may use only so much of a core, as each task of a Cloud Run job has cores of its own: by control groups
 * of Linux, version 2 or 1 (docs.kernel.org: admin-guide/cgroup-v2, scheduler/sched-bwc).
 */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CpuShare {
  /** @param pid of a process that has just started: what it has used until then is not counted. */
  readonly add: (pid: number) => void;
  /** Once none of its processes is left. */
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
    rmdirSync(folder);
  };
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
