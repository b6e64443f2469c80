/** Whole passes over clusters of any size, on an API server that writes its lists as they are asked for. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASS_SECONDS } from '../../functions/pass/deadline.ts';
import { figureOf } from './figure.ts';
import type { Bar, Count, Figure, Findings } from './figure.ts';
import { assertExit, runProgram, writePassFiles } from './program.ts';
import type { PassFiles, PassRun } from './program.ts';
import { PAGE_SIZE, pagesOf, runsOf } from './scenario.ts';
import type { BenchContext, Scenario } from './scenario.ts';
import { OBJECT_BYTES } from './synthetic-objects.ts';
import type { ClusterStats } from './synthetic-protocol.ts';
import { CA_FILE, SyntheticApi } from './synthetic.ts';
import { isStopped, runSideBySide } from './whole-pass.ts';
import type { SideBySide } from './whole-pass.ts';

export interface Size {
  readonly nodes: number;
  readonly podsPerNode: number;
}

const HUGE: Size = { nodes: 15_000, podsPerNode: 30 };
const SMOKE: Size = { nodes: 700, podsPerNode: 3 };

export const ONE_POOL = [
  'nodePools:',
  '  base:',
  '    replicas: 1',
  '    resources: { requests: { cpu: 15500m, memory: 58000000Ki } }',
  '',
].join('\n');

export const syntheticPass: Scenario = {
  name: 'synthetic-pass',
  about: 'a whole pass over 15,000 nodes and 450,000 pods of a synthetic API server, and the floor beside it',
  run: (context) => measure(context, context.isSmoke ? SMOKE : HUGE),
};

async function measure(context: BenchContext, size: Size): Promise<Findings> {
  const api = await SyntheticApi.start(size);
  try {
    const server = api.urls()[0] ?? '';
    const files = filesFor(context, server);
    context.say('the first pass makes the Deployment');
    const observe = async (pass: () => Promise<void>) => {
      await api.reset();
      await pass();
      return (await api.stats())[0] ?? NOTHING_SEEN;
    };
    const first = await firstPass(files, context, observe);
    const contents: Content[] = [];
    const floor = { ...context, server, caFile: CA_FILE, token: 'token', namespace: 'node-placeholder' };
    const measured = await runSideBySide({
      files,
      floor: { ...floor, pageSize: PAGE_SIZE },
      repeats: runsOf(context, 5),
      observe: async (pass) => {
        const seen = await observe(pass);
        contents.push(contentOf(context));
        return seen;
      },
      mayStop: size === HUGE,
    });
    const stopped = measured.passes.filter(isStopped).length;
    return {
      figures: [...measured.figures, ...bytesOf(measured)],
      counts: [...countsOf(size, first, measured), ...contentCounts(size, contents)],
      bars: size === HUGE ? barsOf(measured) : [],
      notes: [
        describeSize(size),
        `${stopped} of ${measured.passes.length} passes came to their own deadline, and applied nothing`,
      ],
    };
  } finally {
    await api.stop();
  }
}

const MOST_FIRST_PASSES = 5;

/** Until one comes to its end: on a busy machine the biggest cluster may take longer than a pass has. */
async function firstPass(
  files: PassFiles,
  context: BenchContext,
  observe: (pass: () => Promise<void>) => Promise<ClusterStats>,
): Promise<ClusterStats> {
  const runs: PassRun[] = [];
  for (;;) {
    const seen = await observe(async () => {
      runs.push(await runProgram(files, context));
    });
    const run = runs.at(-1);
    if (run?.exitCode === 0) return seen;
    if (run !== undefined && (!isStopped(run) || runs.length === MOST_FIRST_PASSES)) assertExit(run, 0);
  }
}

const NOTHING_SEEN: ClusterStats = {
  byVerb: {},
  connections: 0,
  overHttp1: 0,
  early: 0,
  firstRequestAt: undefined,
  lastAnswerAt: undefined,
};

function filesFor({ folder }: BenchContext, server: string): PassFiles {
  return writePassFiles({
    folder,
    clusters: { one: { server, caFile: CA_FILE, token: 'token' } },
    config: `cluster: kubeconfig:one\n${ONE_POOL}`,
    state: `file:${stateFile({ folder })}`,
  });
}

function stateFile({ folder }: Pick<BenchContext, 'folder'>): string {
  return join(folder, 'state.json');
}

/** What a pass saw, as it wrote it down: one that skips half of its lists must not look fast. */
interface Content {
  readonly nodes: number;
  readonly pods: number;
}

function contentOf(context: BenchContext): Content {
  const { clusters } = JSON.parse(readFileSync(stateFile(context), 'utf8')) as {
    readonly clusters: Readonly<Record<string, { readonly podsSeen?: number; readonly nodes?: object }>>;
  };
  const [cluster] = Object.values(clusters);
  return { nodes: Object.keys(cluster?.nodes ?? {}).length, pods: cluster?.podsSeen ?? 0 };
}

/** Also of a pass that was stopped: it leaves what the one before it saw. */
function contentCounts({ nodes, podsPerNode }: Size, contents: readonly Content[]): readonly Count[] {
  return contents.flatMap((content) => [
    { name: 'quiet pass: nodes seen', expected: nodes, found: content.nodes },
    { name: 'quiet pass: pods seen', expected: nodes * podsPerNode, found: content.pods },
  ]);
}

function countsOf(size: Size, first: ClusterStats, { seen }: SideBySide<ClusterStats>): readonly Count[] {
  const expected = {
    'list nodes': pagesOf(size.nodes),
    'list pods': pagesOf(size.nodes * size.podsPerNode),
    'list deployments': 1,
    'apply deployments': 0,
    'patch pods': 0,
  };
  const quiet = seen.flatMap(({ byVerb, connections }) => [
    ...Object.entries(expected).map(([verb, count]) => ({
      name: `quiet pass: ${verb}`,
      expected: count,
      found: byVerb[verb]?.requests ?? 0,
    })),
    {
      name: 'quiet pass: requests in all',
      expected: sum(Object.values(expected)),
      found: sum(Object.values(byVerb).map(({ requests }) => requests)),
    },
    { name: 'quiet pass: connections', expected: 1, found: connections },
  ]);
  const once = ['apply deployments', 'get priorityclasses', 'get poddisruptionbudgets'].map((verb) => ({
    name: `first pass: ${verb}`,
    expected: 1,
    found: first.byVerb[verb]?.requests ?? 0,
  }));
  return [...once, ...quiet];
}

function bytesOf({ seen }: SideBySide<ClusterStats>): readonly Figure[] {
  const verbs = [...new Set(seen.flatMap(({ byVerb }) => Object.keys(byVerb)))];
  return verbs.map((verb) => {
    const samples = seen.map(({ byVerb }) => (byVerb[verb]?.bytes ?? 0) / 1e6);
    return figureOf(`pass: ${verb}, bytes before TLS`, 'MB', samples);
  });
}

function barsOf({ passSeconds, floorSeconds, passMegabytes }: SideBySide<unknown>): readonly Bar[] {
  return [
    {
      name: 'wall, as a multiple of the floor',
      atMost: 1.3,
      found: passSeconds / floorSeconds,
      unit: 'times',
    },
    { name: 'peak resident', atMost: 400, found: passMegabytes, unit: 'MB' },
    { name: "wall, against the pass's own deadline", atMost: PASS_SECONDS, found: passSeconds, unit: 's' },
  ];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function describeSize({ nodes, podsPerNode }: Size): string {
  const { node, userPod, systemPod } = OBJECT_BYTES;
  const pods = (nodes * podsPerNode).toLocaleString('en');
  return `${nodes.toLocaleString('en')} nodes of ${node} bytes, ${pods} pods of ${userPod} (one in ten of ${systemPod}), pages of ${PAGE_SIZE}`;
}
