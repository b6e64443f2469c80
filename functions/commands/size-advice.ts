/**
 * What a placeholder of a pool should request: nearly all that a node offers beside what always runs there, so
 * that one placeholder is one node and a user's pod has to evict it. Over several nodes the smallest is the
 * safe one: a larger request would never fit on the node that offers least.
 */
import type { ManagedPool } from '../config/settings.ts';
import type { NodeFacts } from '../domain/node.ts';
import {
  type Capacity,
  judgePlaceholderFit,
  type PlaceholderFit,
  type Recommendation,
  recommendRequest,
} from '../domain/placeholder-fit.ts';
import type { NodeUsage } from '../domain/usage.ts';

export interface NodeSize extends Recommendation {
  readonly node: string;
  /** What the node has for a placeholder. */
  readonly offer: Capacity;
}

export interface SkippedNode {
  readonly node: string;
  readonly problem: string;
}

export interface SizeAdvice {
  readonly pool: string;
  readonly nodes: readonly NodeSize[];
  readonly skipped: readonly SkippedNode[];
  /** Bytes; undefined when no node leaves anything to request. */
  readonly memoryBytes: number | undefined;
  /** What to write as `resources.requests`: the recommended memory, and what is configured beside it. */
  readonly requests: Readonly<Record<string, string>>;
  /** Whether that fits once on every node it may land on. */
  readonly fit: PlaceholderFit;
  /** Whether what is configured now does; undefined when nothing is. */
  readonly configuredFit: PlaceholderFit | undefined;
}

export interface PoolReading {
  readonly nodes: readonly NodeFacts[];
  /** By node name. */
  readonly usage: ReadonlyMap<string, NodeUsage>;
}

export function adviseSize(pool: ManagedPool, { nodes, usage }: PoolReading): SizeAdvice {
  const judged = nodes.map((node) => sizeNode(node, usage.get(node.name)));
  const sizes = judged.filter((one): one is NodeSize => 'offer' in one);
  const skipped = judged.filter((one): one is SkippedNode => 'problem' in one);
  const memoryBytes = smallest(sizes.map((size) => size.memoryBytes));
  const offers = sizes.map(({ offer }) => offer);
  const configured = pool.placeholder.requests;
  const requests = memoryBytes === undefined ? configured : { ...configured, memory: String(memoryBytes) };
  return {
    pool: pool.settings.name,
    nodes: sizes,
    skipped,
    memoryBytes,
    requests,
    fit: judgePlaceholderFit(requests, offers),
    configuredFit: Object.keys(configured).length === 0 ? undefined : judgePlaceholderFit(configured, offers),
  };
}

function sizeNode(node: NodeFacts, usage: NodeUsage | undefined): NodeSize | SkippedNode {
  if (node.allocatable.kind === 'unreadable') {
    return { node: node.name, problem: node.allocatable.problem };
  }
  if (usage?.unreadable !== undefined) {
    return { node: node.name, problem: usage.unreadable };
  }
  if (node.leaving !== undefined) {
    return { node: node.name, problem: 'it is being deleted' };
  }
  const { cpuMillis, memoryBytes } = node.allocatable;
  const otherBytes = usage?.otherMemoryBytes ?? 0;
  return {
    node: node.name,
    ...recommendRequest(memoryBytes, otherBytes),
    offer: {
      cpuMillis: cpuMillis - (usage?.otherCpuMillis ?? 0),
      memoryBytes: memoryBytes - otherBytes,
    },
  };
}

/** Undefined when there is none, or when one of them leaves nothing. */
function smallest(amounts: readonly (number | undefined)[]): number | undefined {
  const known = amounts.filter((amount) => amount !== undefined);
  return known.length === 0 || known.length < amounts.length ? undefined : Math.min(...known);
}
