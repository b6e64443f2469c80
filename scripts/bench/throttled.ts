/**
 * One API server of several says 429 with Retry-After: its own calls wait, nobody else's. It refuses what a pass asks for
 * last of all at its start; the second page of the pods is asked for after that.
 */
import { figureOf } from './figure.ts';
import type { Count, Findings } from './figure.ts';
import { clusterName, fleetFiles, runTasks, summariesOf } from './fleet-files.ts';
import type { ClusterSummary, FleetSize } from './fleet-files.ts';
import type { PassFiles } from './program.ts';
import { pagesOf, runsOf } from './scenario.ts';
import type { BenchContext, Scenario } from './scenario.ts';
import { SyntheticApi } from './synthetic.ts';

const SIZE: FleetSize = { clusters: 10, nodes: 20, podsPerNode: 30 };
const THROTTLED = 4;
const RETRY_AFTER_SECONDS = 2;
const REFUSED = 1;
const PAGES = pagesOf(SIZE.nodes * SIZE.podsPerNode);
const REFUSED_PATH = '/poddisruptionbudgets/';

export const throttled: Scenario = {
  name: 'throttled',
  about: `one API server of ${SIZE.clusters} refuses a request with Retry-After: ${RETRY_AFTER_SECONDS}`,
  run: measure,
};

async function measure(context: BenchContext): Promise<Findings> {
  const api = await SyntheticApi.start(SIZE);
  try {
    const files = fleetFiles(context, api);
    await runTasks(files, 1, { context });
    const rounds: Round[] = [];
    for (let round = 0; round < runsOf(context, 5); round += 1) {
      rounds.push(await runRound(api, files, context));
    }
    return {
      figures: [
        figureOf(
          'its pass',
          's',
          rounds.map(({ ownSeconds }) => ownSeconds),
        ),
        figureOf(
          'the slowest of the other passes',
          's',
          rounds.map(({ othersSeconds }) => othersSeconds),
        ),
      ],
      counts: rounds.flatMap(countsOf),
      bars: [],
      notes: [],
    };
  } finally {
    await api.stop();
  }
}

interface Round {
  readonly ended: number;
  readonly ownSeconds: number;
  readonly othersSeconds: number;
  /** Requests refused by the one server, and by all others. */
  readonly refused: number;
  readonly refusedElsewhere: number;
  /** Requests sent to it before the moment it asked for. */
  readonly early: number;
  readonly pages: number;
}

async function runRound(api: SyntheticApi, files: PassFiles, context: BenchContext): Promise<Round> {
  await api.reset();
  await api.trouble(THROTTLED, {
    kind: 'throttled',
    requests: REFUSED,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    path: REFUSED_PATH,
  });
  const summaries = (await runTasks(files, 1, { context })).flatMap(summariesOf);
  const stats = await api.stats();
  const refused = stats.map(({ byVerb }) => byVerb['refused']?.requests ?? 0);
  const [own, others] = [true, false].map((isOwn) =>
    summaries.filter(({ cluster }) => (cluster === clusterName(THROTTLED)) === isOwn),
  );
  return {
    ended: summaries.filter(({ outcome }) => outcome === 'ok').length,
    ownSeconds: slowestOf(own),
    othersSeconds: slowestOf(others),
    refused: refused[THROTTLED] ?? 0,
    refusedElsewhere: sum(refused) - (refused[THROTTLED] ?? 0),
    early: sum(stats.map(({ early }) => early)),
    pages: stats[THROTTLED]?.byVerb['list pods']?.requests ?? 0,
  };
}

function slowestOf(summaries: readonly ClusterSummary[] | undefined): number {
  return Math.max(...(summaries ?? []).map(({ durationSeconds }) => durationSeconds));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function countsOf(round: Round): readonly Count[] {
  return [
    { name: 'clusters that ended ok', expected: SIZE.clusters, found: round.ended },
    { name: 'requests refused by the one server', expected: REFUSED, found: round.refused },
    { name: 'requests refused elsewhere', expected: 0, found: round.refusedElsewhere },
    { name: 'requests sent to it before the moment it asked for', expected: 0, found: round.early },
    { name: 'pages of its pods', expected: PAGES, found: round.pages },
    {
      name: 'passes that waited as asked',
      expected: 1,
      found: Number(round.ownSeconds >= RETRY_AFTER_SECONDS),
    },
  ];
}
