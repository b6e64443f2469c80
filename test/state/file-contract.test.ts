import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { FileStateStore } from '../../functions/state/file.ts';
import { describeStateStore } from './contract.ts';

describeStateStore('file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'state-'));
  return {
    open: () => new FileStateStore(join(folder, 'state.json')),
    destroy: () => rm(folder, { recursive: true }),
  };
});
