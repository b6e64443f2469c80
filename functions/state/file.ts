import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import * as z from 'zod';

import type { Instant } from '../domain/instant.ts';
import { StateError } from '../errors.ts';
import type { Acquisition, ClusterState, StateStore } from '../ports.ts';
import type { Whereabouts } from './document.ts';
import {
  assertReadable,
  decode,
  encodeLease,
  encodeState,
  mapOf,
  recordSchema,
  SCHEMA_VERSION,
} from './document.ts';
import { classifyFileError } from './file-error.ts';
import type { FileLock } from './file-lock.ts';
import { hasCode, lockFile, temporaryPath } from './file-lock.ts';
import { interruption } from './interruption.ts';
import type { Claim } from './lease.ts';
import type { Change, StoredCluster } from './stored-cluster.ts';
import { NEVER_STORED, acquireFrom, saveInto } from './stored-cluster.ts';

type Clusters = ReadonlyMap<string, StoredCluster>;

/** Longer than a lock takes to count as abandoned. */
const LOCK_SECONDS = 15;

const instant = z.iso.datetime({ precision: 3 }).transform((text): Instant => Date.parse(text));
const schema = recordSchema(instant);
const fileSchema = z.object({ clusters: mapOf(z.unknown()) });

/**
 * All clusters in one JSON file, for laptops and the embedded cluster. A reader never sees half a file: a save
 * writes a new one beside it and renames it into place, under a lock.
 */
export class FileStateStore implements StateStore {
  readonly label: string;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    this.label = `file ${path}`;
  }

  peek(cluster: string, signal: AbortSignal): Promise<ClusterState> {
    return this.#attempt('reading', signal, async () => {
      const clusters = await this.#read(await resolveLinks(this.#path));
      return (clusters.get(cluster) ?? NEVER_STORED).state;
    });
  }

  acquire(cluster: string, claim: Claim, signal: AbortSignal): Promise<Acquisition> {
    return this.#transact(cluster, signal, (stored) => {
      const { answer, stored: next } = acquireFrom(stored, claim);
      return { answer, next };
    });
  }

  async save(cluster: string, change: Change, signal: AbortSignal): Promise<void> {
    await this.#transact(cluster, signal, (stored) => ({
      answer: undefined,
      next: saveInto(stored, cluster, change),
    }));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #transact<T>(
    cluster: string,
    signal: AbortSignal,
    work: (stored: StoredCluster) => { readonly answer: T; readonly next: StoredCluster },
  ): Promise<T> {
    return this.#attempt('writing', signal, async () => {
      const path = await resolveLinks(this.#path);
      for (;;) {
        const lock = await this.#lock(path, signal);
        try {
          const clusters = await this.#read(path);
          const stored = clusters.get(cluster) ?? NEVER_STORED;
          const { answer, next } = work(stored);
          if (next === stored) return answer;
          if (await isReplaced(path, lock, print(new Map(clusters).set(cluster, next)))) return answer;
        } finally {
          await lock.release();
        }
      }
    });
  }

  async #lock(path: string, signal: AbortSignal): Promise<FileLock> {
    const limit = AbortSignal.timeout(LOCK_SECONDS * 1000);
    try {
      return await lockFile(path, AbortSignal.any([signal, limit]));
    } catch (error) {
      if (!limit.aborted || signal.aborted) throw error;
      throw new StateError(`writing ${this.#path}: another process has held ${path}.lock all along`, {
        kind: 'timeout',
        remedy: `see who holds it with ls -l ${path}.lock; when that process is gone, delete the lock`,
        cause: error,
      });
    }
  }

  async #read(path: string): Promise<Clusters> {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      // Only the file itself may be missing, never its folder: an unmounted disk is not an empty history.
      if (hasCode(error, 'ENOENT') && (await stat(dirname(path))).isDirectory()) return new Map();
      throw error;
    }
    return parse(text, this.#path);
  }

  async #attempt<T>(doing: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    this.#assertGoing(doing, signal);
    try {
      return await work();
    } catch (error) {
      if (error instanceof StateError) throw error;
      this.#assertGoing(doing, signal);
      throw classifyFileError(error, doing, this.#path);
    }
  }

  #assertGoing(doing: string, signal: AbortSignal): void {
    if (signal.aborted) throw interruption(`${doing} ${this.#path}`, signal);
  }
}

/** A link stays a link: what is replaced is the file that it points to. */
async function resolveLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    return join(await realpath(dirname(path)), basename(path));
  }
}

/**
 * Writes beside the file, to the last byte, and only then renames: a disk that fills up answers a write with a
 * short count and no error, and a file renamed after that is a file lost. False when the lock was lost meanwhile.
 */
async function isReplaced(path: string, lock: FileLock, text: string): Promise<boolean> {
  const temporary = temporaryPath(path, lock.token);
  try {
    const file = await open(temporary, 'wx', await modeOf(path));
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    if (!(await lock.isStillHeld())) return false;
    await rename(temporary, path);
    return true;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function modeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0o600;
    throw error;
  }
}

// ---- the text ----

function print(clusters: Clusters): string {
  const entries = Array.from(clusters, ([name, { lease, state }]) => [
    name,
    { lease: encodeLease(lease, toText), ...encodeState(state, toText) },
  ]);
  const file = { schemaVersion: SCHEMA_VERSION, clusters: Object.fromEntries(entries) as unknown };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

function toText(at: Instant): string {
  return new Date(at).toISOString();
}

function parse(text: string, path: string): Clusters {
  const where: Whereabouts = {
    what: `state file ${path}`,
    remedy: `restore ${path} (--state) from a copy, or move it away to start with an empty history`,
  };
  const file = parseJson(text, where);
  assertReadable(versionOf(file), where);
  const { clusters } = decode(fileSchema, file, where);
  return new Map(
    Array.from(clusters, ([name, stored]) => [
      name,
      decode(schema, stored, { ...where, what: `${where.what}, cluster ${name}` }),
    ]),
  );
}

function parseJson(text: string, where: Whereabouts): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StateError(`${where.what}: not JSON`, {
      kind: 'malformed',
      remedy: where.remedy,
      cause: error,
    });
  }
}

function versionOf(file: unknown): unknown {
  return typeof file === 'object' && file !== null && 'schemaVersion' in file
    ? file.schemaVersion
    : undefined;
}
