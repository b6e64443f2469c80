/** A fleet of synthetic clusters as a config, and passes over it. */
import { join } from 'node:path';
import { runProgram, writePassFiles } from './program.ts';
import type { LogLine, PassFiles, PassRun } from './program.ts';
import type { BenchContext } from './scenario.ts';
import { CA_FILE } from './synthetic.ts';
import type { SyntheticApi } from './synthetic.ts';

export interface FleetSize {
  readonly clusters: number;
  readonly nodes: number;
  readonly podsPerNode: number;
}

export function fleetFiles({ folder }: BenchContext, api: SyntheticApi): PassFiles {
  const places = api.urls().map((server) => ({ server, caFile: CA_FILE, token: 'token' }));
  const names = places.map((_, index) => clusterName(index));
  const pool = { replicas: 1, resources: { requests: { cpu: '15500m', memory: '58000000Ki' } } };
  const clusters = names.map((name) => [name, { cluster: `kubeconfig:${name}`, nodePools: { base: pool } }]);
  return writePassFiles({
    folder: join(folder, 'fleet'),
    clusters: Object.fromEntries(places.map((place, index) => [clusterName(index), place])),
    // JSON is YAML.
    config: `clusters: ${JSON.stringify(Object.fromEntries(clusters))}\n`,
    // One document a cluster, as Firestore has it, would cost round trips and nothing else here.
    state: 'memory',
  });
}

export function clusterName(index: number): string {
  return `hub-${String(index).padStart(3, '0')}`;
}

export interface TasksOptions {
  readonly context: BenchContext;
  /** Called as soon as the process of a task is there. */
  readonly onSpawn?: (pid: number, task: number) => void;
}

/** One execution of the job: so many tasks at the same time. */
export async function runTasks(
  files: PassFiles,
  tasks: number,
  { context, onSpawn }: TasksOptions,
): Promise<readonly PassRun[]> {
  return Promise.all(
    Array.from({ length: tasks }, (_, index) =>
      runProgram(files, {
        folder: context.folder,
        onSpawn: (pid) => onSpawn?.(pid, index),
        env: { CLOUD_RUN_TASK_INDEX: String(index), CLOUD_RUN_TASK_COUNT: String(tasks) },
      }),
    ),
  );
}

export interface ClusterSummary {
  readonly cluster: string;
  readonly outcome: string;
  /** From the start of the process to the line. */
  readonly endedAfterSeconds: number;
  readonly durationSeconds: number;
}

export function summariesOf(run: PassRun): readonly ClusterSummary[] {
  return run.lines.filter(isSummary).map(({ cluster, outcome, durationMs, time }) => ({
    cluster: String(cluster),
    outcome: String(outcome),
    endedAfterSeconds: (Date.parse(String(time)) - run.startedAt) / 1000,
    durationSeconds: Number(durationMs) / 1000,
  }));
}

function isSummary(line: LogLine): boolean {
  return line['event'] === 'pass_summary';
}
