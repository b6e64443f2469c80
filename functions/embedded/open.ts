/** The cluster that `cluster: embedded` stands for: reference nodes for every pool of the config, one of each up and warm. */
import type { ClusterSettings } from '../config/settings.ts';
import type { Instant } from '../domain/instant.ts';
import type { Cluster } from '../ports.ts';
import { createCluster } from './cluster.ts';
import { EmbeddedCluster } from './embedded-cluster.ts';
import { install } from './installation.ts';
import { referencePool } from './reference.ts';

/** It lasts as long as the process, and its clock stands at `now`. */
export function openEmbeddedCluster(settings: ClusterSettings, now: Instant): Cluster {
  const pools = settings.pools.map((pool) => referencePool(settings, pool));
  const model = createCluster({ startAt: now, pools });
  install(model, settings);
  return new EmbeddedCluster(model, settings.namespace);
}
