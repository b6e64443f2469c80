/** The contract against the stores that outlive a process: Firestore's against the real emulator. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe } from 'vitest';

import type { StateStore } from '../../functions/ports.ts';
import { FileStateStore } from '../../functions/state/file.ts';
import { FirestoreStateStore } from '../../functions/state/firestore.ts';
import { emulatorHost, hasEmulator } from '../support/firestore-emulator.ts';
import { describeStateStore } from './contract.ts';

describeStateStore('file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'state-'));
  return {
    open: () => new FileStateStore(join(folder, 'state.json')),
    destroy: () => rm(folder, { recursive: true }),
  };
});

describe.skipIf(!hasEmulator())('on the emulator', () => {
  describe.each([
    { transport: 'REST', preferRest: true },
    { transport: 'gRPC', preferRest: false },
  ])('over $transport', ({ transport, preferRest }) => {
    describeStateStore(`Firestore over ${transport}`, async () => {
      const host = await emulatorHost();
      const opened: StateStore[] = [];
      return {
        open: () => {
          const store = new FirestoreStateStore({
            projectId: 'contract',
            databaseId: `states-${transport.toLowerCase()}`,
            emulatorHost: host,
            preferRest,
            // Ten thousand nodes on a busy machine.
            timeoutSeconds: 60,
          });
          opened.push(store);
          return store;
        },
        destroy: async () => {
          await Promise.all(opened.map((store) => store.close()));
        },
      };
    });
  });
});
