/** The autoscaler's scale-up: how many nodes of which pool the pods without a place would need. */
import type { Instant } from '../domain/instant.ts';
import type { AutoscalerMemory } from './autoscaler.ts';
import type { ClusterModel } from './model.ts';
import { add } from './model.ts';
import { newNode, requestNode } from './node-boot.ts';
import type { Node, Pod, Resources } from './objects.ts';
import { admits, hasRoom } from './placement.ts';
import type { PoolSpec } from './settings.ts';

/** A node as the autoscaler imagines it: what stands there, and what it has put there in thought. */
export interface Imagined {
  readonly node: Node;
  used: Resources & { readonly pods: number };
}

/** Returns when it is worth looking again though nothing changes. */
export function scaleUp(model: ClusterModel, memory: AutoscalerMemory): Instant | undefined {
  const waiting = unplaced(model, memory, imagineNodes(model, memory));
  if (waiting.length === 0) return undefined;
  const now = model.clock.now();
  const open = model.settings.pools.filter((pool) => openZones(model, memory, pool).length > 0);
  const plans = open
    .map((pool) => ({ pool, ...nodesFor(model, pool, waiting) }))
    .filter((plan) => plan.count > 0);
  const plan = plans.sort((a, b) => b.placed - a.placed || a.count - b.count)[0];
  if (plan !== undefined) expand(model, memory, plan);
  const nextOpenAt = Math.min(
    ...[...memory.backoffs.values()].map((each) => each.untilAt).filter((at) => at > now),
  );
  // One pool a look, as upstream; the others, or what the limit left over, are for the next.
  return plans.length > 1 ? now : Number.isFinite(nextOpenAt) ? nextOpenAt : undefined;
}

/** Nodes that stand or are on their way, those about to go left out. */
export function imagineNodes(model: ClusterModel, memory: AutoscalerMemory): Imagined[] {
  const standing = [...model.nodes.values()]
    .filter((node) => !isLeaving(node) && !node.isCordoned)
    .map((node): Imagined => ({ node: asReady(node), used: neededOn(node, memory) }));
  return [...standing, ...[...model.booting].map((booting) => imagineNode(model, booting.pool))];
}

/** Pods below the cutoff do not count: upstream calls them expendable. */
function neededOn(node: Node, memory: AutoscalerMemory): Imagined['used'] {
  const expendable = [...node.pods].filter((pod) => pod.priority < memory.spec.priorityCutoff);
  if (expendable.length === 0) return { ...node.used, pods: node.pods.size };
  let { cpuMillis, memoryBytes } = node.used;
  for (const pod of expendable) {
    cpuMillis -= pod.needs.cpuMillis;
    memoryBytes -= pod.needs.memoryBytes;
  }
  return { cpuMillis, memoryBytes, pods: node.pods.size - expendable.length };
}

/** A node that has registered counts as upcoming: Ready, in thought. */
function asReady(node: Node): Node {
  return node.pool === '' || node.ready === 'True' ? node : { ...node, ready: 'True' };
}

function imagineNode(model: ClusterModel, pool: PoolSpec): Imagined {
  const known = templates.get(model)?.get(pool.name);
  const node: Node = known ?? { ...newNode(model, pool, ''), ready: 'True' };
  if (known === undefined) {
    const ofModel = templates.get(model) ?? new Map<string, Node>();
    templates.set(model, ofModel.set(pool.name, node));
  }
  return { node, used: { ...pool.system, pods: pool.userImage === undefined ? 1 : 2 } };
}

/** A pool's node to think with, made once: each would draw a name and a uid. */
const templates = new WeakMap<ClusterModel, Map<string, Node>>();

export function isLeaving(node: Node): boolean {
  return node.meta.deletionAt !== undefined || node.taints.some((taint) => taint.key === TO_BE_DELETED);
}

export const TO_BE_DELETED = 'ToBeDeletedByClusterAutoscaler';

/** Pods that the scheduler gave up on and that no imagined node takes either. */
function unplaced(model: ClusterModel, memory: AutoscalerMemory, nodes: readonly Imagined[]): readonly Pod[] {
  return [...model.unbound]
    .filter((pod) => pod.pendingMessage !== undefined && pod.nominatedNode === undefined)
    .filter((pod) => pod.priority >= memory.spec.priorityCutoff && pod.meta.deletionAt === undefined)
    .sort((a, b) => b.priority - a.priority || a.meta.sequence - b.meta.sequence)
    .filter((pod) => !place(pod, nodes));
}

/** Puts a pod on the first node that takes it, in thought. */
export function place(pod: Pod, nodes: readonly Imagined[]): boolean {
  for (const imagined of nodes) {
    if (admits(imagined.node, pod.needs).kind !== 'fits') continue;
    if (hasRoom(imagined.node, imagined.used, pod.needs).kind !== 'fits') continue;
    imagined.used = { ...add(imagined.used, pod.needs), pods: imagined.used.pods + 1 };
    return true;
  }
  return false;
}

/** First fit, the largest pods first: how many nodes of a pool it takes, within the pool's limit. */
function nodesFor(
  model: ClusterModel,
  pool: PoolSpec,
  pods: readonly Pod[],
): { readonly count: number; readonly placed: number } {
  const allowed = pool.maxNodes - sizeOf(model, pool);
  const nodes: Imagined[] = [];
  let placed = 0;
  for (const pod of [...pods].sort((a, b) => b.needs.memoryBytes - a.needs.memoryBytes)) {
    if (place(pod, nodes)) {
      placed += 1;
      continue;
    }
    const fresh = imagineNode(model, pool);
    if (nodes.length >= allowed || !place(pod, [fresh])) continue;
    nodes.push(fresh);
    placed += 1;
  }
  return { count: nodes.length, placed };
}

/** Nodes of the pool that stand or are on their way. */
export function sizeOf(model: ClusterModel, pool: PoolSpec): number {
  let size = 0;
  for (const node of model.nodes.values()) if (node.pool === pool.name && !isLeaving(node)) size += 1;
  for (const booting of model.booting) if (booting.pool === pool) size += 1;
  return size;
}

function expand(
  model: ClusterModel,
  memory: AutoscalerMemory,
  plan: { readonly pool: PoolSpec; readonly count: number },
): void {
  const { pool } = plan;
  for (let left = plan.count; left > 0; left -= 1) {
    const zone = nextZone(model, memory, pool);
    if (zone === undefined) return;
    if (requestNode(model, pool, zone) === 'requested') {
      memory.lastAddedAt = model.clock.now();
      memory.backoffs.delete(backoffKey(pool, zone));
    } else {
      backOff(model, memory, backoffKey(pool, zone));
      left += 1;
    }
  }
}

/** The open zone with the fewest nodes, or just the first one. */
function nextZone(model: ClusterModel, memory: AutoscalerMemory, pool: PoolSpec): string | undefined {
  const open = openZones(model, memory, pool);
  if (pool.locationPolicy === 'any') return open[0];
  const sizes = new Map(open.map((zone) => [zone, 0]));
  const count = (zone: string): void => {
    const size = sizes.get(zone);
    if (size !== undefined) sizes.set(zone, size + 1);
  };
  for (const node of model.nodes.values()) if (node.pool === pool.name && !isLeaving(node)) count(node.zone);
  for (const booting of model.booting) if (booting.pool === pool) count(booting.zone);
  return [...sizes].sort((a, b) => a[1] - b[1])[0]?.[0];
}

function openZones(model: ClusterModel, memory: AutoscalerMemory, pool: PoolSpec): readonly string[] {
  const now = model.clock.now();
  return pool.zones.filter((zone) => (memory.backoffs.get(backoffKey(pool, zone))?.untilAt ?? now) <= now);
}

function backoffKey(pool: PoolSpec, zone: string): string {
  return `${pool.name}/${zone}`;
}

function backOff(model: ClusterModel, memory: AutoscalerMemory, key: string): void {
  const { backoffSeconds, maxBackoffSeconds } = memory.spec;
  const before = memory.backoffs.get(key)?.seconds;
  const seconds = before === undefined ? backoffSeconds : Math.min(maxBackoffSeconds, before * 2);
  memory.backoffs.set(key, { untilAt: model.clock.now() + seconds * 1000, seconds });
}
