import { MemoryStateStore } from '../../functions/state/memory.ts';
import { describeStateStore } from './contract.ts';

describeStateStore('memory', () => {
  const store = new MemoryStateStore();
  return Promise.resolve({ open: () => store, destroy: () => store.close() });
});
