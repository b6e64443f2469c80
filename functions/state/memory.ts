import type { Acquisition, ClusterState, StateStore } from '../ports.ts';
import { interruption } from './interruption.ts';
import type { Claim } from './lease.ts';
import type { Change, StoredCluster } from './stored-cluster.ts';
import { NEVER_STORED, acquireFrom, saveInto } from './stored-cluster.ts';

/** State that lasts as long as the process: for simulations and tests. */
export class MemoryStateStore implements StateStore {
  readonly label = 'memory';
  readonly #clusters = new Map<string, StoredCluster>();

  peek(cluster: string, signal: AbortSignal): Promise<ClusterState> {
    return transact('reading the state', signal, () => this.#stored(cluster).state);
  }

  acquire(cluster: string, claim: Claim, signal: AbortSignal): Promise<Acquisition> {
    return transact('taking the lease', signal, () => {
      const { answer, stored } = acquireFrom(this.#stored(cluster), claim);
      this.#clusters.set(cluster, stored);
      return answer;
    });
  }

  save(cluster: string, change: Change, signal: AbortSignal): Promise<void> {
    return transact('saving the state', signal, () => {
      this.#clusters.set(cluster, saveInto(this.#stored(cluster), cluster, change));
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #stored(cluster: string): StoredCluster {
    return this.#clusters.get(cluster) ?? NEVER_STORED;
  }
}

/** Nothing is awaited between reading and writing, so that no other transaction comes in between. */
function transact<T>(doing: string, signal: AbortSignal, work: () => T): Promise<T> {
  return new Promise((resolve) => {
    if (signal.aborted) throw interruption(doing, signal);
    resolve(work());
  });
}
