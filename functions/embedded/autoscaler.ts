/**
 * The cluster autoscaler: looks every ten seconds while anything may matter. Pods that cannot be placed bring nodes,
 * as many as they would need; nodes that nobody has needed for ten minutes go.
 */
import type { Instant } from '../domain/instant.ts';
import type { ClusterModel, ModelEvent } from './model.ts';
import { scaleDown } from './scale-down.ts';
import { scaleUp } from './scale-up.ts';
import type { AutoscalerSpec } from './settings.ts';
import type { Node } from './objects.ts';

/** What it remembers between looks. */
export interface AutoscalerMemory {
  readonly spec: AutoscalerSpec;
  readonly unneededSince: Map<Node, Instant>;
  /** Pools, by name and zone, that refused a node, and until when they are left alone. */
  readonly backoffs: Map<string, { readonly untilAt: Instant; readonly seconds: number }>;
  lastAddedAt: Instant | undefined;
}

const IGNORED: ReadonlySet<ModelEvent['kind']> = new Set(['podReady', 'podPreempted', 'imagePulled']);

export function runAutoscaler(model: ClusterModel, spec: AutoscalerSpec): void {
  const memory: AutoscalerMemory = {
    spec,
    unneededSince: new Map(),
    backoffs: new Map(),
    lastAddedAt: undefined,
  };
  const period = spec.scanSeconds * 1000;
  let nextScanAt: Instant | undefined;

  /** Looks are on a fixed grid; those at which nothing can have changed are left out. */
  function wakeAt(at: Instant): void {
    const { startAt } = model.settings;
    const gridAt = startAt + Math.ceil((at - startAt) / period) * period;
    if (nextScanAt !== undefined && nextScanAt <= gridAt) return;
    nextScanAt = gridAt;
    model.clock.at(gridAt, () => {
      if (nextScanAt !== gridAt) return;
      nextScanAt = undefined;
      const againAt = scan();
      if (againAt !== undefined) wakeAt(Math.max(againAt, model.clock.now() + 1));
    });
  }

  /** When to look again though nothing changes: a node's ten minutes or a backoff run out. */
  function scan(): Instant | undefined {
    const now = model.clock.now();
    const upAgainAt = scaleUp(model, memory);
    const downAgainAt = scaleDown(model, memory);
    const later = [upAgainAt, downAgainAt].filter((at) => at !== undefined);
    return later.length === 0 ? undefined : Math.max(now, Math.min(...later));
  }

  model.listen((event) => {
    if (!IGNORED.has(event.kind)) wakeAt(model.clock.now() + 1);
  });
}
