/** A node pool under management: what the operator wrote about it, defaults applied. */

export type ScalingStrategy = 'cpu' | 'mem' | 'balanced';

export interface PoolSettings {
  /** The key of `nodePools`: what calendar events name. */
  readonly name: string;
  /** The value of `nodePoolSelectorKey` on the pool's nodes (its own nodeSelector may name another than `name`). */
  readonly nodeLabel: string;
  readonly scalingStrategy: ScalingStrategy;
  /** Free ratio above which a node has room, 0 to 1. */
  readonly cpuThreshold: number;
  /** Free ratio above which a node has room, 0 to 1. */
  readonly memoryThreshold: number;
  readonly nodeGraceSeconds: number;
  /** The `replicas` of the pool: how many to hold when no event names it. */
  readonly baseline: number;
  readonly maxReplicas: number;
  readonly calendarOverrideEnabled: boolean;
  /** `false`: the plain rules, nothing relabelled or covered. */
  readonly warmFirst: boolean;
  readonly nodeWarmSeconds: number;
}
