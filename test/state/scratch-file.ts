/** A state file in a folder of its own, made anew for each test, and the way a pass goes in and out of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach } from 'vitest';

import type { ClusterState, Lease } from '../../functions/ports.ts';
import { FileStateStore } from '../../functions/state/file.ts';

export const NOW = Date.UTC(2026, 2, 2, 9, 0);
export const never = new AbortController().signal;

export let folder: string;
export let path: string;

/** To be called once, at the top of a test file. */
export function useScratchFile(): void {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'state-'));
    path = join(folder, 'state.json');
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });
}

/** A whole pass: takes the lease, saves, gives it back. */
export async function put(state: Partial<ClusterState>, file = path): Promise<void> {
  const store = new FileStateStore(file);
  await store.save('default', { lease: await take(store), state, release: true }, never);
}

export async function take(store: FileStateStore): Promise<Lease> {
  const answer = await store.acquire('default', { owner: 'pass', now: NOW, leaseSeconds: 58 }, never);
  if (answer.kind === 'held') throw new Error('held');
  return answer.lease;
}

export function peek(file = path): Promise<ClusterState> {
  return new FileStateStore(file).peek('default', never);
}
