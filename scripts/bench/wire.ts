/** What goes over the wire and how: pages, gzip, the protocol, and whose pods are read. The product's adapter, in this process. */
import { readFileSync } from 'node:fs';
import { ApiCluster } from '../../functions/cluster/api.ts';
import type { ClusterReading } from '../../functions/ports.ts';
import { figureOf } from './figure.ts';
import type { Count, Figure, Findings } from './figure.ts';
import { PAGE_SIZE, pagesOf, runsOf } from './scenario.ts';
import type { BenchContext, Scenario } from './scenario.ts';
import { SlowLink } from './slow-link.ts';
import { OBJECT_BYTES, POOL_LABEL } from './synthetic-objects.ts';
import type { VerbCount } from './synthetic-protocol.ts';
import type { SyntheticOptions } from './synthetic.ts';
import { CA_FILE, SyntheticApi } from './synthetic.ts';

const PODS_PER_NODE = 30;
const MEGABITS = 200;
const SMALLEST_POD_BYTES = Math.min(OBJECT_BYTES.userPod, OBJECT_BYTES.systemPod);
const QUERY = {
  namespace: 'node-placeholder',
  nodePoolSelectorKey: POOL_LABEL,
  nodeLabels: ['base'],
  userImages: [],
  imagePullerSelectors: ['component=continuous-image-puller'],
  userPodSelectors: ['component=singleuser-server'],
  priorityClassName: 'node-placeholder',
  withObjects: false,
};

export const wire: Scenario = {
  name: 'wire',
  about: `reading a cluster: page sizes, gzip, protocols, a link of ${MEGABITS} Mbit/s, pools that are a part of it`,
  run: measure,
};

async function measure(context: BenchContext): Promise<Findings> {
  const nodes = context.isSmoke ? 40 : 300;
  const parts = [
    await measurePages(context, nodes),
    await measureWays(context, nodes),
    await measureParts(context, nodes),
  ];
  return {
    figures: parts.flatMap(({ figures }) => figures),
    counts: parts.flatMap(({ counts }) => counts),
    bars: [],
    notes: [`${nodes} nodes, ${nodes * PODS_PER_NODE} pods; the server is on the same machine`],
  };
}

type Part = Pick<Findings, 'figures' | 'counts'>;

interface Way {
  readonly pageSize?: number;
  readonly megabits?: number;
}

/** Seconds of each reading, requests and bytes of the last. */
async function read(api: SyntheticApi, context: BenchContext, way: Way = {}) {
  const link = way.megabits === undefined ? undefined : await SlowLink.start(api.ports[0] ?? 0, way.megabits);
  const server = link?.url ?? api.urls()[0];
  const seconds: number[] = [];
  let reading: ClusterReading | undefined;
  for (let round = 0; round < runsOf(context, 5); round += 1) {
    await api.reset();
    const cluster = clusterAt(server, way.pageSize);
    const started = performance.now();
    reading = await cluster.read(QUERY, AbortSignal.timeout(120_000));
    seconds.push((performance.now() - started) / 1000);
    await cluster.close();
  }
  link?.stop();
  return { seconds, how: reading?.how?.podsOf, ...contentOf(reading), ...(await totalsOf(api)) };
}

/** One that skips half of its lists must not look fast. */
function contentOf(reading: ClusterReading | undefined) {
  const nodes = reading?.nodes ?? [];
  const podsOf = (name: string) => reading?.usage.get(name)?.podCount ?? 0;
  return { nodes: nodes.length, pods: nodes.reduce((sum, { name }) => sum + podsOf(name), 0) };
}

function contentCounts(
  name: string,
  managedNodes: number,
  found: ReturnType<typeof contentOf>,
): readonly Count[] {
  return [
    { name: `${name}: nodes read`, expected: managedNodes, found: found.nodes },
    { name: `${name}: pods read on them`, expected: managedNodes * PODS_PER_NODE, found: found.pods },
  ];
}

async function totalsOf(api: SyntheticApi) {
  const stats = await api.stats();
  const verbs = stats.flatMap(({ byVerb }) => Object.values(byVerb));
  const sum = (of: (one: VerbCount) => number) => verbs.reduce((total, one) => total + of(one), 0);
  return {
    requests: sum(({ requests }) => requests),
    megabytes: sum(({ bytes }) => bytes) / 1e6,
    overHttp1: stats.reduce((total, { overHttp1 }) => total + overHttp1, 0),
  };
}

function clusterAt(server = '', pageSize?: number): ApiCluster {
  return new ApiCluster({
    label: 'bench',
    namespace: QUERY.namespace,
    pageSize,
    endpoint: {
      server,
      ca: readFileSync(CA_FILE, 'utf8'),
      clientCertificate: undefined,
      serverName: undefined,
      proxyUrl: undefined,
      headers: {},
      advice: { credentials: '', reach: '' },
    },
  });
}

async function withApi<T>(options: SyntheticOptions, work: (api: SyntheticApi) => Promise<T>): Promise<T> {
  const api = await SyntheticApi.start(options);
  try {
    return await work(api);
  } finally {
    await api.stop();
  }
}

function measurePages(context: BenchContext, nodes: number): Promise<Part> {
  return withApi({ nodes, podsPerNode: PODS_PER_NODE, gzip: false }, async (api) => {
    const figures: Figure[] = [];
    const counts: Count[] = [];
    for (const pageSize of context.isSmoke ? [PAGE_SIZE] : [100, 250, 500, 1000, 2000]) {
      const name = `pages of ${pageSize}`;
      const { seconds, ...found } = await read(api, context, { pageSize });
      figures.push(figureOf(name, 's', seconds));
      counts.push(...contentCounts(name, nodes, found));
    }
    return { figures, counts };
  });
}

async function measureWays(context: BenchContext, nodes: number): Promise<Part> {
  const figures: Figure[] = [];
  const counts: Count[] = [];
  const size = { nodes, podsPerNode: PODS_PER_NODE };
  for (const protocol of ['h2', 'http/1.1'] as const) {
    for (const gzip of [false, true]) {
      await withApi({ ...size, gzip, protocols: [protocol] }, async (api) => {
        const name = `${protocol}, ${gzip ? 'gzip' : 'plain'}`;
        const near = await read(api, context);
        const far = await read(api, context, { megabits: MEGABITS });
        figures.push(
          figureOf(`${name}: loopback`, 's', near.seconds),
          figureOf(`${name}: ${MEGABITS} Mbit/s`, 's', far.seconds),
          figureOf(`${name}: bytes`, 'MB', [near.megabytes]),
        );
        const plainMegabytes = (nodes * PODS_PER_NODE * SMALLEST_POD_BYTES) / 1e6;
        counts.push(
          ...contentCounts(name, nodes, near),
          { name: `${name}: requests`, expected: requestsOf(nodes), found: near.requests },
          {
            name: `${name}: requests over HTTP/1.1`,
            expected: protocol === 'http/1.1' ? near.requests : 0,
            found: near.overHttp1,
          },
          {
            name: `${name}: whether it came compressed`,
            expected: Number(gzip),
            found: Number(near.megabytes < plainMegabytes),
          },
        );
      });
    }
  }
  return { figures, counts };
}

/** From a few nodes to all: whose pods are read, and what it costs either way. */
async function measureParts(context: BenchContext, nodes: number): Promise<Part> {
  const figures: Figure[] = [];
  const counts: Count[] = [];
  const shares = context.isSmoke ? [0.025, 1] : [0.01, 0.03, 0.1, 0.2, 0.5, 1];
  for (const share of shares) {
    const managedNodes = Math.round(nodes * share);
    await withApi({ nodes, podsPerNode: PODS_PER_NODE, managedNodes, gzip: false }, async (api) => {
      const { seconds, how, requests, megabytes, ...found } = await read(api, context);
      const name = `${managedNodes} of ${nodes} nodes managed, pods of ${how === 'cluster' ? 'the cluster' : 'these'}`;
      figures.push(
        figureOf(name, 's', seconds),
        figureOf(`${name}: requests`, 'requests', [requests]),
        figureOf(`${name}: bytes`, 'MB', [megabytes]),
      );
      counts.push(...contentCounts(name, managedNodes, found));
      if (share === 1)
        counts.push({ name: 'all managed: requests', expected: requestsOf(nodes), found: requests });
      if (share === shares[0]) {
        counts.push({
          name: `${name}: single nodes chosen`,
          expected: 1,
          found: Number(how === 'managedNodes'),
        });
      }
    });
  }
  return { figures, counts };
}

function requestsOf(nodes: number): number {
  return pagesOf(nodes) + pagesOf(nodes * PODS_PER_NODE) + 1;
}
