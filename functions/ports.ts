/**
 * What a pass needs of the outside, as small interfaces. Adapters implement them: they translate, validate
 * and classify errors (see errors.ts) and hold no policy. All of them honour the signal they are given.
 */
import type { CalendarEvent, Finding, ReadEvent } from './domain/event.ts';
import { EMPTY_HISTORY } from './domain/history.ts';
import type { NodeHistory } from './domain/history.ts';
import type { Instant } from './domain/instant.ts';
import type { NodeFacts } from './domain/node.ts';
import type { LiveDeployment, PlaceholderPod, WantedDeployment } from './domain/placeholder.ts';
import type { NodeUsage } from './domain/usage.ts';

export type { WantedDeployment };

// ---- calendar ----

export interface CalendarReading {
  /** Every event instance that overlaps the window asked for, cancelled ones left out, in start order. */
  readonly events: readonly CalendarEvent[];
  /** The calendar's own zone, an IANA name. */
  readonly timeZone: string;
  /** Events that the source itself could not make sense of; the others count. */
  readonly findings: readonly Finding[];
}

export interface Calendar {
  /** How the calendar is named in messages: its id, URL or path. */
  readonly label: string;
  /** @throws CalendarError when it cannot be read whole: an unreadable calendar is never an empty one. */
  read(
    window: { readonly fromAt: Instant; readonly toAt: Instant },
    signal: AbortSignal,
  ): Promise<CalendarReading>;
}

// ---- cluster ----

/** The parts of a cluster's settings that decide what is listed and how it is reduced. */
export interface ClusterQuery {
  readonly namespace: string;
  readonly nodePoolSelectorKey: string;
  /** Values of that label: nodes of other pools are not read. */
  readonly nodeLabels: readonly string[];
  /**
   * Names of the nodes that the pass before this one saw. Their pods are read whether they are listed again or not: pods
   * that are still there tell a list of nodes that was cut short from nodes that are gone.
   */
  readonly knownNodes?: readonly string[] | undefined;
  readonly userImages: readonly string[];
  /** Labels, `key=value` joined by commas, any of which marks an image puller's pod. */
  readonly imagePullerSelectors: readonly string[];
  /** Labels, `key=value` joined by commas, any of which marks a user's pod. */
  readonly userPodSelectors: readonly string[];
  readonly priorityClassName: string;
  /** Also read the PriorityClass and the budget: now and then, not on every pass. */
  readonly withObjects: boolean;
}

export interface ClusterReading {
  readonly nodes: readonly NodeFacts[];
  /** By node name, for every node that a listed pod stands on; a node without an entry has no pods. */
  readonly usage: ReadonlyMap<string, NodeUsage>;
  readonly placeholders: readonly PlaceholderPod[];
  readonly deployments: readonly LiveDeployment[];
  /** Undefined unless asked for. */
  readonly objects: ClusterObjects | undefined;
  /** How the pods were read and from which numbers that was chosen, for the log. */
  readonly how?: ReadPlan | undefined;
}

/** The pods of the whole cluster, or of the managed nodes alone where those are a small part of it. */
export interface ReadPlan {
  readonly podsOf: 'cluster' | 'managedNodes';
  readonly managedNodes: number;
  /** Undefined when it was not asked for, since it could not have mattered. */
  readonly podsInCluster: number | undefined;
}

export interface ClusterObjects {
  readonly priorityClass:
    | { readonly kind: 'present'; readonly value: number; readonly preemptionPolicy: string }
    | { readonly kind: 'missing' | 'forbidden' };
  readonly warmBudget: 'present' | 'missing' | 'forbidden';
}

export type ApplyOutcome = 'created' | 'configured' | 'unchanged';

export interface Cluster {
  /** How the cluster is named in messages. */
  readonly label: string;
  /** One consistent reading; never a partial list. @throws ClusterError */
  read(query: ClusterQuery, signal: AbortSignal): Promise<ClusterReading>;
  /**
   * Server-side apply, fenced: with `live` the object must still be at that resourceVersion (or, when only its
   * status moved on, at that generation); without, it must not exist yet. @throws ClusterError, kind `conflict`
   * when somebody decided on a newer reading, `invalid` on 422.
   */
  apply(
    wanted: WantedDeployment,
    live: LiveDeployment | undefined,
    signal: AbortSignal,
  ): Promise<ApplyOutcome>;
  /** Sets the replicas of a Deployment of ours whose pool left the config; same fence. @throws ClusterError */
  scaleDown(live: LiveDeployment, signal: AbortSignal): Promise<void>;
  /** Marks one placeholder pod warm, by name and uid. `gone` when it was evicted or replaced meanwhile. @throws ClusterError */
  markWarm(pod: PlaceholderPod, signal: AbortSignal): Promise<'labelled' | 'gone'>;
  /** Requests sent so far, by verb (`list`, `get`, `apply`, `patch`), pages and retries included. */
  requests(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

// ---- state ----

export interface KeptEvents {
  /** When the calendar was last read whole. */
  readonly readAt: Instant;
  /** Which calendar; a set of another calendar is not used. */
  readonly source: string;
  readonly timeZone: string;
  readonly events: readonly ReadEvent[];
}

export interface LastPass {
  readonly at: Instant;
  readonly owner: string;
  readonly exitCode: number;
  readonly summary: string;
}

/** What outlives a pass, for one cluster. */
export interface ClusterState {
  readonly history: NodeHistory;
  readonly keptEvents: KeptEvents | undefined;
  /** Fingerprints of findings and one-off warnings already reported. */
  readonly reported: readonly string[];
  /** Since when decisions come from kept events; undefined while all is well. */
  readonly degradedSinceAt: Instant | undefined;
  /** When the PriorityClass and the budget were last looked at, and what was found. */
  readonly checkedAt: Instant | undefined;
  readonly objects: ClusterObjects | undefined;
  /** Pods listed by the last pass that read them; a sudden loss of most of them is not believed at once. */
  readonly podsSeen: number | undefined;
  readonly lastPass: LastPass | undefined;
}

/** What is known before the first pass, and where the state cannot be read. */
export const EMPTY_STATE: ClusterState = {
  history: EMPTY_HISTORY,
  keptEvents: undefined,
  reported: [],
  degradedSinceAt: undefined,
  checkedAt: undefined,
  objects: undefined,
  podsSeen: undefined,
  lastPass: undefined,
};

export interface Lease {
  readonly owner: string;
  /** Grows by one with every lease taken; a save with an older one is refused. */
  readonly fence: number;
  readonly expiresAt: Instant;
}

export type Acquisition =
  | { readonly kind: 'acquired'; readonly lease: Lease; readonly state: ClusterState }
  | { readonly kind: 'held'; readonly owner: string; readonly expiresAt: Instant };

export interface StateStore {
  readonly label: string;
  /** Reads what the last pass left without taking the lease, for a dry run. @throws StateError */
  peek(cluster: string, signal: AbortSignal): Promise<ClusterState>;
  /** Takes the lease and reads what the last pass left, in one transaction. @throws StateError */
  acquire(
    cluster: string,
    claim: { readonly owner: string; readonly now: Instant; readonly leaseSeconds: number },
    signal: AbortSignal,
  ): Promise<Acquisition>;
  /**
   * Saves in one transaction that checks the fencing number, and releases the lease in the same one when told
   * to. Fields left out stay as they are. @throws StateError, kind `fenced` when a later pass holds the lease.
   */
  save(
    cluster: string,
    change: { readonly lease: Lease; readonly state: Partial<ClusterState>; readonly release: boolean },
    signal: AbortSignal,
  ): Promise<void>;
  close(): Promise<void>;
}

// ---- clock ----

export interface Clock {
  now(): Instant;
}

// ---- log ----

/** Values that a log line carries beside its message; errors are written with their kind, remedy and causes. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Constant message, data in fields. Implemented in log.ts; what uses a log knows this alone. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger whose every line carries these fields too. */
  child(fields: LogFields): Logger;
}
