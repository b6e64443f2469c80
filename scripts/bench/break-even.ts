/**
 * From how many managed nodes on the list of the whole cluster costs less than one list for each of them: both ways over
 * the same real API server, by the product's own adapter in this process.
 */
import { readFileSync } from 'node:fs';
import { ApiCluster } from '../../functions/cluster/api.ts';
import { chooseReadPlan } from '../../functions/cluster/read-plan.ts';
import { PAGE_SIZE } from '../../functions/cluster/list.ts';
import type { ReadPlan } from '../../functions/ports.ts';
import { MANAGED_NODES, difference } from './control-plane.ts';
import type { BenchControlPlane } from './control-plane.ts';
import { figureOf } from './figure.ts';
import type { Figure, Findings } from './figure.ts';
import { labelOfFirst } from './synthetic-objects.ts';

const WAYS = ['managedNodes', 'cluster'] as const;
const READING_MILLIS = 120_000;

export interface BreakEvenOptions {
  readonly plane: BenchControlPlane;
  readonly place: { readonly server: string; readonly caFile: string; readonly token: string };
  readonly namespace: string;
  readonly nodes: number;
  readonly pods: number;
  readonly repeats: number;
}

interface Cost {
  readonly wall: readonly number[];
  /** CPU seconds of the API server, by its own metrics. */
  readonly serverCpu: readonly number[];
  readonly megabytes: number;
}

export async function measureBreakEven(
  options: BreakEvenOptions,
): Promise<Pick<Findings, 'figures' | 'notes'>> {
  const figures: Figure[] = [];
  const cheaper = { wall: [] as number[], serverCpu: [] as number[] };
  for (const managed of MANAGED_NODES.filter((count) => count <= options.nodes)) {
    const medians = { wall: [] as number[], serverCpu: [] as number[] };
    for (const way of WAYS) {
      const cost = await costOf(managed, way, options);
      const name = `${managed} of ${options.nodes} nodes managed, pods of ${way === 'cluster' ? 'the cluster' : 'these nodes'}`;
      const wall = figureOf(`${name}: wall`, 's', cost.wall);
      const serverCpu = figureOf(`${name}: CPU of the API server`, 's', cost.serverCpu);
      figures.push(wall, serverCpu, figureOf(`${name}: bytes before TLS`, 'MB', [cost.megabytes]));
      medians.wall.push(wall.median);
      medians.serverCpu.push(serverCpu.median);
    }
    for (const what of ['wall', 'serverCpu'] as const) {
      const [ofNodes = 0, ofCluster = 0] = medians[what];
      if (ofNodes < ofCluster) cheaper[what].push(managed);
    }
  }
  return { figures, notes: [describe(cheaper, options)] };
}

async function costOf(managed: number, podsOf: ReadPlan['podsOf'], options: BreakEvenOptions): Promise<Cost> {
  const { plane, place, namespace } = options;
  const cluster = new ApiCluster({
    label: 'bench',
    namespace,
    podsOf,
    endpoint: {
      server: place.server,
      ca: readFileSync(place.caFile, 'utf8'),
      clientCertificate: undefined,
      serverName: undefined,
      proxyUrl: undefined,
      headers: { authorization: `Bearer ${place.token}` },
      advice: { credentials: '', reach: '' },
    },
  });
  const [nodePoolSelectorKey, nodeLabel] = labelOfFirst(managed);
  const query = {
    namespace,
    nodePoolSelectorKey,
    nodeLabels: [nodeLabel],
    userImages: [],
    imagePullerSelectors: [],
    userPodSelectors: ['component=singleuser-server'],
    priorityClassName: namespace,
    withObjects: false,
  };
  const wall: number[] = [];
  const serverCpu: number[] = [];
  let megabytes = 0;
  // The first reading, which also connects, is not counted.
  for (let round = 0; round <= options.repeats; round += 1) {
    const [bytesBefore, cpuBefore] = [await plane.listedBytes(), await plane.cpuSeconds()];
    const started = performance.now();
    await cluster.read(query, AbortSignal.timeout(READING_MILLIS));
    const seconds = (performance.now() - started) / 1000;
    if (round === 0) continue;
    wall.push(seconds);
    serverCpu.push((await plane.cpuSeconds()) - cpuBefore);
    const bytes = difference(bytesBefore, await plane.listedBytes());
    megabytes = Object.values(bytes).reduce((total, each) => total + each, 0) / 1e6;
  }
  await cluster.close();
  return { wall, serverCpu, megabytes };
}

function describe(
  cheaper: Readonly<Record<'wall' | 'serverCpu', readonly number[]>>,
  { nodes, pods }: BreakEvenOptions,
): string {
  const chosen = MANAGED_NODES.filter(
    (managedNodes) =>
      chooseReadPlan({ managedNodes, podsInCluster: pods, pageSize: PAGE_SIZE }).podsOf === 'managedNodes',
  );
  const upTo = (counts: readonly number[]) => (counts.length === 0 ? 'none' : `up to ${Math.max(...counts)}`);
  return `of ${nodes} nodes and ${pods} pods, single nodes cost less: by wall time ${upTo(cheaper.wall)}, by CPU of the API server ${upTo(cheaper.serverCpu)}; a pass chooses them ${upTo(chosen)}`;
}
