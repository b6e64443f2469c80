/**
 * Fakes of every port, with a call log, failures on demand and a gate at each crossing to the outside, so that a
 * test can stop, interleave or kill a pass at any of them. They live in memory and use no clock of their own.
 */
import type { CalendarEvent, Finding } from '../../functions/domain/event.ts';
import type { Instant } from '../../functions/domain/instant.ts';
import type { NodeFacts } from '../../functions/domain/node.ts';
import type { LiveDeployment, PlaceholderPod } from '../../functions/domain/placeholder.ts';
import { NO_USAGE } from '../../functions/domain/usage.ts';
import type { NodeUsage } from '../../functions/domain/usage.ts';
import { CalendarError, ClusterError, StateError } from '../../functions/errors.ts';
import type { FailureDetails, FailureKind } from '../../functions/errors.ts';
import type {
  Acquisition,
  ApplyOutcome,
  Calendar,
  CalendarReading,
  Clock,
  Cluster,
  ClusterObjects,
  ClusterQuery,
  ClusterReading,
  ClusterState,
  Logger,
  StateStore,
  WantedDeployment,
} from '../../functions/ports.ts';
import { MemoryStateStore } from '../../functions/state/memory.ts';

// ---- crossings ----

export type Method =
  | 'calendar.read'
  | 'cluster.read'
  | 'cluster.apply'
  | 'cluster.scaleDown'
  | 'cluster.markWarm'
  | 'cluster.close'
  | 'state.peek'
  | 'state.acquire'
  | 'state.save'
  | 'state.close';

export interface Call {
  readonly method: Method;
  /** The argument that tells calls apart: a Deployment's name and count, a save's change. */
  readonly detail: unknown;
}

/** `before`: nothing has happened outside yet. `after`: it has, and the caller does not know. */
export type Moment = 'before' | 'after';
export type Gate = (call: Call, moment: Moment) => Promise<void> | void;

/** What all fakes of one pass cross: it counts, delays and breaks. */
export class Outside {
  readonly calls: Call[] = [];
  gate: Gate = () => undefined;
  /** Told of every call that took effect, before its caller is. */
  onEffect: (call: Call, result: unknown) => void = () => undefined;
  /** Told of every call that the other side refused by itself. */
  onRefusal: (call: Call, error: unknown) => void = () => undefined;
  readonly #failures = new Map<Method, (Error | 'hang')[]>();

  /** The next `times` calls of this method fail before anything happens. */
  failNext(method: Method, error: Error, times = 1): void {
    this.#plan(method, error, times);
  }

  /** The next call of this method never answers; it ends when its signal fires. */
  hangNext(method: Method): void {
    this.#plan(method, 'hang', 1);
  }

  callsOf(method: Method): readonly Call[] {
    return this.calls.filter((call) => call.method === method);
  }

  async cross<T>(call: Call, signal: AbortSignal | undefined, effect: () => T | Promise<T>): Promise<T> {
    this.calls.push(call);
    await this.gate(call, 'before');
    if (signal?.aborted === true) throw interrupted(call.method, signal);
    const failure = this.#failures.get(call.method)?.shift();
    if (failure === 'hang') await hang(call.method, signal);
    if (failure instanceof Error) throw failure;
    const result = await this.#carryOut(call, effect);
    await this.gate(call, 'after');
    return result;
  }

  async #carryOut<T>(call: Call, effect: () => T | Promise<T>): Promise<T> {
    try {
      const result = await effect();
      this.onEffect(call, result);
      return result;
    } catch (error) {
      this.onRefusal(call, error);
      throw error;
    }
  }

  #plan(method: Method, failure: Error | 'hang', times: number): void {
    const planned = this.#failures.get(method) ?? [];
    planned.push(...Array.from({ length: times }, () => failure));
    this.#failures.set(method, planned);
  }
}

function hang(method: Method, signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => {
      reject(interrupted(method, signal));
    });
  });
}

function interrupted(method: Method, signal: AbortSignal): Error {
  const isTimeout = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
  return outsideError(method, isTimeout ? 'timeout' : 'aborted', signal.reason);
}

/** An error of the class that belongs to the method, with a remedy that names its source. */
export function outsideError(method: Method, kind: FailureKind, cause?: unknown): Error {
  const source = method.slice(0, method.indexOf('.'));
  const details: FailureDetails = { kind, remedy: `mend the ${source}`, cause };
  const message = `${method}: ${kind}`;
  if (source === 'calendar') return new CalendarError(message, details);
  return source === 'cluster' ? new ClusterError(message, details) : new StateError(message, details);
}

// ---- calendar ----

export class FakeCalendar implements Calendar {
  readonly label = 'fake-calendar';
  events: readonly CalendarEvent[];
  findings: readonly Finding[] = [];
  timeZone = 'UTC';
  readonly #outside: Outside;

  constructor(outside: Outside, events: readonly CalendarEvent[] = []) {
    this.#outside = outside;
    this.events = events;
  }

  read(
    window: { readonly fromAt: Instant; readonly toAt: Instant },
    signal: AbortSignal,
  ): Promise<CalendarReading> {
    return this.#outside.cross({ method: 'calendar.read', detail: window }, signal, () => ({
      events: this.events.filter((event) => event.endAt > window.fromAt && event.startAt < window.toAt),
      timeZone: this.timeZone,
      findings: this.findings,
    }));
  }
}

// ---- cluster ----

/** What stands in the cluster, shared by the clients of several passes. */
export class ClusterWorld {
  nodes: readonly NodeFacts[] = [];
  usage: ReadonlyMap<string, NodeUsage> = new Map();
  placeholders: readonly PlaceholderPod[] = [];
  objects: ClusterObjects = {
    priorityClass: { kind: 'present', value: -10, preemptionPolicy: 'Never' },
    warmBudget: 'present',
  };
  readonly #deployments = new Map<string, LiveDeployment>();
  #revision = 0;

  deployments(): readonly LiveDeployment[] {
    return [...this.#deployments.values()];
  }

  deployment(name: string): LiveDeployment | undefined {
    return this.#deployments.get(name);
  }

  replicas(name: string): number | undefined {
    return this.#deployments.get(name)?.replicas;
  }

  /** Sets up or changes a Deployment as somebody else would: no fence, a new resourceVersion. */
  put(deployment: LiveDeployment): void {
    this.#revision += 1;
    this.#deployments.set(deployment.name, { ...deployment, resourceVersion: String(this.#revision) });
  }

  /** The controller writes status: a new resourceVersion, the same generation. */
  touchStatus(name: string): void {
    const live = this.#deployments.get(name);
    if (live !== undefined) this.put(live);
  }

  remove(name: string): void {
    this.#deployments.delete(name);
  }

  /** @throws ClusterError, kind `conflict`, exactly where the API server and the adapter would. */
  assertFence(name: string, read: LiveDeployment | undefined): LiveDeployment | undefined {
    const live = this.#deployments.get(name);
    const isSame =
      live?.uid === read?.uid &&
      (live?.resourceVersion === read?.resourceVersion || live?.generation === read?.generation);
    if (!isSame) throw outsideError('cluster.apply', 'conflict');
    return live;
  }

  markWarm(pod: PlaceholderPod): 'labelled' | 'gone' {
    const isThere = this.placeholders.some((each) => each.uid === pod.uid);
    this.placeholders = this.placeholders.map((each) =>
      each.uid === pod.uid ? { ...each, warmth: 'warm' } : each,
    );
    return isThere ? 'labelled' : 'gone';
  }
}

export class FakeCluster implements Cluster {
  readonly label = 'fake-cluster';
  readonly world: ClusterWorld;
  readonly #outside: Outside;
  readonly #requests: Record<string, number> = {};

  constructor(outside: Outside, world: ClusterWorld = new ClusterWorld()) {
    this.#outside = outside;
    this.world = world;
  }

  read(query: ClusterQuery, signal: AbortSignal): Promise<ClusterReading> {
    return this.#outside.cross({ method: 'cluster.read', detail: query }, signal, () => {
      this.#count('list', 3);
      return {
        nodes: this.world.nodes.filter((node) => query.nodeLabels.includes(node.poolLabel)),
        usage: this.world.usage,
        placeholders: this.world.placeholders,
        deployments: this.world.deployments(),
        objects: query.withObjects ? this.world.objects : undefined,
      };
    });
  }

  apply(
    wanted: WantedDeployment,
    live: LiveDeployment | undefined,
    signal: AbortSignal,
  ): Promise<ApplyOutcome> {
    const detail = { name: wanted.name, replicas: wanted.replicas, resourceVersion: live?.resourceVersion };
    return this.#outside.cross({ method: 'cluster.apply', detail }, signal, () => {
      this.#count('apply', 1);
      const before = this.world.assertFence(wanted.name, live);
      const after = asApplied(wanted, before);
      if (isUnchanged(before, after)) return 'unchanged';
      this.world.put(after);
      return before === undefined ? 'created' : 'configured';
    });
  }

  scaleDown(live: LiveDeployment, signal: AbortSignal): Promise<void> {
    return this.#outside.cross({ method: 'cluster.scaleDown', detail: { name: live.name } }, signal, () => {
      this.#count('patch', 1);
      this.world.assertFence(live.name, live);
      this.world.put({ ...live, replicas: 0, generation: live.generation + 1 });
    });
  }

  markWarm(pod: PlaceholderPod, signal: AbortSignal): Promise<'labelled' | 'gone'> {
    return this.#outside.cross({ method: 'cluster.markWarm', detail: { name: pod.name } }, signal, () => {
      this.#count('patch', 1);
      return this.world.markWarm(pod);
    });
  }

  requests(): Readonly<Record<string, number>> {
    return this.#requests;
  }

  close(): Promise<void> {
    return this.#outside.cross({ method: 'cluster.close', detail: undefined }, undefined, () => undefined);
  }

  #count(verb: string, times: number): void {
    this.#requests[verb] = (this.#requests[verb] ?? 0) + times;
  }
}

function asApplied(wanted: WantedDeployment, before: LiveDeployment | undefined): LiveDeployment {
  return {
    name: wanted.name,
    uid: before?.uid ?? `uid-of-${wanted.name}`,
    resourceVersion: before?.resourceVersion ?? '',
    generation: (before?.generation ?? 0) + 1,
    replicas: wanted.replicas,
    templateHash: templateHashOf(wanted.manifest) ?? before?.templateHash,
    poolName: wanted.poolName,
    hasOurSelector: true,
    replicaFailure: before?.replicaFailure,
  };
}

function isUnchanged(before: LiveDeployment | undefined, after: LiveDeployment): boolean {
  return before?.replicas === after.replicas && before.templateHash === after.templateHash;
}

/** The hash that the manifest carries in its annotations, whatever their prefix. */
function templateHashOf(manifest: unknown): string | undefined {
  if (typeof manifest !== 'object' || manifest === null || !('metadata' in manifest)) return undefined;
  const { metadata } = manifest;
  if (typeof metadata !== 'object' || metadata === null || !('annotations' in metadata)) return undefined;
  const entries = Object.entries(metadata.annotations ?? {});
  const hash: unknown = entries.find(([key]) => key.endsWith('/template-hash'))?.[1];
  return typeof hash === 'string' ? hash : undefined;
}

// ---- state ----

/** The memory store behind an `Outside`; several of them on one inner store are several passes. */
export class FakeStateStore implements StateStore {
  readonly label = 'fake-state';
  readonly #outside: Outside;
  readonly #inner: StateStore;

  constructor(outside: Outside, inner: StateStore = new MemoryStateStore()) {
    this.#outside = outside;
    this.#inner = inner;
  }

  peek(cluster: string, signal: AbortSignal): Promise<ClusterState> {
    return this.#outside.cross({ method: 'state.peek', detail: { cluster } }, signal, () =>
      this.#inner.peek(cluster, signal),
    );
  }

  acquire(
    cluster: string,
    claim: Parameters<StateStore['acquire']>[1],
    signal: AbortSignal,
  ): Promise<Acquisition> {
    return this.#outside.cross({ method: 'state.acquire', detail: { cluster, ...claim } }, signal, () =>
      this.#inner.acquire(cluster, claim, signal),
    );
  }

  save(cluster: string, change: Parameters<StateStore['save']>[1], signal: AbortSignal): Promise<void> {
    return this.#outside.cross({ method: 'state.save', detail: { cluster, ...change } }, signal, () =>
      this.#inner.save(cluster, change, signal),
    );
  }

  close(): Promise<void> {
    return this.#outside.cross({ method: 'state.close', detail: undefined }, undefined, () => undefined);
  }
}

// ---- clock and log ----

export class FakeClock implements Clock {
  #now: Instant;
  /** How often it was read: a pass reads it once. */
  reads = 0;

  constructor(now: Instant = Date.UTC(2026, 2, 2, 9, 0)) {
    this.#now = now;
  }

  now(): Instant {
    this.reads += 1;
    return this.#now;
  }

  advanceSeconds(seconds: number): void {
    this.#now += seconds * 1000;
  }
}

export type Level = 'debug' | 'info' | 'warn' | 'error';

export interface LogLine {
  readonly level: Level;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Keeps the lines; children write to the same list. `onLine` lets a test stop the pass at any of them. */
export class CapturedLog implements Logger {
  readonly lines: LogLine[];
  onLine: (line: LogLine) => void = () => undefined;
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #root: CapturedLog | undefined;

  constructor(fields: Readonly<Record<string, unknown>> = {}, root?: CapturedLog) {
    this.#fields = fields;
    this.#root = root;
    this.lines = root?.lines ?? [];
  }

  debug(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#write('error', message, fields);
  }

  child(fields: Readonly<Record<string, unknown>>): Logger {
    return new CapturedLog({ ...this.#fields, ...fields }, this.#root ?? this);
  }

  at(level: Level): readonly LogLine[] {
    return this.lines.filter((line) => line.level === level);
  }

  #write(level: Level, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const line = { level, message, fields: { ...this.#fields, ...fields } };
    this.lines.push(line);
    (this.#root ?? this).onLine(line);
  }
}

// ---- builders ----

const GIBIBYTE = 2 ** 30;

/** A warm, empty, Ready node of the pool `base`, created an hour before 09:00Z on 2 March 2026. */
export function aNode(overrides: Partial<NodeFacts> & { readonly name: string }): NodeFacts {
  return {
    uid: `uid-of-${overrides.name}`,
    poolLabel: 'base',
    createdAt: Date.UTC(2026, 2, 2, 8, 0),
    isCordoned: false,
    ready: 'True',
    readySinceAt: Date.UTC(2026, 2, 2, 8, 2),
    leaving: undefined,
    isSuspended: false,
    allocatable: { kind: 'known', cpuMillis: 16_000, memoryBytes: 64 * GIBIBYTE },
    userImage: 'unknown',
    ...overrides,
  };
}

/** Nothing asked for. */
export function aUsage(overrides: Partial<NodeUsage> = {}): NodeUsage {
  return { ...NO_USAGE, ...overrides };
}

/** Ours, for the pool `base`, at one replica. */
export function aDeployment(overrides: Partial<LiveDeployment> = {}): LiveDeployment {
  const poolName = overrides.poolName ?? 'base';
  const name = overrides.name ?? `${poolName}-placeholder`;
  return {
    name,
    uid: `uid-of-${name}`,
    resourceVersion: '1',
    generation: 1,
    replicas: 1,
    templateHash: undefined,
    poolName,
    hasOurSelector: true,
    replicaFailure: undefined,
    ...overrides,
  };
}

/** Running, warm, on no node in particular. */
export function aPlaceholder(overrides: Partial<PlaceholderPod> & { readonly name: string }): PlaceholderPod {
  return {
    uid: `uid-of-${overrides.name}`,
    poolName: 'base',
    nodeName: 'n1',
    phase: 'Running',
    isTerminating: false,
    createdAt: Date.UTC(2026, 2, 2, 8, 5),
    warmth: 'warm',
    pendingMessage: undefined,
    ...overrides,
  };
}

/** From 08:50 to 09:10Z on 2 March 2026, asking for three of `base`. */
export function anEvent(overrides: Partial<CalendarEvent> = {}): CalendarEvent {
  return {
    id: 'event-1',
    title: 'Data 8 lab',
    text: 'base: 3',
    startAt: Date.UTC(2026, 2, 2, 8, 50),
    endAt: Date.UTC(2026, 2, 2, 9, 10),
    ...overrides,
  };
}
