/** Whole passes over a real control plane, with the job's own rights; the API server's audit log counts its requests. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { countByVerb } from '../../test/control-plane/audit-log.ts';
import type { AuditedRequest } from '../../test/control-plane/audit-log.ts';
import { tokenOf } from '../../test/control-plane/files.ts';
import { findPrograms } from '../../test/control-plane/programs.ts';
import { measureBreakEven } from './break-even.ts';
import { BenchControlPlane, JOB_USER, NAMESPACE, difference } from './control-plane.ts';
import { figureOf } from './figure.ts';
import type { Bar, Count, Figure, Findings } from './figure.ts';
import { runNodeByNode } from './floor.ts';
import type { FloorOptions } from './floor.ts';
import { assertExit, runProgram, writePassFiles } from './program.ts';
import type { PassFiles } from './program.ts';
import { PAGE_SIZE, pagesOf, runsOf } from './scenario.ts';
import type { BenchContext, Scenario } from './scenario.ts';
import { costOf, runSideBySide } from './whole-pass.ts';
import type { SideBySide } from './whole-pass.ts';

const PODS_PER_NODE = 20;
/** Of the in-cluster loop that this product replaces, over 100 nodes and 2,048 pods on such a server. */
const LOOP_SECONDS = 10.4;

interface Size {
  readonly nodes: number;
  /** How often the peers run: a loop over a thousand nodes takes more than a minute. */
  readonly peerRuns: number;
  /** What the making of so many objects set off goes on for a while, and takes cores from whatever is measured. */
  readonly settleSeconds: number;
  readonly bars: (measured: SideBySide<Seen>) => readonly Bar[];
}

const SIZES: readonly Size[] = [
  {
    nodes: 100,
    peerRuns: 3,
    settleSeconds: 10,
    bars: ({ passSeconds, floorSeconds }) => [
      // Either this or a twentieth of what the loop takes that this product replaces.
      {
        name: `wall, above the floor, or a twentieth of the loop's ${LOOP_SECONDS} s`,
        atMost: Math.max(0.25, LOOP_SECONDS / 20 - floorSeconds),
        found: passSeconds - floorSeconds,
        unit: 's',
      },
    ],
  },
  {
    nodes: 1000,
    peerRuns: 1,
    settleSeconds: 60,
    bars: ({ passSeconds, floorSeconds, passMegabytes, seen }) => [
      {
        name: 'wall, as a multiple of the floor',
        atMost: 1.3,
        found: passSeconds / floorSeconds,
        unit: 'times',
      },
      { name: 'peak resident', atMost: 200, found: passMegabytes, unit: 'MB' },
      {
        name: 'requests',
        atMost: 50,
        found: Math.max(...seen.map(({ requests }) => requests.length)),
        unit: 'requests',
      },
    ],
  },
];
const SMOKE: Size = { nodes: 20, peerRuns: 1, settleSeconds: 0, bars: () => [] };

/** What the API server says of one pass. */
interface Seen {
  readonly requests: readonly AuditedRequest[];
  readonly bytes: Readonly<Record<string, number>>;
}

const POOLS = [
  'cluster: kubeconfig:real',
  'nodePools:',
  '  base:',
  '    replicas: 1',
  '    resources: { requests: { cpu: "4", memory: 8Gi } }',
  '',
].join('\n');

export const realPass: Scenario = {
  name: 'real-pass',
  about:
    'a whole pass over a real control plane, and beside it the floor, kubectl and a loop that asks node by node',
  // It starts a control plane; the tests that do so too count the requests of passes as well.
  takesLong: true,
  lacks: () => {
    const found = findPrograms(process.env);
    return found.kind === 'missing' ? found.message : undefined;
  },
  run: measure,
};

async function measure(context: BenchContext): Promise<Findings> {
  const found = findPrograms(process.env);
  if (found.kind === 'missing') return { figures: [], counts: [], bars: [], notes: [found.message] };
  const plane = await BenchControlPlane.start();
  try {
    const parts: Findings[] = [];
    for (const size of context.isSmoke ? [SMOKE] : SIZES) {
      context.say(`${size.nodes} nodes, ${size.nodes * PODS_PER_NODE} pods are made`);
      await plane.growTo(size.nodes, PODS_PER_NODE);
      await wait(size.settleSeconds * 1000);
      context.say('passes');
      parts.push(await measureSize({ context, plane, size, kubectl: join(found.folder, 'kubectl') }));
    }
    context.say('pods of some nodes or of all');
    const breakEven = await measureBreakEven({
      plane,
      place: placeOf(plane),
      namespace: NAMESPACE,
      ...plane.size(),
      repeats: runsOf(context, 5),
    });
    return {
      figures: [...parts.flatMap(({ figures }) => figures), ...breakEven.figures],
      counts: parts.flatMap(({ counts }) => counts),
      bars: parts.flatMap(({ bars }) => bars),
      notes: [
        'requests: from the audit log; bytes: from the metrics of the API server, before TLS',
        ...breakEven.notes,
      ],
    };
  } finally {
    await plane.stop();
  }
}

function placeOf({ info }: BenchControlPlane) {
  return { server: info.server, caFile: info.caFile, token: tokenOf(JOB_USER) };
}

interface SizeContext {
  readonly context: BenchContext;
  readonly plane: BenchControlPlane;
  readonly size: Size;
  readonly kubectl: string;
}

async function measureSize({ context, plane, size, kubectl }: SizeContext): Promise<Findings> {
  const { folder } = context;
  const place = placeOf(plane);
  const files = writePassFiles({
    folder,
    clusters: { real: place },
    config: POOLS,
    state: `file:${join(folder, 'state.json')}`,
  });
  await passUntilQuiet(plane, files, folder);
  const floor = { ...place, folder, namespace: NAMESPACE, pageSize: PAGE_SIZE };
  const observe = async (pass: () => Promise<void>): Promise<Seen> => {
    const before = await plane.listedBytes();
    const requests = await plane.audit.during(pass);
    return { requests, bytes: difference(before, await plane.listedBytes()) };
  };
  const measured = await runSideBySide({ files, floor, repeats: runsOf(context, 7), observe });
  const name = `${size.nodes} nodes`;
  const figures = [
    ...measured.figures,
    ...bytesOf(measured),
    ...(await peers({ plane, floor, kubectl, repeats: size.peerRuns })),
  ];
  return {
    figures: figures.map((figure) => ({ ...figure, name: `${name}: ${figure.name}` })),
    counts: countsOf(name, size, measured),
    bars: size.bars(measured).map((bar) => ({ ...bar, name: `${name}: ${bar.name}` })),
    notes: [],
  };
}

/** The first passes make the Deployment and mark its pod warm. */
async function passUntilQuiet(plane: BenchControlPlane, files: PassFiles, folder: string): Promise<void> {
  const MOST_PASSES = 6;
  for (let passes = 0; passes < MOST_PASSES; passes += 1) {
    const requests = await plane.audit.during(async () => assertExit(await runProgram(files, { folder }), 0));
    if (writesOf(requests) === 0) return;
    await plane.untilPlaceholdersRun();
  }
  throw new Error(`${MOST_PASSES} passes one after another all wrote`);
}

function writesOf(requests: readonly AuditedRequest[]): number {
  return requests.filter(({ verb }) => verb !== 'list' && verb !== 'get').length;
}

function countsOf(name: string, { nodes }: Size, { seen }: SideBySide<Seen>): readonly Count[] {
  // One placeholder stands there as well.
  const expected = pagesOf(nodes) + pagesOf(nodes * PODS_PER_NODE + 1) + 1;
  return seen.flatMap(({ requests }) => [
    { name: `${name}: lists of a quiet pass`, expected, found: countByVerb(requests)['list'] ?? 0 },
    { name: `${name}: requests of a quiet pass`, expected, found: requests.length },
    { name: `${name}: writes of a quiet pass`, expected: 0, found: writesOf(requests) },
  ]);
}

function bytesOf({ seen }: SideBySide<Seen>): readonly Figure[] {
  return ['nodes', 'pods', 'deployments'].map((resource) => {
    const samples = seen.map(({ bytes }) => (bytes[resource] ?? 0) / 1e6);
    return figureOf(`pass: list ${resource}, bytes before TLS`, 'MB', samples);
  });
}

interface PeerOptions {
  readonly plane: BenchControlPlane;
  readonly floor: FloorOptions;
  readonly kubectl: string;
  readonly repeats: number;
}

/** Nobody's product, but what a person would write first. */
async function peers({ plane, floor, kubectl, repeats }: PeerOptions): Promise<readonly Figure[]> {
  const loops = [];
  const seconds: number[] = [];
  for (let round = 0; round < repeats; round += 1) {
    loops.push(await runNodeByNode(plane.nodeNames(), { ...floor, pools: 2 }));
    seconds.push(await timeKubectl(kubectl, plane.info.kubeconfigs.admin));
  }
  return [
    ...costOf('node by node for two pools, a connection each', loops),
    figureOf('kubectl get of the same three lists: wall', 's', seconds),
  ];
}

async function timeKubectl(kubectl: string, kubeconfig: string): Promise<number> {
  const lists = [['nodes'], ['pods', '--all-namespaces'], ['deployments', '--namespace', NAMESPACE]];
  const started = performance.now();
  for (const list of lists) {
    const args = ['--kubeconfig', kubeconfig, 'get', ...list, '--output', 'json'];
    await promisify(execFile)(kubectl, args, { maxBuffer: 1e9 });
  }
  return (performance.now() - started) / 1000;
}
