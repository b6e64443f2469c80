/** From starting the program to its first request: as in the cloud (Firestore, Google Calendar, GKE) and as on a laptop. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNode } from './child-run.ts';
import { figureOf } from './figure.ts';
import type { Bar, Figure, Findings } from './figure.ts';
import { FirstRequestServer } from './first-request.ts';
import type { FirstRequest } from './first-request.ts';
import { describeProgram, programPath, writePassFiles } from './program.ts';
import type { PassFiles } from './program.ts';
import { runsOf } from './scenario.ts';
import type { BenchContext, Scenario } from './scenario.ts';
import { ONE_POOL } from './synthetic-pass.ts';
import { CA_FILE } from './synthetic.ts';

const MOST_CPU_SECONDS = 0.3;

export const startUp: Scenario = {
  name: 'start-up',
  about: 'from starting the program to its first request, and what of it is imports',
  run: measure,
};

interface Setting {
  readonly name: string;
  readonly files: PassFiles;
  readonly server: FirstRequestServer;
}

async function measure(context: BenchContext): Promise<Findings> {
  const repeats = runsOf(context, 15);
  const metadata = await FirstRequestServer.start('http');
  const cluster = await FirstRequestServer.start('https');
  try {
    const settings = [cloud(context, metadata), laptop(context, cluster)];
    const bare = await repeat(repeats, () => runNode(['--eval', '0'], context));
    const bareFigures = [
      figureOf('Node alone: wall', 'ms', milliseconds(bare.map((run) => run.wallSeconds))),
      figureOf('Node alone: CPU', 'ms', milliseconds(bare.map((run) => run.cpuSeconds))),
    ];
    const parts: Part[] = [];
    for (const setting of settings) parts.push(await measureSetting(setting, context, repeats));
    return {
      figures: [...bareFigures, ...parts.flatMap(({ figures }) => figures)],
      counts: [],
      bars: parts.map(({ bar }) => bar),
      notes: [
        `program: ${describeProgram()}`,
        ...parts.map(({ note }) => note),
        'imports: a process that imports the same modules and does nothing else, Node included',
      ],
    };
  } finally {
    await metadata.stop();
    await cluster.stop();
  }
}

interface Part {
  readonly figures: readonly Figure[];
  readonly bar: Bar;
  readonly note: string;
}

async function measureSetting(
  { name, files, server }: Setting,
  context: BenchContext,
  repeats: number,
): Promise<Part> {
  const program = { path: programPath(), files };
  const modules = await modulesUntilRequest(server, program, context);
  const importer = join(context.folder, 'importer.mjs');
  writeFileSync(importer, modules.map((url) => `await import(${JSON.stringify(url)});\n`).join(''));
  const runs: FirstRequest[] = [];
  const imports: number[] = [];
  for (let round = 0; round < repeats; round += 1) {
    runs.push(await server.of(program));
    imports.push((await runNode([importer], context)).cpuSeconds);
  }
  const cpu = figureOf(`${name}: CPU`, 'ms', milliseconds(runs.map((run) => run.cpuSeconds)));
  return {
    figures: [
      figureOf(`${name}: wall`, 'ms', milliseconds(runs.map((run) => run.wallSeconds))),
      cpu,
      figureOf(`${name}: CPU of its imports alone`, 'ms', milliseconds(imports)),
      figureOf(`${name}: source that it loads`, 'MB', [megabytesOf(modules)]),
    ],
    bar: { name: `${name}: CPU`, atMost: MOST_CPU_SECONDS * 1000, found: cpu.median, unit: 'ms' },
    note: `${name}: first request ${runs[0]?.path ?? ''}; ${modules.length} modules until then`,
  };
}

/** The least that a job's configuration in the cloud has; credentials come from the metadata server. */
function cloud({ folder }: BenchContext, server: FirstRequestServer): Setting {
  const files = writePassFiles({
    folder: join(folder, 'cloud'),
    clusters: {},
    config: `calendarId: bench@group.calendar.google.com\ncluster: projects/p/locations/l/clusters/c\n${ONE_POOL}`,
    calendar: 'none',
    state: 'firestore:autoscaler',
  });
  const host = `127.0.0.1:${server.port}`;
  const env = {
    CLOUD_RUN_JOB: 'autoscaler',
    GOOGLE_CLOUD_PROJECT: 'project',
    GCE_METADATA_HOST: host,
    METADATA_SERVER_DETECTION: 'assume-present',
  };
  return { name: 'in the cloud', files: { ...files, env: { ...files.env, ...env } }, server };
}

function laptop({ folder }: BenchContext, server: FirstRequestServer): Setting {
  const place = { server: `https://127.0.0.1:${server.port}`, caFile: CA_FILE, token: 'token' };
  const files = writePassFiles({
    folder: join(folder, 'laptop'),
    clusters: { one: place },
    config: `cluster: kubeconfig:one\n${ONE_POOL}`,
    // A file would keep the lease of the process that is stopped here.
    state: 'memory',
  });
  return { name: 'with kubeconfig and ICS', files, server };
}

/** Writes down each module of a file as it is loaded. */
const RECORDER = `
const { appendFileSync } = require('node:fs');
require('node:module').registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) appendFileSync(process.env.BENCH_MODULES, url + '\\n');
    return next(url, context);
  },
});
`;

async function modulesUntilRequest(
  server: FirstRequestServer,
  { path, files }: { readonly path: string; readonly files: PassFiles },
  { folder }: BenchContext,
): Promise<readonly string[]> {
  const recorder = join(folder, 'recorder.cjs');
  const list = join(folder, 'modules.txt');
  writeFileSync(recorder, RECORDER);
  writeFileSync(list, '');
  const env = { ...files.env, BENCH_MODULES: list };
  await server.of({ path, files: { ...files, env } }, ['--require', recorder]);
  return [
    ...new Set(
      readFileSync(list, 'utf8')
        .split('\n')
        .filter((url) => url !== ''),
    ),
  ];
}

function megabytesOf(modules: readonly string[]): number {
  return modules.reduce((sum, url) => sum + statSync(new URL(url)).size, 0) / 1e6;
}

async function repeat<T>(times: number, work: () => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  for (let round = 0; round < times; round += 1) results.push(await work());
  return results;
}

function milliseconds(seconds: readonly number[]): readonly number[] {
  return seconds.map((one) => one * 1000);
}
