/**
 * A lock file, held for the milliseconds of one read-modify-write. It says who holds it, so that a process which
 * was killed in between does not keep the next one waiting: on the same machine a dead owner is known at once,
 * elsewhere the lock's age tells. It is a symbolic link to that text and not a file with that content, since a link
 * is there with its text or not at all, and a file can be left empty by a kill between its making and its writing.
 *
 * Taking over cannot be made free of races with files alone, so the holder looks again just before it commits
 * (`isStillHeld`) and starts over when it was displaced.
 */
import { randomUUID } from 'node:crypto';
import { lstat, readlink, rename, rm, symlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

/** Far longer than a save takes; a holder that was suspended this long finds out before it commits. */
const ABANDONED_SECONDS = 10;
const RETRY_MILLISECONDS = 15;

export interface FileLock {
  /** Differs for every holder; names its temporary file too, so that a successor can clear it away. */
  readonly token: string;
  isStillHeld(): Promise<boolean>;
  release(): Promise<void>;
}

interface Holder {
  readonly host: string;
  readonly pid: number;
  readonly token: string;
}

/** Waits until the lock is free or abandoned. Ends with the signal's reason or an error of the file system. */
export async function lockFile(path: string, signal: AbortSignal): Promise<FileLock> {
  const lockPath = `${path}.lock`;
  const holder: Holder = { host: hostname(), pid: process.pid, token: randomUUID() };
  while (!(await isCreated(lockPath, JSON.stringify(holder)))) {
    await removeIfAbandoned(path, lockPath);
    await wait(RETRY_MILLISECONDS, undefined, { signal });
  }
  const isStillHeld = async (): Promise<boolean> => (await readHolder(lockPath))?.token === holder.token;
  return {
    token: holder.token,
    isStillHeld,
    release: async () => {
      if (await isStillHeld()) await rm(lockPath, { force: true });
    },
  };
}

/** Where a holder writes before it commits. */
export function temporaryPath(path: string, token: string): string {
  return `${path}.${token}.tmp`;
}

async function isCreated(lockPath: string, text: string): Promise<boolean> {
  try {
    await symlink(text, lockPath);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function removeIfAbandoned(path: string, lockPath: string): Promise<void> {
  const holder = await readHolder(lockPath);
  if (!isDead(holder) && !(await isOld(lockPath))) return;
  // Renaming picks one remover; whoever loses finds nothing to rename.
  const grave = `${lockPath}.${randomUUID()}`;
  try {
    await rename(lockPath, grave);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  await rm(grave, { force: true });
  if (holder !== undefined) await rm(temporaryPath(path, holder.token), { force: true });
}

/** Undefined when there is no lock, or none of ours: then its age alone tells. */
async function readHolder(lockPath: string): Promise<Holder | undefined> {
  try {
    const parsed: unknown = JSON.parse(await readlink(lockPath));
    return isHolder(parsed) ? parsed : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || hasCode(error, 'ENOENT') || hasCode(error, 'EINVAL'))
      return undefined;
    throw error;
  }
}

function isHolder(value: unknown): value is Holder {
  if (typeof value !== 'object' || value === null) return false;
  const fields: Partial<Record<keyof Holder, unknown>> = value;
  const { host, pid, token } = fields;
  return typeof host === 'string' && typeof pid === 'number' && typeof token === 'string';
}

function isDead(holder: Holder | undefined): boolean {
  if (holder === undefined || holder.host !== hostname()) return false;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

async function isOld(lockPath: string): Promise<boolean> {
  try {
    const { mtimeMs } = await lstat(lockPath);
    return Date.now() - mtimeMs > ABANDONED_SECONDS * 1000;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
