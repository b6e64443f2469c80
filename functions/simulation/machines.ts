/** A pool of the config and what the scenario says of its machines, as the model takes it. */
import type { ClusterSettings, ManagedPool } from '../config/settings.ts';
import { exactMillis, exactUnits, parseQuantity } from '../domain/quantity.ts';
import type { Resources } from '../embedded/objects.ts';
import { REFERENCE_USER, referencePool } from '../embedded/reference.ts';
import type { PoolSpec } from '../embedded/settings.ts';
import type { PoolFile } from './scenario-schema.ts';
import type { SimulatedPool } from './scenario.ts';

export function simulatedPool(
  settings: ClusterSettings,
  pool: ManagedPool,
  file: PoolFile | undefined,
): SimulatedPool {
  const reference = referencePool(settings, pool);
  if (file === undefined) return { spec: reference, user: REFERENCE_USER };
  const minNodes = file.minNodes ?? reference.minNodes;
  return {
    spec: {
      ...reference,
      ...machineOf(file, reference),
      ...timesOf(file, reference),
      minNodes,
      maxNodes: file.maxNodes ?? reference.maxNodes,
      initialNodes: file.initialNodes ?? minNodes,
      zones: file.zones ?? reference.zones,
      locationPolicy: file.locationPolicy ?? reference.locationPolicy,
      spotMeanHours: file.spotMeanHours,
      pricePerNodeHour: file.pricePerNodeHour ?? reference.pricePerNodeHour,
    },
    user: read(file.user, REFERENCE_USER),
  };
}

function machineOf(file: PoolFile, reference: PoolSpec): Pick<PoolSpec, 'allocatable' | 'system' | 'taints'> {
  return {
    allocatable: { ...reference.allocatable, ...read(file.allocatable, reference.allocatable) },
    system: read(file.system, reference.system),
    taints: (file.taints ?? []).map(({ key, value, effect }) => ({
      key,
      effect,
      ...(value === undefined ? {} : { value }),
    })),
  };
}

function timesOf(file: PoolFile, reference: PoolSpec): Pick<PoolSpec, 'boot' | 'pull' | 'hasImagePuller'> {
  return {
    boot: file.bootSeconds ?? reference.boot,
    pull: file.pullSeconds ?? reference.pull,
    hasImagePuller: file.imagePuller ?? reference.hasImagePuller,
  };
}

interface Quantities {
  readonly cpu?: string | number | undefined;
  readonly memory?: string | number | undefined;
}

/** The schema has refused what is no quantity. */
function read(file: Quantities | undefined, otherwise: Resources): Resources {
  return {
    cpuMillis: amount(file?.cpu, exactMillis) ?? otherwise.cpuMillis,
    memoryBytes: amount(file?.memory, exactUnits) ?? otherwise.memoryBytes,
  };
}

function amount(text: string | number | undefined, scale: (nanos: bigint) => number): number | undefined {
  if (text === undefined) return undefined;
  const quantity = parseQuantity(text);
  return quantity.kind === 'known' ? scale(quantity.nanos) : undefined;
}

/** How many users one node takes beside what stands on it anyway. */
export function usersPerNode({ spec, user }: SimulatedPool): number {
  const { allocatable, system } = spec;
  const byCpu = (allocatable.cpuMillis - system.cpuMillis) / Math.max(1, user.cpuMillis);
  const byMemory = (allocatable.memoryBytes - system.memoryBytes) / Math.max(1, user.memoryBytes);
  return Math.max(1, Math.floor(Math.min(byCpu, byMemory, allocatable.pods - 2)));
}
