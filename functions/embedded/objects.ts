/** What stands in the model cluster. Specs are kept as the documents they came as; what the model acts on is parsed once. */
import type { Instant } from '../domain/instant.ts';
import type { Toleration } from '../domain/placeholder.ts';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
export type Labels = Readonly<Record<string, string>>;

export interface ManagedFields {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly at: Instant;
  readonly fields: JsonObject;
}

export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export interface Meta {
  /** Empty for what belongs to no namespace. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdAt: Instant;
  /** Order of creation in the whole cluster: breaks ties of one instant. */
  readonly sequence: number;
  readonly owner: Owner | undefined;
  labels: Labels;
  annotations: Labels;
  resourceVersion: number;
  generation: number;
  deletionAt: Instant | undefined;
  managedFields: readonly ManagedFields[];
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

export interface Resources {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

/** One hard constraint of `topologySpreadConstraints`. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: Selector;
}

/** What the scheduler and the kubelet need of a pod's spec. */
export interface PodNeeds extends Resources {
  readonly nodeSelector: Labels;
  readonly tolerations: readonly Toleration[];
  readonly spread: readonly SpreadConstraint[];
  readonly priorityClassName: string | undefined;
  readonly preemptionPolicy: string | undefined;
  readonly schedulerName: string;
  readonly graceSeconds: number;
  readonly image: string | undefined;
  readonly nodeName: string | undefined;
  /** First quantity that could not be read. */
  readonly unreadable: string | undefined;
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

export interface Pod {
  readonly meta: Meta;
  readonly spec: JsonObject;
  readonly needs: PodNeeds;
  readonly priority: number;
  readonly mayPreempt: boolean;
  phase: PodPhase;
  /** Undefined while the scheduler has found none. */
  node: Node | undefined;
  /** Where it is to land once its victims are gone. */
  nominatedNode: Node | undefined;
  /** When the kubelet took it on (`status.startTime`). */
  startedAt: Instant | undefined;
  /** When its containers turned Ready; undefined while they are not. */
  readyAt: Instant | undefined;
  /** The scheduler's words on why it has no node. */
  pendingMessage: string | undefined;
  /** Gone from the cluster: nothing may act on it any more. */
  isGone: boolean;
}

export interface Node {
  readonly meta: Meta;
  /** Name of the model's node pool; empty for a node that somebody made over the API. */
  readonly pool: string;
  readonly zone: string;
  readonly pods: Set<Pod>;
  readonly images: Set<string>;
  /** Images on their way, and when they are there. */
  readonly pulls: Map<string, Instant>;
  allocatable: (Resources & { readonly pods: number }) | undefined;
  taints: readonly Taint[];
  isCordoned: boolean;
  ready: 'True' | 'False' | 'Unknown';
  readySinceAt: Instant | undefined;
  used: Resources;
  isGone: boolean;
  /** Status as somebody gave it over the API; undefined for the model's own nodes. */
  givenStatus: JsonObject | undefined;
}

export interface Deployment {
  readonly meta: Meta;
  spec: JsonObject;
  workload: Workload;
  observedGeneration: number;
}

/** A Deployment's spec, read. */
export interface Workload {
  readonly replicas: number;
  readonly selector: Selector;
  readonly strategy: 'Recreate' | 'RollingUpdate';
  readonly template: PodTemplate;
}

export interface PodTemplate {
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly spec: JsonObject;
  /** Equal templates have equal hashes. */
  readonly hash: string;
}

export interface ReplicaSet {
  readonly meta: Meta;
  readonly selector: Selector;
  readonly template: PodTemplate;
  readonly pods: Set<Pod>;
  replicas: number;
  /** Message of the ReplicaFailure condition. */
  failure: string | undefined;
}

export interface Selector {
  readonly matchLabels: Labels;
  readonly matchExpressions: readonly SelectorTerm[];
}

export interface SelectorTerm {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values: readonly string[];
}

export interface Budget {
  readonly meta: Meta;
  spec: JsonObject;
  selector: Selector;
  /** A number or a percentage; exactly one of the two is set. */
  maxUnavailable: string | number | undefined;
  minAvailable: string | number | undefined;
  unhealthyMayGo: boolean;
}

export interface PriorityClass {
  readonly meta: Meta;
  readonly value: number;
  readonly preemptionPolicy: 'Never' | 'PreemptLowerPriority';
  readonly isGlobalDefault: boolean;
}

export interface Namespace {
  readonly meta: Meta;
}

export const NO_SELECTOR: Selector = { matchLabels: {}, matchExpressions: [] };
