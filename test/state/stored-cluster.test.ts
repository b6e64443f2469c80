import { expect, test } from 'vitest';

import type { LeaseRecord } from '../../functions/state/lease.ts';
import { NEVER_TAKEN } from '../../functions/state/lease.ts';
import { MemoryStateStore } from '../../functions/state/memory.ts';
import { assertNewest } from '../../functions/state/stored-cluster.ts';

const NOW = Date.UTC(2026, 2, 2, 9, 0);
const LEASE = { owner: 'pass-of-12:00', fence: 7, expiresAt: NOW };
const TAKEN: LeaseRecord = {
  fence: 8,
  owner: 'pass-of-12:01',
  takenAt: NOW,
  expiresAt: NOW,
  isReleased: false,
};

test.each([
  {
    name: 'a later pass took over',
    record: TAKEN,
    remedy: /^nothing: the later pass pass-of-12:01 \(lease 8\) has taken over; .*outlive their lease$/,
  },
  {
    name: 'the state was deleted',
    record: NEVER_TAKEN,
    remedy: /^nothing, if the stored state was deleted on purpose during this pass/,
  },
])('a save is refused, and says so, when $name', ({ record, remedy }) => {
  const save = (): void => {
    assertNewest(record, 'west', LEASE);
  };
  expect(save).toThrow(
    expect.objectContaining({
      kind: 'fenced',
      message: 'saving the state of cluster west: lease 7 of pass-of-12:00 is no longer the newest',
      remedy: expect.stringMatching(remedy) as string,
    }),
  );
});

test('the holder of the newest lease may save', () => {
  expect(() => {
    assertNewest({ ...TAKEN, fence: 7, owner: 'pass-of-12:00' }, 'west', LEASE);
  }).not.toThrow();
});

test.each([
  ['reading the state', (store: MemoryStateStore, stop: AbortSignal) => store.peek('west', stop)],
  [
    'taking the lease',
    (store: MemoryStateStore, stop: AbortSignal) =>
      store.acquire('west', { owner: 'p', now: NOW, leaseSeconds: 58 }, stop),
  ],
  [
    'saving the state',
    (store: MemoryStateStore, stop: AbortSignal) =>
      store.save('west', { lease: LEASE, state: {}, release: true }, stop),
  ],
])('a pass that is told to stop names %s as what it did not do', async (doing, call) => {
  const stopped = call(new MemoryStateStore(), AbortSignal.abort(new Error('SIGTERM')));
  await expect(stopped).rejects.toThrow(`${doing}: the pass was told to stop`);
});
