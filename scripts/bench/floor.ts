/** Runs the floor client as a process, in plain JavaScript, so that it does not pay for its own types being stripped. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';

import { runNode } from './child-run.ts';
import type { ChildRun } from './child-run.ts';
import type { FloorTask } from './floor-client.ts';
import { POOL_LABEL } from './synthetic-objects.ts';

export type FloorKind = Pick<FloorTask, 'protocol' | 'gzip'>;

/** Which of them is the lowest depends on the machine and the link, so all are run and the lowest counts. */
export const FLOORS: readonly FloorKind[] = [
  { protocol: 'http/1.1', gzip: false },
  { protocol: 'h2', gzip: false },
];

export function nameFloor({ protocol, gzip }: FloorKind): string {
  return `floor, ${protocol}${gzip ? ', gzip' : ''}`;
}

export interface FloorOptions {
  readonly folder: string;
  readonly server: string;
  readonly caFile: string;
  readonly token: string;
  readonly namespace: string;
  readonly pageSize: number;
}

export function runFloor(kind: FloorKind, options: FloorOptions): Promise<ChildRun> {
  return runLists({ ...kind, lists: listsOf(options) }, options);
}

/**
 * The requests of a loop that asks node by node for each of its pools, over a connection for each request: how the
 * in-cluster loop goes about it that this product replaces, without anything else of what that costs.
 */
export function runNodeByNode(
  nodeNames: readonly string[],
  options: FloorOptions & { readonly pools: number },
): Promise<ChildRun> {
  const [nodes = '', , deployments = ''] = listsOf(options);
  const podsOf = (name: string) =>
    `/api/v1/pods?${new URLSearchParams({ fieldSelector: `spec.nodeName=${name}` }).toString()}`;
  const onePool = [nodes, ...nodeNames.map(podsOf), deployments];
  const lists = Array.from({ length: options.pools }, () => onePool).flat();
  return runLists({ protocol: 'http/1.1', gzip: false, freshConnections: true, lists }, options);
}

async function runLists(
  how: Omit<FloorTask, 'server' | 'caFile' | 'token'>,
  { folder, server, caFile, token }: FloorOptions,
): Promise<ChildRun> {
  const program = join(folder, 'floor-client.mjs');
  const taskFile = join(folder, 'floor-task.json');
  const source = readFileSync(join(import.meta.dirname, 'floor-client.ts'), 'utf8');
  writeFileSync(program, transformSync(source, { loader: 'ts', target: 'node24' }).code);
  const task: FloorTask = { ...how, server, caFile, token };
  writeFileSync(taskFile, JSON.stringify(task));
  const run = await runNode([program, taskFile], { folder });
  if (run.exitCode !== 0) throw new Error(`the floor failed:\n${run.errors}`);
  return run;
}

/** The lists of a quiet pass over one pool. */
function listsOf({ namespace, pageSize }: FloorOptions): readonly string[] {
  const query = (parameters: Readonly<Record<string, string>>) =>
    new URLSearchParams({ limit: String(pageSize), ...parameters }).toString();
  return [
    `/api/v1/nodes?${query({ labelSelector: `${POOL_LABEL} in (base)` })}`,
    `/api/v1/pods?${query({ fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' })}`,
    `/apis/apps/v1/namespaces/${namespace}/deployments?${query({})}`,
  ];
}
