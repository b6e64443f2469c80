/**
 * What the product is compared with: nobody, a fixed number of placeholders, and the rules that the in-cluster chart
 * documents (event count or baseline, less the nodes that have room; history in memory alone).
 */
import type { ManagedPool } from '../config/settings.ts';
import type { PoolAsk } from '../domain/demand.ts';
import { demandAt, matchRequests } from '../domain/demand.ts';
import { readDescription } from '../domain/description.ts';
import type { Instant } from '../domain/instant.ts';
import { INSTANCE_LABEL } from '../domain/placeholder.ts';
import type { ClusterModel } from '../embedded/model.ts';
import type { Node } from '../embedded/objects.ts';
import type { Verdict } from './applier.ts';
import { Applier } from './applier.ts';
import type { Scenario } from './scenario.ts';
import { clusterOf } from './scenario.ts';
import type { Steward } from './steward.ts';

export const NOBODY: Steward = { pass: () => Promise.resolve([]) };

/** The same number for every pool, whatever the calendar says. */
export function createConstant(scenario: Scenario, model: ClusterModel, replicas: number): Steward {
  const applier = new Applier(clusterOf(scenario), model);
  const verdict: Verdict = { replicas, rule: 'constant', reason: `always ${String(replicas)}` };
  return { pass: (now) => applier.applyAll(now, () => verdict) };
}

/** When each node was first seen and last busy. */
type Memory = Map<Node, { readonly firstSeenAt: Instant; busyAt: Instant | undefined }>;

/** The chart's loop, as its README documents it. */
export function createAncestor(scenario: Scenario, model: ClusterModel): Steward {
  const cluster = clusterOf(scenario);
  const applier = new Applier(cluster, model);
  const memory: Memory = new Map();
  const asks = asksOf(scenario);
  return {
    pass: (now) =>
      applier.applyAll(now, (pool) => {
        const demand = demandAt(asks, { cluster: cluster.name, pool: pool.settings.name }, now);
        const withRoom = countNodesWithRoom({ model, pool, memory, now });
        return decide(pool, demand?.count, withRoom);
      }),
  };
}

function asksOf(scenario: Scenario): readonly PoolAsk[] {
  const { name, pools } = clusterOf(scenario);
  const names = pools.map((pool) => pool.settings.name);
  const events = scenario.events.map((event) => readDescription(event, names).event);
  return matchRequests(
    events,
    names.map((pool) => ({ cluster: name, pool })),
  ).asks;
}

function decide(pool: ManagedPool, asked: number | undefined, withRoom: number): Verdict {
  const { baseline, calendarOverrideEnabled } = pool.settings;
  if (asked !== undefined && asked > 0 && calendarOverrideEnabled) {
    return { replicas: Math.max(asked, baseline), rule: 'override', reason: 'the calendar overrides' };
  }
  const target = asked ?? baseline;
  const reason = `${String(target)} wanted, ${String(withRoom)} node(s) with room`;
  return { replicas: Math.max(0, target - withRoom), rule: 'target less room', reason };
}

interface Look {
  readonly model: ClusterModel;
  readonly pool: ManagedPool;
  readonly memory: Memory;
  readonly now: Instant;
}

function countNodesWithRoom({ model, pool, memory, now }: Look): number {
  for (const node of memory.keys()) if (node.isGone) memory.delete(node);
  const nodes = [...model.nodes.values()].filter((node) => node.pool === pool.settings.name);
  const watched = nodes.map((node) => {
    const known = memory.get(node) ?? { firstSeenAt: now, busyAt: undefined };
    memory.set(node, known);
    const isFree = !hostsPlaceholder(node, pool.settings.name) && hasFreeRatio(node, pool);
    if (!isFree) known.busyAt = now;
    return { quietFromAt: known.busyAt ?? known.firstSeenAt, hasRoom: isFree && !node.isCordoned };
  });
  const graceMilliseconds = pool.settings.nodeGraceSeconds * 1000;
  return watched.filter(({ quietFromAt, hasRoom }) => hasRoom && now - quietFromAt >= graceMilliseconds)
    .length;
}

/** A placeholder that is bound but does not run yet is not seen. */
function hostsPlaceholder(node: Node, poolName: string): boolean {
  return [...node.pods].some(
    (pod) => pod.meta.labels[INSTANCE_LABEL] === poolName && pod.phase === 'Running',
  );
}

function hasFreeRatio(node: Node, pool: ManagedPool): boolean {
  const { allocatable, used } = node;
  if (allocatable === undefined) return false;
  const { scalingStrategy, cpuThreshold, memoryThreshold } = pool.settings;
  const hasCpu = 1 - used.cpuMillis / allocatable.cpuMillis > cpuThreshold;
  const hasMemory = 1 - used.memoryBytes / allocatable.memoryBytes > memoryThreshold;
  switch (scalingStrategy) {
    case 'cpu':
      return hasCpu;
    case 'mem':
      return hasMemory;
    case 'balanced':
      return hasCpu && hasMemory;
  }
}
