/**
 * A pass with everything real but the cloud: the Kubernetes adapter over TLS to the embedded API server, an ICS
 * calendar over HTTP, Firestore's client to the emulator. Every answer on the way can be spoilt.
 *
 * The scene: four nodes, an event that asks for three, three placeholders. One node has become free, so a healthy
 * pass lowers the count to two; whoever cannot read what that rests on must leave it at three.
 */
import { setTimeout as wait } from 'node:timers/promises';

import { Agent } from 'undici';

import { IcsCalendar } from '../../functions/calendar/ics.ts';
import type { RetryPolicy as CalendarRetry } from '../../functions/calendar/retry.ts';
import { RETRY_POLICY } from '../../functions/calendar/retry.ts';
import { ApiCluster } from '../../functions/cluster/api.ts';
import { DEFAULT_RETRY } from '../../functions/cluster/retry.ts';
import type { EmbeddedApi } from '../../functions/embedded/https.ts';
import type { ClusterModel } from '../../functions/embedded/model.ts';
import type { Deadline } from '../../functions/pass/deadline.ts';
import { startDeadline } from '../../functions/pass/deadline.ts';
import type { PassReport } from '../../functions/pass/run-pass.ts';
import { runPass } from '../../functions/pass/run-pass.ts';
import type { StateStore } from '../../functions/ports.ts';
import { FirestoreStateStore } from '../../functions/state/firestore.ts';
import type { LoopbackServer, ReceivedRequest, Reply } from '../cluster/loopback-server.ts';
import { endpointAt, refusal, startLoopbackServer } from '../cluster/loopback-server.ts';
import { aClusterOf, aPool } from '../pass/scene.ts';
import { CapturedLog } from '../support/fakes.ts';
import type { Fault as RelayFault } from '../support/http-relay.ts';
import { HttpRelay } from '../support/http-relay.ts';
import type { Fault, Source } from './faults.ts';
import { LAB_ICS, NOW, disperseCrowd, openModelApi, replicasOf, sceneModel } from './scene-model.ts';

/** Longer than the grace period of the scene, shorter than a gap. */
export const LATER_SECONDS = 80;
/** Long enough for a busy machine, short enough that a hundred passes may wait for it. */
const PATIENCE_MILLIS = 6_000;
/** Nothing is broken yet; the emulator may just have started. */
export const FIRST_PATIENCE_MILLIS = 30_000;
const PASS_SECONDS = 30;
/** Longer than any pass waits. */
const SLOW_MILLIS = 60_000;

const CALENDAR_RETRY: CalendarRetry = {
  ...RETRY_POLICY,
  firstWaitMs: 50,
  waitBudgetMs: 2_000,
  requestTimeoutMs: PATIENCE_MILLIS,
};

export interface PassResult {
  readonly report: PassReport;
  readonly log: CapturedLog;
}

export class Rig {
  readonly model: ClusterModel;
  readonly #api: EmbeddedApi;
  readonly #front: LoopbackServer;
  readonly #calendar: HttpRelay;
  readonly #emulator: string;
  readonly #agent: Agent;
  readonly #cluster: string;
  readonly #control: Control;
  #leaseFault: RelayFault | undefined;
  #saveFault: RelayFault | undefined;

  private constructor(parts: Parts) {
    this.model = parts.model;
    this.#api = parts.api;
    this.#front = parts.front;
    this.#calendar = parts.calendar;
    this.#emulator = parts.emulator;
    this.#agent = parts.agent;
    this.#cluster = parts.cluster;
    this.#control = parts.control;
  }

  static async start(emulator: string, cluster: string): Promise<Rig> {
    const model = sceneModel();
    const { api, ca } = await openModelApi(model);
    const agent = new Agent({ connect: { ca } });
    const control: Control = { fault: () => undefined, stopping: new AbortController() };
    const front = await startLoopbackServer((request) =>
      spoil(control, request, () => forward(agent, api.url, request)),
    );
    const calendar = await HttpRelay.start();
    calendar.fault = () => ({ kind: 'body', text: LAB_ICS });
    return new Rig({ model, api, front, calendar, emulator, agent, cluster, control });
  }

  replicas(): number | undefined {
    return replicasOf(this.model);
  }

  /** The pass that makes the three placeholders, and what happens after it. */
  async prepare(): Promise<PassResult> {
    const result = await this.pass(NOW, FIRST_PATIENCE_MILLIS);
    disperseCrowd(this.model);
    return result;
  }

  break(source: Source, fault: Fault): void {
    if (source === 'calendar') this.#calendar.fault = () => calendarFault(fault);
    else if (source === 'lease') this.#leaseFault = firestoreFault(fault);
    else if (source === 'save') this.#saveFault = firestoreFault(fault);
    else this.#control.fault = (request) => (isOf(source, request) ? fault : undefined);
  }

  /** Everything answers again. */
  mend(): void {
    this.#calendar.fault = () => ({ kind: 'body', text: LAB_ICS });
    this.#leaseFault = undefined;
    this.#saveFault = undefined;
    this.#control.fault = () => undefined;
  }

  async pass(now = NOW + LATER_SECONDS * 1000, patience = PATIENCE_MILLIS): Promise<PassResult> {
    const log = new CapturedLog();
    // Of this pass alone: what its client still tries after the pass has given up would end with the process.
    const firestore = await HttpRelay.start(this.#emulator);
    const state = this.#openState(firestore, patience);
    const settings = aClusterOf([aPool('base', { nodeGraceSeconds: 60, warmFirst: false })], {
      name: this.#cluster,
      warmFirst: false,
    });
    const pool = settings.pools[0];
    if (pool === undefined) throw new Error('no pool');
    const small = { ...pool, placeholder: { ...pool.placeholder, requests: { cpu: '500m' } } };
    const report = await runPass(
      {
        source: 'config.yaml',
        clusters: [{ ...settings, pools: [small] }],
        caps: [],
        notices: [],
      },
      {
        openCalendar: () =>
          Promise.resolve(
            new IcsCalendar({ url: `http://${this.#calendar.host}/lab.ics`, retry: CALENDAR_RETRY }),
          ),
        openCluster: () => Promise.resolve(this.#openCluster()),
        state,
        log,
      },
      {
        now,
        owner: `pass-${now}`,
        deadline: deadline(patience),
        isDryRun: false,
        task: { index: 0, count: 1 },
      },
    );
    await state.close();
    await firestore.stop();
    return { report, log };
  }

  async stop(): Promise<void> {
    this.#control.stopping.abort();
    await this.#front[Symbol.asyncDispose]();
    await this.#agent.destroy();
    await Promise.all([this.#api.close(), this.#calendar.stop()]);
  }

  #openCluster(): ApiCluster {
    return new ApiCluster({
      label: this.#cluster,
      endpoint: endpointAt(this.#front.port),
      namespace: 'node-placeholder',
      limits: {
        connect: PATIENCE_MILLIS,
        headers: PATIENCE_MILLIS,
        silence: PATIENCE_MILLIS,
        whole: PATIENCE_MILLIS,
      },
      retry: { ...DEFAULT_RETRY, attempts: 3, firstWaitMillis: 20 },
    });
  }

  /** A fault of the save begins once the lease is taken. */
  #openState(relay: HttpRelay, patience: number): StateStore {
    relay.fault = () => this.#leaseFault;
    const store = new FirestoreStateStore({
      projectId: 'chaos',
      databaseId: 'placeholders',
      emulatorHost: relay.host,
      timeoutSeconds: patience / 1000,
    });
    return {
      label: store.label,
      peek: (...given) => store.peek(...given),
      acquire: async (...given) => {
        const answer = await store.acquire(...given);
        if (this.#saveFault !== undefined) relay.fault = () => this.#saveFault;
        return answer;
      },
      save: (...given) => store.save(...given),
      close: () => store.close(),
    };
  }
}

interface Parts {
  readonly model: ClusterModel;
  readonly api: EmbeddedApi;
  readonly front: LoopbackServer;
  readonly calendar: HttpRelay;
  /** `HOST:PORT` of Firestore's. */
  readonly emulator: string;
  readonly agent: Agent;
  readonly cluster: string;
  readonly control: Control;
}

interface Control {
  fault: (request: ReceivedRequest) => Fault | undefined;
  readonly stopping: AbortController;
}

function deadline(patience: number): Deadline {
  return {
    ...startDeadline(new AbortController().signal, PASS_SECONDS),
    forWrite: () => AbortSignal.timeout(patience),
    forState: () => AbortSignal.timeout(2 * patience),
  };
}

// ---- faults ----

function isOf(source: Source, { method, path }: ReceivedRequest): boolean {
  if (source === 'apply') return method === 'PATCH' && path.includes('/deployments/');
  const plural = { nodes: 'nodes', pods: 'pods', deployments: 'deployments' }[source as 'nodes'];
  return method === 'GET' && path.endsWith(`/${plural}`);
}

async function forward(agent: Agent, url: string, request: ReceivedRequest): Promise<Reply> {
  const query = new URLSearchParams(request.query).toString();
  const { statusCode, headers, body } = await agent.request({
    origin: url,
    path: `${request.path}?${query}`,
    method: request.method,
    headers: { 'content-type': String(request.headers['content-type'] ?? 'application/json') },
    body: request.body === '' ? null : request.body,
  });
  const text = await body.text();
  return {
    kind: 'text',
    status: statusCode,
    body: text,
    headers: { 'content-type': String(headers['content-type']) },
  };
}

async function spoil(control: Control, request: ReceivedRequest, go: () => Promise<Reply>): Promise<Reply> {
  const fault = control.fault(request);
  if (fault === undefined) return go();
  switch (fault.kind) {
    case 'status':
      return refusal(fault.status, `a fault of status ${fault.status}`, retryAfter(fault));
    case 'cut':
      return { kind: 'cut', body: bodyOf(await go()) };
    case 'silence':
      return { kind: 'silence' };
    case 'slow':
      return (await isOver(control.stopping.signal)) ? { kind: 'silence' } : go();
    case 'garbage':
      return { kind: 'text', status: 200, body: '<html>' };
    case 'truncatedList':
      return shorten(request, go, (items) => items.slice(0, Math.floor(items.length / 4)));
    case 'emptyList':
      return shorten(request, go, () => []);
  }
}

/** Waits for long; true when the rig was stopped meanwhile. */
async function isOver(stopping: AbortSignal): Promise<boolean> {
  await wait(SLOW_MILLIS, undefined, { signal: stopping, ref: false }).catch(() => undefined);
  return stopping.aborted;
}

function retryAfter(fault: Extract<Fault, { kind: 'status' }>): Record<string, string> {
  return fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) };
}

/** An answer that is valid and lacks items; to an apply, one that lacks the object. */
async function shorten(
  { method }: ReceivedRequest,
  go: () => Promise<Reply>,
  cut: (items: readonly unknown[]) => readonly unknown[],
): Promise<Reply> {
  if (method === 'PATCH') return { kind: 'json', status: 200, body: {} };
  const list = JSON.parse(bodyOf(await go())) as { items: readonly unknown[] };
  return { kind: 'json', status: 200, body: { ...list, items: cut(list.items) } };
}

function bodyOf(reply: Reply): string {
  return 'body' in reply && typeof reply.body === 'string' ? reply.body : '';
}

function calendarFault(fault: Fault): RelayFault {
  if (fault.kind === 'truncatedList')
    return { kind: 'body', text: LAB_ICS.slice(0, LAB_ICS.indexOf('END:VEVENT')) };
  if (fault.kind === 'emptyList') return { kind: 'body', text: '' };
  return common(fault);
}

function firestoreFault(fault: Fault): RelayFault {
  if (fault.kind === 'truncatedList') return { kind: 'body', text: '[{"transaction":"AAAA"}]' };
  if (fault.kind === 'emptyList') return { kind: 'body', text: '[]' };
  return common(fault);
}

function common(fault: Exclude<Fault, { kind: 'truncatedList' | 'emptyList' }>): RelayFault {
  return fault.kind === 'slow' ? { kind: 'slow', milliseconds: SLOW_MILLIS } : fault;
}
