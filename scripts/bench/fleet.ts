/** A hundred clusters of a hundred nodes: one task, four tasks, and what a few bad clusters do to the others. */
import { openCpuShare } from './cpu-share.ts';
import type { CpuShare } from './cpu-share.ts';
import { figureOf } from './figure.ts';
import type { Bar, Count, Figure, Findings } from './figure.ts';
import { clusterName, fleetFiles, runTasks, summariesOf } from './fleet-files.ts';
import type { ClusterSummary, FleetSize } from './fleet-files.ts';
import type { PassFiles, PassRun } from './program.ts';
import { pagesOf, runsOf } from './scenario.ts';
import type { BenchContext, Scenario } from './scenario.ts';
import type { Trouble } from './synthetic-protocol.ts';
import { SyntheticApi } from './synthetic.ts';

const FLEET: FleetSize = { clusters: 100, nodes: 100, podsPerNode: 20 };
const SMOKE: FleetSize = { clusters: 10, nodes: 4, podsPerNode: 2 };
const TASKS = 4;
/** Of each task: with four of them something is left of two cores for the API servers. */
const SHARE_OF_A_CORE = 0.35;

export const fleet: Scenario = {
  name: 'fleet',
  about: '100 clusters of 100 nodes and 2,000 pods: one task, four tasks, dead and slow clusters among them',
  run: measure,
};

interface FleetBench {
  readonly context: BenchContext;
  readonly api: SyntheticApi;
  readonly files: PassFiles;
  readonly size: FleetSize;
  readonly repeats: number;
}

async function measure(context: BenchContext): Promise<Findings> {
  const size = context.isSmoke ? SMOKE : FLEET;
  const api = await SyntheticApi.start(size);
  try {
    const bench = { context, api, size, files: fleetFiles(context, api), repeats: runsOf(context, 3) };
    context.say('the first pass makes the Deployments');
    const first = await serve(bench, 1);
    const parts = [firstCounts(bench.size, first), await measureTasks(bench), await measureTroubled(bench)];
    const shares = context.isSmoke ? undefined : await measureShares(bench);
    if (shares !== undefined) parts.push(shares);
    return {
      figures: parts.flatMap(({ figures }) => figures),
      counts: parts.flatMap(({ counts }) => counts),
      bars: parts.flatMap(({ bars }) => bars),
      notes: [
        'the API servers of all clusters are one process on this machine: it and the tasks share the cores',
        'on time: the process start to the last summary of a healthy cluster',
        shares === undefined
          ? 'tasks with a share of a core each: not measured (it takes Linux and root, and not a smoke run)'
          : `a share: ${SHARE_OF_A_CORE} of a core for each task, whose start-up is within it`,
      ],
    };
  } finally {
    await api.stop();
  }
}

type Part = Omit<Findings, 'notes'>;

/** Runs the fleet and looks that each cluster was served once, by whatever task. */
async function serve(bench: FleetBench, tasks: number, shares?: readonly CpuShare[]): Promise<Served> {
  await bench.api.reset();
  const started = performance.now();
  const runs = await runTasks(bench.files, tasks, {
    context: bench.context,
    onSpawn: (pid, task) => shares?.[task]?.add(pid),
  });
  const seconds = (performance.now() - started) / 1000;
  const stats = await bench.api.stats();
  const requests = stats.map(({ byVerb }) =>
    Object.values(byVerb).reduce((sum, one) => sum + one.requests, 0),
  );
  const writes = stats.map(({ byVerb }) => byVerb['apply deployments']?.requests ?? 0);
  return { runs, seconds, requests, writes, summaries: runs.flatMap(summariesOf) };
}

interface Served {
  readonly runs: readonly PassRun[];
  readonly seconds: number;
  /** By cluster. */
  readonly requests: readonly number[];
  readonly writes: readonly number[];
  readonly summaries: readonly ClusterSummary[];
}

async function serveOften(
  bench: FleetBench,
  tasks: number,
  shares?: readonly CpuShare[],
): Promise<readonly Served[]> {
  const all: Served[] = [];
  for (let round = 0; round < bench.repeats; round += 1) all.push(await serve(bench, tasks, shares));
  return all;
}

async function measureTasks(bench: FleetBench): Promise<Part> {
  bench.context.say('one task');
  const one = await serveOften(bench, 1);
  bench.context.say(`${TASKS} tasks`);
  const four = await serveOften(bench, TASKS);
  const wall = wallOf('one task', one);
  return {
    figures: [
      wall,
      peakOf('one task', one),
      cpuOf('one task', one),
      wallOf(`${TASKS} tasks`, four),
      peakOf(`${TASKS} tasks, the largest`, four),
      cpuOf(`${TASKS} tasks, the busiest`, four),
    ],
    counts: [...countsOf('one task', bench.size, one), ...countsOf(`${TASKS} tasks`, bench.size, four)],
    bars: [{ name: 'one task: wall', atMost: 60, found: wall.median, unit: 's' }],
  };
}

/** Tasks that do not take the cores from each other, as in Cloud Run. */
async function measureShares(bench: FleetBench): Promise<Part | undefined> {
  const shares = openShares();
  if (shares === undefined) return undefined;
  try {
    bench.context.say(`tasks of ${SHARE_OF_A_CORE} of a core`);
    const one = await serveOften(bench, 1, shares);
    const four = await serveOften(bench, TASKS, shares);
    // A machine with more to do gives less than the share: what was cut off says nothing about throughput.
    if ([...one, ...four].some(({ summaries }) => summaries.some(({ outcome }) => outcome === 'stopped'))) {
      bench.context.say('a pass came to its own deadline: this machine is too busy to measure shares');
      return undefined;
    }
    const wallOfOne = wallOf('a share each, one task', one);
    const wallOfFour = wallOf(`a share each, ${TASKS} tasks`, four);
    const bar: Bar = {
      name: `a share each: wall of ${TASKS} tasks, as a part of one task's`,
      atMost: 1 / 3,
      found: wallOfFour.median / wallOfOne.median,
      unit: 'times',
    };
    return {
      figures: [
        wallOfOne,
        cpuOf('a share each, one task', one),
        wallOfFour,
        cpuOf(`a share each, ${TASKS} tasks, the busiest`, four),
      ],
      counts: [
        ...countsOf('a share each, one task', bench.size, one),
        ...countsOf(`a share each, ${TASKS} tasks`, bench.size, four),
      ],
      bars: [bar],
    };
  } finally {
    for (const share of shares) share.remove();
  }
}

function openShares(): readonly CpuShare[] | undefined {
  const shares: CpuShare[] = [];
  for (let task = 0; task < TASKS; task += 1) {
    const share = openCpuShare(`bench-${process.pid}-task-${task}`, SHARE_OF_A_CORE);
    if (share === undefined) {
      for (const made of shares) made.remove();
      return undefined;
    }
    shares.push(share);
  }
  return shares;
}

/** In a smoke run none is dead: that costs a time limit. */
function troublesOf({ isSmoke }: BenchContext): readonly (readonly [cluster: number, trouble: Trouble])[] {
  const slow = (millis: number): Trouble => ({ kind: 'slow', millis });
  const bad = [
    [1, slow(isSmoke ? 200 : 3000)],
    [5, slow(isSmoke ? 200 : 3000)],
  ] as const;
  return isSmoke ? bad : [...bad, ...[0, 3, 8].map((cluster) => [cluster, { kind: 'silent' }] as const)];
}

async function measureTroubled(bench: FleetBench): Promise<Part> {
  const troubles = troublesOf(bench.context);
  const dead = troubles.filter(([, { kind }]) => kind === 'silent').length;
  bench.context.say(`${dead} dead clusters and ${troubles.length - dead} slow ones`);
  const healthy = await serveOften(bench, 1);
  for (const [cluster, trouble] of troubles) await bench.api.trouble(cluster, trouble);
  const troubled = await serveOften(bench, 1);
  for (const [cluster] of troubles) await bench.api.trouble(cluster, undefined);
  const bad = troubles.map(([cluster]) => clusterName(cluster));
  const served = troubled.map(({ summaries }) => summaries.filter(({ cluster }) => !bad.includes(cluster)));
  const lateness = (name: string, runs: readonly (readonly ClusterSummary[])[]) =>
    figureOf(
      name,
      's',
      runs.map((run) => Math.max(...run.map(({ endedAfterSeconds }) => endedAfterSeconds))),
    );
  return {
    figures: [
      lateness(
        'all well: the last healthy cluster',
        healthy.map(({ summaries }) => summaries),
      ),
      lateness('bad ones among them: the last healthy cluster', served),
      wallOf('bad ones among them', troubled),
    ],
    counts: troubled.flatMap(({ summaries }) => [
      {
        name: 'bad ones among them: clusters that ended ok',
        expected: bench.size.clusters - dead,
        found: okOf(summaries),
      },
      {
        name: 'bad ones among them: clusters that failed',
        expected: dead,
        found: summaries.filter(({ outcome }) => outcome === 'failed').length,
      },
    ]),
    bars: [],
  };
}

function wallOf(name: string, all: readonly Served[]): Figure {
  return figureOf(
    `${name}: wall, process start included`,
    's',
    all.map(({ seconds }) => seconds),
  );
}

function peakOf(name: string, all: readonly Served[]): Figure {
  const peaks = all.map(({ runs }) => Math.max(...runs.map(({ peakMegabytes }) => peakMegabytes)));
  return figureOf(`${name}: peak resident`, 'MB', peaks);
}

function cpuOf(name: string, all: readonly Served[]): Figure {
  const most = all.map(({ runs }) => Math.max(...runs.map(({ cpuSeconds }) => cpuSeconds)));
  return figureOf(`${name}: CPU`, 's', most);
}

function firstCounts({ clusters }: FleetSize, { summaries, writes }: Served): Part {
  return {
    figures: [],
    counts: [
      { name: 'first pass: clusters that ended ok', expected: clusters, found: okOf(summaries) },
      {
        name: 'first pass: clusters that were written to once',
        expected: clusters,
        found: writes.filter((count) => count === 1).length,
      },
    ],
    bars: [],
  };
}

function okOf(summaries: readonly ClusterSummary[]): number {
  return summaries.filter(({ outcome }) => outcome === 'ok').length;
}

/** In a fleet without a store a pass knows of no other and looks for PriorityClass and budget each time. */
const OBJECTS = 2;

function requestsOf({ nodes, podsPerNode }: FleetSize): number {
  return pagesOf(nodes) + pagesOf(nodes * podsPerNode) + 1 + OBJECTS;
}

function countsOf(name: string, size: FleetSize, all: readonly Served[]): readonly Count[] {
  const { clusters } = size;
  return all.flatMap(({ summaries, requests, writes }) => [
    {
      name: `${name}: clusters that ended ok`,
      expected: clusters,
      found: okOf(summaries),
    },
    {
      name: `${name}: clusters served`,
      expected: clusters,
      found: new Set(summaries.map(({ cluster }) => cluster)).size,
    },
    { name: `${name}: times that one was served`, expected: clusters, found: summaries.length },
    {
      name: `${name}: clusters that were sent ${requestsOf(size)} requests`,
      expected: clusters,
      found: requests.filter((count) => count === requestsOf(size)).length,
    },
    { name: `${name}: writes`, expected: 0, found: writes.reduce((sum, count) => sum + count, 0) },
  ]);
}
