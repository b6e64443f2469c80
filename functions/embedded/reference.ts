/** The machines and users of the reference morning: what every figure is quoted for, unless it says otherwise. */
import type { ClusterSettings, ManagedPool } from '../config/settings.ts';
import type { PoolSpec } from './settings.ts';

const GIB = 1024 ** 3;

/**
 * Of 16 CPU and 64 GB, what GKE leaves to pods: it keeps 110 millicores, and of the memory a quarter of the first
 * 4 GiB, a fifth of the next 4, a tenth of the next 8, 6 % of the rest, and 100 MiB for evictions.
 */
export const REFERENCE_ALLOCATABLE = {
  cpuMillis: 15_890,
  memoryBytes: Math.floor((64 - 1 - 0.8 - 0.8 - 2.88) * GIB) - 100 * 1024 ** 2,
  pods: 110,
};

/** What DaemonSets and other system pods ask for on each node. */
export const REFERENCE_SYSTEM = { cpuMillis: 300, memoryBytes: 466_964_736 };

export const REFERENCE_USER = { cpuMillis: 500, memoryBytes: 2 * GIB };

export const REFERENCE_BOOT_SECONDS = 100;
export const REFERENCE_PULL_SECONDS = 480;
export const USER_IMAGE = 'registry.example/user-image:1';

/** A pool of reference nodes that the config's pool selects. */
export function referencePool(settings: ClusterSettings, pool: ManagedPool): PoolSpec {
  return {
    name: pool.settings.name,
    labels: {
      ...pool.placeholder.nodeSelector,
      [settings.nodePoolSelectorKey]: pool.settings.nodeLabel,
    },
    taints: [],
    allocatable: REFERENCE_ALLOCATABLE,
    minNodes: 1,
    maxNodes: 20,
    initialNodes: 1,
    boot: REFERENCE_BOOT_SECONDS,
    pull: REFERENCE_PULL_SECONDS,
    userImage: USER_IMAGE,
    hasImagePuller: true,
    zones: ['a'],
    locationPolicy: 'balanced',
    spotMeanHours: undefined,
    pricePerNodeHour: 1,
    system: REFERENCE_SYSTEM,
  };
}
