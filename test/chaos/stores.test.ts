/** Schedules of overlapping passes over the stores that outlive a process; each pass has a store of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { StateStore } from '../../functions/ports.ts';
import { FileStateStore } from '../../functions/state/file.ts';
import { FirestoreStateStore } from '../../functions/state/firestore.ts';
import { emulatorHost, hasEmulator } from '../support/firestore-emulator.ts';
import { violationsOf } from './laws.ts';
import type { OpenStore } from './schedule.ts';
import { playSchedule } from './schedule.ts';

const FILE_SEEDS = 60;
const FIRESTORE_SEEDS = 25;

async function play(seeds: number, openStore: (seed: number) => OpenStore) {
  const violations: string[] = [];
  const met = { kills: 0, held: 0, fenced: 0 };
  for (let seed = 0; seed < seeds; seed += 1) {
    const outcome = await playSchedule(seed, 2 + (seed % 2), openStore(seed));
    violations.push(...violationsOf(outcome));
    met.kills += outcome.met.kills;
    met.held += outcome.met.held;
    met.fenced += outcome.met.fenced;
  }
  return { violations, met };
}

describe('overlapping passes over a file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chaos-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  test(`${FILE_SEEDS} schedules: one writer, nothing applied out of order, no history lost`, async () => {
    const { violations, met } = await play(
      FILE_SEEDS,
      (seed) => () => new FileStateStore(join(folder, `${seed}.json`)),
    );
    expect(violations).toEqual([]);
    expect(Object.values(met).every((count) => count > 0)).toBe(true);
  }, 120_000);
});

describe.skipIf(!hasEmulator())('overlapping passes over Firestore', () => {
  const opened: StateStore[] = [];
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
  });

  test(`${FIRESTORE_SEEDS} schedules on the emulator: one writer, nothing applied out of order, no history lost`, async () => {
    const host = await emulatorHost();
    const { violations, met } = await play(FIRESTORE_SEEDS, (seed) => () => {
      const store = new FirestoreStateStore({
        projectId: 'chaos',
        databaseId: `schedule-${seed}`,
        emulatorHost: host,
        timeoutSeconds: 60,
      });
      opened.push(store);
      return store;
    });
    expect(violations).toEqual([]);
    expect(Object.values(met).every((count) => count > 0)).toBe(true);
  }, 240_000);
});
