/** One cluster of the synthetic API server: what it answers to whom, and how often it was asked. */
import type { IncomingMessage } from 'node:http';
import { POOL_LABEL, writeNodes, writePods } from './synthetic-objects.ts';
import type { Page } from './synthetic-objects.ts';
import type { ClusterStats, SyntheticSpec, Trouble, VerbCount } from './synthetic-protocol.ts';

export interface SyntheticAnswer {
  /** The verb and the kind of object, for counting. */
  readonly verb: string;
  readonly status: number;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The clocks of two processes may round this differently. */
const CLOCK_MILLIS = 50;

const NAMESPACE = '/namespaces/([^/]+)';
const NODE_LIST = /^\/api\/v1\/nodes$/;
const POD_LIST = /^\/api\/v1\/pods$/;
const OWN_POD_LIST = new RegExp(`^/api/v1${NAMESPACE}/pods$`);
const DEPLOYMENT_LIST = new RegExp(`^/apis/apps/v1${NAMESPACE}/deployments$`);
const DEPLOYMENT = new RegExp(`^/apis/apps/v1${NAMESPACE}/deployments/([^/]+)$`);
const PRIORITY_CLASS = /^\/apis\/scheduling\.k8s\.io\/v1\/priorityclasses\//;
const BUDGET = new RegExp(`^/apis/policy/v1${NAMESPACE}/poddisruptionbudgets/`);

export class SyntheticCluster {
  trouble: Trouble | undefined;
  readonly #spec: SyntheticSpec;
  readonly #deployments = new Map<string, Record<string, unknown>>();
  #byVerb = new Map<string, VerbCount>();
  #connections = 0;
  #overHttp1 = 0;
  #refused = 0;
  #early = 0;
  #pausedUntil = 0;
  #revision = 1;
  #firstRequestAt: number | undefined;
  #lastAnswerAt: number | undefined;

  constructor(spec: SyntheticSpec) {
    this.#spec = spec;
  }

  stats(): ClusterStats {
    return {
      byVerb: Object.fromEntries(this.#byVerb),
      connections: this.#connections,
      overHttp1: this.#overHttp1,
      early: this.#early,
      firstRequestAt: this.#firstRequestAt,
      lastAnswerAt: this.#lastAnswerAt,
    };
  }

  /** Forgets the counts, not the Deployments. */
  reset(): void {
    this.#byVerb = new Map();
    this.#connections = 0;
    this.#overHttp1 = 0;
    this.#refused = 0;
    this.#early = 0;
    this.#pausedUntil = 0;
    this.#firstRequestAt = undefined;
    this.#lastAnswerAt = undefined;
  }

  countConnection(): void {
    this.#connections += 1;
  }

  countRequest(verb: string): void {
    this.#firstRequestAt ??= Date.now();
    const { requests, bytes } = this.#byVerb.get(verb) ?? NOTHING;
    this.#byVerb.set(verb, { requests: requests + 1, bytes });
  }

  countAnswer(verb: string, size: number): void {
    this.#lastAnswerAt = Date.now();
    const { requests, bytes } = this.#byVerb.get(verb) ?? NOTHING;
    this.#byVerb.set(verb, { requests, bytes: bytes + size });
  }

  /** A request has come in. */
  countArrival({ httpVersionMajor }: Pick<IncomingMessage, 'httpVersionMajor'>): void {
    if (httpVersionMajor === 1) this.#overHttp1 += 1;
    if (Date.now() < this.#pausedUntil) this.#early += 1;
  }

  /** Whether this request is to be refused as one too many. */
  isThrottling({ url }: Pick<IncomingMessage, 'url'>): boolean {
    const { trouble } = this;
    if (trouble?.kind !== 'throttled' || this.#refused >= trouble.requests) return false;
    if (url?.includes(trouble.path ?? '') !== true) return false;
    this.#refused += 1;
    this.#pausedUntil = Date.now() + trouble.retryAfterSeconds * 1000 - CLOCK_MILLIS;
    return true;
  }

  answer({ method, url }: Pick<IncomingMessage, 'method' | 'url'>, body: string): SyntheticAnswer {
    const { pathname, searchParams } = new URL(url ?? '/', 'https://localhost');
    if (method === 'PATCH') return this.#patch(pathname, body);
    if (NODE_LIST.test(pathname)) return { verb: 'list nodes', status: 200, body: this.#nodes(searchParams) };
    if (POD_LIST.test(pathname)) return listPods(searchParams, () => this.#pods(searchParams));
    if (OWN_POD_LIST.test(pathname)) return listPods(searchParams, () => NO_PODS);
    if (DEPLOYMENT_LIST.test(pathname)) {
      return json('list deployments', 200, list('DeploymentList', [...this.#deployments.values()]));
    }
    if (PRIORITY_CLASS.test(pathname)) return json('get priorityclasses', 200, PRIORITY_CLASS_OBJECT);
    if (BUDGET.test(pathname)) return json('get poddisruptionbudgets', 200, BUDGET_OBJECT);
    return json(`${method ?? 'GET'} ${pathname}`, 404, { kind: 'Status', code: 404, message: 'not there' });
  }

  #nodes(query: URLSearchParams): Buffer {
    const { nodes, managedNodes = nodes } = this.#spec;
    const isSelected = query.get('labelSelector') === `${POOL_LABEL} in (base)`;
    return writeNodes(pageOf(query, isSelected ? managedNodes : nodes));
  }

  #pods(query: URLSearchParams): Buffer {
    const { nodes, podsPerNode } = this.#spec;
    const ofNode = /spec\.nodeName=node-(\d+)/.exec(query.get('fieldSelector') ?? '')?.[1];
    if (ofNode === undefined) return writePods(pageOf(query, nodes * podsPerNode), podsPerNode);
    const from = Number(ofNode) * podsPerNode;
    return writePods({ from, to: from + podsPerNode, continueToken: undefined, remaining: 0 }, podsPerNode);
  }

  /** Server-side apply, as far as the job's own Deployments need it. */
  #patch(pathname: string, body: string): SyntheticAnswer {
    const name = DEPLOYMENT.exec(pathname)?.[2];
    if (name === undefined) return json('patch pods', 200, { metadata: { resourceVersion: '1' } });
    const applied = JSON.parse(body) as { readonly metadata: Readonly<Record<string, unknown>> };
    const isNew = !this.#deployments.has(name);
    this.#revision += 1;
    const metadata = {
      ...applied.metadata,
      uid: `deployment-${name}`,
      resourceVersion: String(this.#revision),
      generation: this.#revision,
    };
    const stored = { ...applied, metadata };
    this.#deployments.set(name, stored);
    return json('apply deployments', isNew ? 201 : 200, stored);
  }
}

const LIVE_PODS = 'status.phase!=Succeeded,status.phase!=Failed';
const NOTHING: VerbCount = { requests: 0, bytes: 0 };

function listPods(query: URLSearchParams, write: () => Buffer): SyntheticAnswer {
  return asksForLivePods(query) ? { verb: 'list pods', status: 200, body: write() } : NOT_AS_AGREED;
}

/** All pods of this server are live, so that what asks for others too would not be seen; but to count them all is well. */
function asksForLivePods(query: URLSearchParams): boolean {
  const selector = query.get('fieldSelector');
  return selector === null ? query.get('limit') === '1' : selector.endsWith(LIVE_PODS);
}

function pageOf(query: URLSearchParams, total: number): Page {
  const from = Number(query.get('continue') ?? '0');
  const limit = Number(query.get('limit') ?? '0');
  const to = limit === 0 ? total : Math.min(total, from + limit);
  return { from, to, continueToken: to < total ? String(to) : undefined, remaining: total - to };
}

function json(verb: string, status: number, body: unknown): SyntheticAnswer {
  return { verb, status, body: Buffer.from(JSON.stringify(body)) };
}

function list(kind: string, items: readonly unknown[]) {
  return { kind, apiVersion: 'v1', metadata: { resourceVersion: '1' }, items };
}

const NO_PODS = Buffer.from(JSON.stringify(list('PodList', [])));
const NOT_AS_AGREED = json('list pods', 400, { kind: 'Status', code: 400, message: 'terminal pods, too?' });

const PRIORITY_CLASS_OBJECT = {
  kind: 'PriorityClass',
  metadata: { name: 'node-placeholder' },
  value: -10,
  preemptionPolicy: 'Never',
};
const BUDGET_OBJECT = { kind: 'PodDisruptionBudget', metadata: { name: 'placeholder' } };
