import { createCluster } from '../../functions/embedded/cluster.ts';
import type { ClusterModel } from '../../functions/embedded/model.ts';
import type { JsonObject, Pod } from '../../functions/embedded/objects.ts';
import { readPodNeeds } from '../../functions/embedded/pod-spec.ts';
import type { ModelSettings, PoolSpec } from '../../functions/embedded/settings.ts';

export const START_AT = Date.UTC(2026, 8, 7, 8);
export const IMAGE = 'registry.example/user-image:1';
const POOL_LABEL = 'hub.jupyter.org/pool-name';

/** A pool of small round numbers: 4 CPU and 16,000 bytes a node, nothing on it beforehand. */
export function aPool(spec: Partial<PoolSpec> = {}): PoolSpec {
  return {
    name: 'base',
    labels: { [POOL_LABEL]: spec.name ?? 'base' },
    taints: [],
    allocatable: { cpuMillis: 4000, memoryBytes: 16_000, pods: 110 },
    minNodes: 0,
    maxNodes: 5,
    initialNodes: 0,
    boot: 100,
    pull: 480,
    userImage: IMAGE,
    hasImagePuller: true,
    zones: ['a'],
    locationPolicy: 'balanced',
    spotMeanHours: undefined,
    pricePerNodeHour: 1,
    system: { cpuMillis: 0, memoryBytes: 0 },
    ...spec,
  };
}

export function aCluster(pools: readonly PoolSpec[], settings: Partial<ModelSettings> = {}): ClusterModel {
  return createCluster({ startAt: START_AT, pools, ...settings });
}

export interface PodWish {
  readonly name: string;
  readonly cpu?: string;
  readonly pool?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: JsonObject;
}

export function addPod(model: ClusterModel, wish: PodWish): Pod {
  const spec: JsonObject = {
    nodeSelector: { [POOL_LABEL]: wish.pool ?? 'base' },
    containers: [{ name: 'main', image: IMAGE, resources: { requests: { cpu: wish.cpu ?? '1' } } }],
    ...wish.spec,
  };
  return model.addPod({
    namespace: 'hub',
    name: wish.name,
    ...(wish.labels === undefined ? {} : { labels: wish.labels }),
    ...(wish.annotations === undefined ? {} : { annotations: wish.annotations }),
    spec,
    needs: readPodNeeds(spec),
  });
}

/** Lets so many seconds pass. */
export function pass(model: ClusterModel, seconds: number): void {
  model.clock.runUntil(model.clock.now() + seconds * 1000);
}

/** Seconds since the start. */
export function secondsOf(model: ClusterModel, at: number | undefined = model.clock.now()): number {
  return (at - START_AT) / 1000;
}
