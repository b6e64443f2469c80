/** A real control plane for the bench: the one of the tests, started here, filled with a cluster of some size. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { AdminClient } from '../../test/control-plane/admin-client.ts';
import { AuditLog } from '../../test/control-plane/audit-log.ts';
import { tokenOf } from '../../test/control-plane/files.ts';
import { install } from '../../test/control-plane/installation.ts';
import type { ControlPlaneInfo } from '../../test/control-plane/readiness.ts';
import { creatableNode, creatablePod, labelOfFirst } from './synthetic-objects.ts';

/** How many nodes one may select by a label of theirs, one number after the other. */
export const MANAGED_NODES = [5, 10, 20, 40, 80, 160, 320] as const;
export const JOB_USER = 'job-scale';
export const NAMESPACE = 'node-placeholder';
const PODS_NAMESPACE = 'hub';
const SUPERVISOR = join(import.meta.dirname, '..', '..', 'test', 'control-plane', 'supervisor.ts');
const CREATED_AT_ONCE = 16;
const POLL_MILLIS = 500;

export class BenchControlPlane {
  readonly info: ControlPlaneInfo;
  readonly audit: AuditLog;
  readonly #supervisor: ChildProcess;
  readonly #admin: AdminClient;
  #nodes = 0;
  #pods = 0;

  private constructor(supervisor: ChildProcess, info: ControlPlaneInfo) {
    this.#supervisor = supervisor;
    this.info = info;
    this.audit = new AuditLog(info.auditLog, JOB_USER);
    this.#admin = new AdminClient(info.server, { ca: readFileSync(info.caFile), token: tokenOf('admin') });
  }

  static async start(): Promise<BenchControlPlane> {
    const supervisor = spawn(process.execPath, [SUPERVISOR], { stdio: ['pipe', 'pipe', 'inherit'] });
    const info = await readInfo(supervisor.stdout);
    const plane = new BenchControlPlane(supervisor, info);
    await install(plane.#admin, JOB_USER, NAMESPACE);
    await plane.#admin.create('/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: PODS_NAMESPACE },
    });
    return plane;
  }

  /** Adds what is missing, and waits until every pod runs. */
  async growTo(nodes: number, podsPerNode: number): Promise<void> {
    const newNodes = range(this.#nodes, nodes);
    await atOnce(newNodes, (node) => {
      const labels = MANAGED_NODES.filter((count) => node < count).map(labelOfFirst);
      return this.#admin.create('/api/v1/nodes', creatableNode(node, Object.fromEntries(labels)));
    });
    this.#nodes = nodes;
    const newPods = range(this.#pods, nodes * podsPerNode);
    await atOnce(newPods, (pod) =>
      this.#admin.create(
        `/api/v1/namespaces/${PODS_NAMESPACE}/pods`,
        creatablePod(pod, Math.floor(pod / podsPerNode)),
      ),
    );
    this.#pods = nodes * podsPerNode;
    await this.#untilNone(`/api/v1/namespaces/${PODS_NAMESPACE}/pods`, 'status.phase=Pending');
  }

  size(): { readonly nodes: number; readonly pods: number } {
    return { nodes: this.#nodes, pods: this.#pods };
  }

  nodeNames(): readonly string[] {
    return range(0, this.#nodes).map((node) => `node-${String(node).padStart(5, '0')}`);
  }

  async untilPlaceholdersRun(): Promise<void> {
    await this.#untilNone(`/api/v1/namespaces/${NAMESPACE}/pods`, 'status.phase=Pending');
  }

  /** Bytes of all list answers so far by resource, before TLS, as the API server itself counts them. */
  async listedBytes(): Promise<Readonly<Record<string, number>>> {
    const bytes: Record<string, number> = {};
    const metrics = await this.#metrics();
    for (const [, labels = '', value = ''] of metrics.matchAll(LIST_BYTES)) {
      const resource = /[{,]resource="([^"]*)"/.exec(labels)?.[1] ?? '';
      bytes[resource] = (bytes[resource] ?? 0) + Number(value);
    }
    return bytes;
  }

  /** What the API server has used since it started. */
  async cpuSeconds(): Promise<number> {
    return Number(/^process_cpu_seconds_total (\S+)$/m.exec(await this.#metrics())?.[1]);
  }

  async stop(): Promise<void> {
    await this.#admin.close();
    const ended = once(this.#supervisor, 'exit');
    this.#supervisor.stdin?.end();
    await ended;
  }

  async #metrics(): Promise<string> {
    const headers = { authorization: `Bearer ${tokenOf('admin')}` };
    const sent = request(`${this.info.server}/metrics`, { ca: readFileSync(this.info.caFile), headers });
    sent.end();
    const [response] = (await once(sent, 'response')) as [Readable];
    return text(response);
  }

  async #untilNone(path: string, fieldSelector: string): Promise<void> {
    for (;;) {
      const query = new URLSearchParams({ fieldSelector, limit: '1' }).toString();
      if ((await this.#admin.list(`${path}?${query}`)).length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MILLIS));
    }
  }
}

const LIST_BYTES = /^apiserver_response_sizes_sum(\{[^}]*verb="LIST"[^}]*\}) (\S+)$/gm;

/** What was added to each number. */
export function difference(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(after).map(([key, value]) => [key, value - (before[key] ?? 0)]));
}

async function readInfo(stdout: Readable): Promise<ControlPlaneInfo> {
  for await (const line of createInterface({ input: stdout })) return JSON.parse(line) as ControlPlaneInfo;
  throw new Error('the control plane did not start; the reason stands above');
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

async function atOnce<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const entries = items.values();
  const lane = async () => {
    for (const item of entries) await work(item);
  };
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, lane));
}
