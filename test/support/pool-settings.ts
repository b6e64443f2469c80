import type { PoolSettings } from '../../functions/domain/pool.ts';

/** A pool named `base` with a baseline of one and the config's defaults for the rest. */
export function aPoolSettings(overrides: Partial<PoolSettings> = {}): PoolSettings {
  return {
    name: 'base',
    nodeLabel: 'base',
    scalingStrategy: 'balanced',
    cpuThreshold: 0.2,
    memoryThreshold: 0.2,
    nodeGraceSeconds: 600,
    baseline: 1,
    maxReplicas: 20,
    calendarOverrideEnabled: false,
    warmFirst: true,
    nodeWarmSeconds: 600,
    ...overrides,
  };
}
