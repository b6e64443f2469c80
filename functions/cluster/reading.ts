/** One reading of a cluster: all lists at once, each whole, reduced to facts while it arrives. */
import { readNode } from '../domain/node.ts';
import type { NodeFacts } from '../domain/node.ts';
import { readDeployment, readPlaceholder } from '../domain/placeholder.ts';
import type { LiveDeployment, PlaceholderPod } from '../domain/placeholder.ts';
import { createUsageTally } from '../domain/usage.ts';
import type { NodeUsage, UsageTally } from '../domain/usage.ts';
import type { ClusterQuery, ClusterReading, ReadPlan } from '../ports.ts';
import { listInto, PAGE_SIZE } from './list.ts';
import type { ListOptions, Reducer } from './list.ts';
import { readObjects } from './objects.ts';
import { chooseReadPlan, isCountWorthAsking } from './read-plan.ts';
import { DEPLOYMENTS, NODES, PODS } from './request.ts';
import type { Transport } from './transport.ts';

/** Succeeded and Failed pods hold nothing, and a busy batch cluster keeps thousands of them. */
const LIVE_PODS = 'status.phase!=Succeeded,status.phase!=Failed';

/** Lists of single nodes under way at once. */
const NODES_AT_ONCE = 4;

export interface ReadOptions {
  readonly transport: Transport;
  readonly query: ClusterQuery;
  readonly pageSize?: number | undefined;
  /** Whose pods to list once there is more than a page of them; what costs less when undefined. */
  readonly podsOf?: ReadPlan['podsOf'] | undefined;
  readonly signal: AbortSignal;
}

interface PodReading {
  readonly usage: ReadonlyMap<string, NodeUsage>;
  readonly placeholders: readonly PlaceholderPod[];
  readonly plan: ReadPlan;
}

/** @throws ClusterError when any part of it could not be read: what a partial reading would say is not true. */
export async function readCluster(options: ReadOptions): Promise<ClusterReading> {
  const failing = new AbortController();
  const inner = { ...options, signal: AbortSignal.any([options.signal, failing.signal]) };
  const nodes = listNodes(inner);
  const parts = [
    nodes,
    listPods(inner, nodes),
    listDeployments(inner),
    options.query.withObjects ? readObjects(inner) : Promise.resolve(undefined),
  ] as const;
  try {
    const [nodeFacts, pods, deployments, objects] = await Promise.all(parts);
    const { usage, placeholders, plan } = pods;
    return { nodes: nodeFacts, usage, placeholders, deployments, objects, how: plan };
  } catch (error) {
    // The first failure is the one to report; the rest ends here, so that nothing runs on behind the pass's back.
    failing.abort();
    await Promise.allSettled(parts);
    throw error;
  }
}

async function listNodes({ transport, query, pageSize, signal }: ReadOptions): Promise<readonly NodeFacts[]> {
  if (query.nodeLabels.length === 0) {
    return [];
  }
  const labelSelector = `${query.nodePoolSelectorKey} in (${query.nodeLabels.join(',')})`;
  const listing = await listInto({
    transport,
    resource: NODES,
    query: { labelSelector },
    pageSize,
    signal,
    start: () => collect((raw) => readNode(raw, query)),
  });
  return listing.reducer.items;
}

async function listDeployments({
  transport,
  query,
  pageSize,
  signal,
}: ReadOptions): Promise<readonly LiveDeployment[]> {
  const listing = await listInto({
    transport,
    resource: DEPLOYMENTS,
    namespace: query.namespace,
    pageSize,
    signal,
    start: () => collect(readDeployment),
  });
  return listing.reducer.items;
}

interface Collector<T> extends Reducer {
  readonly items: readonly T[];
}

/** Keeps what `read` makes of each object, where it makes anything. */
function collect<T>(read: (raw: object) => T | undefined): Collector<T> {
  const items: T[] = [];
  return {
    items,
    add(raw) {
      const item = read(raw);
      if (item !== undefined) {
        items.push(item);
      }
    },
  };
}

interface PodReducer extends Reducer {
  readonly tally: UsageTally;
  readonly placeholders: Collector<PlaceholderPod>;
}

function createPodReducer(query: ClusterQuery): PodReducer {
  const tally = createUsageTally(query);
  const placeholders = collect((pod) => readPlaceholder(pod, query.namespace));
  return {
    tally,
    placeholders,
    add(pod) {
      tally.add(pod);
      placeholders.add(pod);
    },
  };
}

async function listPods(options: ReadOptions, nodes: Promise<readonly NodeFacts[]>): Promise<PodReading> {
  let plan: ReadPlan | undefined;
  const listing = await listInto({
    ...podList(options),
    start: () => createPodReducer(options.query),
    goesOn: async (firstPage) => {
      plan = await planReading(options, namesOf(options, await nodes), firstPage);
      return plan.podsOf === 'cluster';
    },
  });
  const names = namesOf(options, await nodes);
  if (!listing.isWhole && plan !== undefined) {
    return { ...(await listPodsOfNodes(options, names)), plan };
  }
  const { tally, placeholders } = listing.reducer;
  plan ??= { podsOf: 'cluster', managedNodes: names.length, podsInCluster: undefined };
  return { usage: tally.usage(), placeholders: placeholders.items, plan };
}

/** Those that are managed, whether this list of nodes has them or the pass before did. */
function namesOf({ query }: ReadOptions, nodes: readonly NodeFacts[]): readonly string[] {
  return [...new Set([...nodes.map(({ name }) => name), ...(query.knownNodes ?? [])])];
}

function podList(options: ReadOptions, selector = LIVE_PODS): Omit<ListOptions<Reducer>, 'start' | 'goesOn'> {
  const { transport, pageSize, signal } = options;
  return { transport, resource: PODS, query: { fieldSelector: selector }, pageSize, signal };
}

async function planReading(
  options: ReadOptions,
  names: readonly string[],
  firstPage: PodReducer,
): Promise<ReadPlan> {
  const seen = firstPage.tally.usage();
  const page = {
    seenNodes: seen.size,
    seenManagedNodes: names.filter((name) => seen.has(name)).length,
  };
  const podsInCluster = isCountWorthAsking(page) ? await countPods(options) : undefined;
  const plan = chooseReadPlan({
    managedNodes: names.length,
    podsInCluster,
    pageSize: options.pageSize ?? PAGE_SIZE,
  });
  return { ...plan, podsOf: options.podsOf ?? plan.podsOf };
}

/**
 * How many pods the cluster has, terminal ones included, for the price of one. A server says what remains behind a page
 * only of a list without selectors, so the list that a pass reads cannot tell; undefined when this server never does.
 */
async function countPods(options: ReadOptions): Promise<number | undefined> {
  const remaining = { count: 0 as number | undefined };
  const { reducer } = await listInto({
    transport: options.transport,
    resource: PODS,
    pageSize: 1,
    signal: options.signal,
    start: () => collect(() => true),
    goesOn: (_, { remainingItemCount }) => {
      remaining.count = remainingItemCount;
      return Promise.resolve(false);
    },
  });
  return remaining.count === undefined ? undefined : reducer.items.length + remaining.count;
}

/**
 * The pods of the managed nodes, and of our own namespace those that have no node yet as well. Usage counts from the
 * first alone and placeholders come from the second alone, so no pod counts twice.
 */
async function listPodsOfNodes(
  options: ReadOptions,
  names: readonly string[],
): Promise<Omit<PodReading, 'plan'>> {
  const tally = createUsageTally(options.query);
  const ours = listInto({
    ...podList(options),
    namespace: options.query.namespace,
    start: () => collect((pod) => readPlaceholder(pod, options.query.namespace)),
  });
  const remaining = [...names];
  const lanes = Array.from({ length: NODES_AT_ONCE }, async () => {
    for (let name = remaining.pop(); name !== undefined; name = remaining.pop()) {
      await tallyNode(options, name, tally);
    }
  });
  const [listing] = await Promise.all([ours, ...lanes]);
  return { usage: tally.usage(), placeholders: listing.reducer.items };
}

/** Held until the list is whole: a tally cannot give back the pods of a list that starts over. */
async function tallyNode(options: ReadOptions, nodeName: string, tally: UsageTally): Promise<void> {
  const listing = await listInto({
    ...podList(options, `spec.nodeName=${nodeName},${LIVE_PODS}`),
    start: () => collect((pod) => pod),
  });
  for (const pod of listing.reducer.items) {
    tally.add(pod);
  }
}
