/** The contract against Firestore's own emulator, over both transports. */
import { describe } from 'vitest';

import type { StateStore } from '../../functions/ports.ts';
import { FirestoreStateStore } from '../../functions/state/firestore.ts';
import { emulatorHost, hasEmulator } from '../support/firestore-emulator.ts';
import { describeStateStore } from './contract.ts';

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
