/** Sets the placeholders of the policies that the product is compared with; written only where something changes. */
import type { ClusterSettings, ManagedPool } from '../config/settings.ts';
import type { Instant } from '../domain/instant.ts';
import { deploymentName, hasDrifted } from '../domain/placeholder.ts';
import { wantedDeployment } from '../domain/placeholder-manifest.ts';
import { EmbeddedCluster } from '../embedded/embedded-cluster.ts';
import type { ClusterModel } from '../embedded/model.ts';
import type { Note } from './steward.ts';

export interface Verdict {
  readonly replicas: number;
  readonly rule: string;
  readonly reason: string;
}

export class Applier {
  readonly #settings: ClusterSettings;
  readonly #cluster: EmbeddedCluster;

  constructor(settings: ClusterSettings, model: ClusterModel) {
    this.#settings = settings;
    this.#cluster = new EmbeddedCluster(model, settings.namespace);
  }

  async applyAll(now: Instant, decide: (pool: ManagedPool) => Verdict): Promise<readonly Note[]> {
    const notes: Note[] = [];
    for (const pool of this.#settings.pools) notes.push(await this.#applyOne(now, pool, decide(pool)));
    return notes;
  }

  async #applyOne(now: Instant, pool: ManagedPool, verdict: Verdict): Promise<Note> {
    const { replicas, rule, reason } = verdict;
    const wanted = wantedDeployment(pool.placeholder, {
      replicas,
      why: { reason, event: undefined, changedAt: now },
      warmFirst: false,
    });
    const live = this.#cluster.findDeployment(deploymentName(pool.settings.name));
    const applied = hasDrifted(live, wanted)
      ? await this.#cluster.apply(wanted, live, new AbortController().signal)
      : 'unchanged';
    return { pool: pool.settings.name, wanted: replicas, live: live?.replicas, rule, reason, applied };
  }
}
