/**
 * The state of a model cluster and the few ways in which it changes. Whoever acts on it (scheduler, controllers,
 * kubelets, autoscaler, users) is a file of its own that listens to changes; nothing here decides anything.
 */
import type { Instant } from '../domain/instant.ts';
import { VirtualClock } from './clock.ts';
import type {
  Budget,
  Deployment,
  JsonObject,
  Labels,
  Meta,
  Namespace,
  Node,
  Owner,
  Pod,
  PodNeeds,
  PriorityClass,
  ReplicaSet,
  Resources,
} from './objects.ts';
import type { Random } from './random.ts';
import { randomFrom } from './random.ts';
import { refuse } from './refusal.ts';
import type { ModelSettings, PoolSpec } from './settings.ts';

export type RemovalReason = 'preempted' | 'deleted' | 'scaledDown' | 'drained' | 'nodeGone' | 'loggedOut';

export type ModelEvent =
  | { readonly kind: 'podAdded' | 'podBound' | 'podReady' | 'podChanged'; readonly pod: Pod }
  | { readonly kind: 'podPreempted'; readonly pod: Pod; readonly by: Pod }
  | { readonly kind: 'podRemoved'; readonly pod: Pod; readonly why: RemovalReason }
  | { readonly kind: 'nodeAdded' | 'nodeReady' | 'nodeChanged' | 'nodeRemoved'; readonly node: Node }
  | { readonly kind: 'imagePulled'; readonly node: Node; readonly image: string }
  | { readonly kind: 'nodeReclaimed' | 'nodeDraining'; readonly node: Node }
  | { readonly kind: 'nodeRequested'; readonly pool: string; readonly zone: string }
  | { readonly kind: 'nodeRefused'; readonly pool: string; readonly zone: string; readonly message: string }
  | { readonly kind: 'deploymentChanged' | 'deploymentRemoved'; readonly deployment: Deployment };

export type Listener = (event: ModelEvent) => void;

export interface NewMeta {
  readonly namespace?: string;
  readonly name: string;
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly owner?: Owner;
}

export interface NewPod extends NewMeta {
  readonly spec: JsonObject;
  readonly needs: PodNeeds;
}

/** A node that was asked for and does not stand yet. */
export interface BootingNode {
  readonly pool: PoolSpec;
  readonly zone: string;
  readonly readyAt: Instant;
}

const SUFFIX_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

export class ClusterModel {
  readonly settings: ModelSettings;
  readonly clock: VirtualClock;
  readonly namespaces = new Map<string, Namespace>();
  readonly nodes = new Map<string, Node>();
  readonly pods = new Map<string, Pod>();
  /** Pods that have no node yet. */
  readonly unbound = new Set<Pod>();
  readonly deployments = new Map<string, Deployment>();
  readonly replicaSets = new Map<string, ReplicaSet>();
  readonly budgets = new Map<string, Budget>();
  readonly priorityClasses = new Map<string, PriorityClass>();
  readonly booting = new Set<BootingNode>();
  readonly #random: Random;
  readonly #streams = new Map<string, Random>();
  #revision = 1;
  #sequence = 0;
  readonly #podsByNamespace = new Map<string, Set<Pod>>();
  readonly #listeners: Listener[] = [];
  readonly #setsByUid = new Map<string, ReplicaSet>();

  constructor(settings: ModelSettings) {
    this.settings = settings;
    this.clock = new VirtualClock(settings.startAt);
    this.#random = randomFrom(settings.seed);
  }

  /** Grows with every change of anything: two readings at one revision are equal. */
  get revision(): number {
    return this.#revision;
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  emit(event: ModelEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  newMeta(wanted: NewMeta): Meta {
    const sequence = ++this.#sequence;
    return {
      namespace: wanted.namespace ?? '',
      name: wanted.name,
      uid: this.#newUid(),
      createdAt: this.clock.now(),
      sequence,
      owner: wanted.owner,
      labels: wanted.labels ?? {},
      annotations: wanted.annotations ?? {},
      resourceVersion: ++this.#revision,
      generation: 1,
      deletionAt: undefined,
      managedFields: [],
    };
  }

  /** The one stream of chance for a purpose, going on where it stopped. */
  chance(purpose: string): Random {
    const known = this.#streams.get(purpose);
    if (known !== undefined) return known;
    const stream = this.#random.stream(purpose);
    this.#streams.set(purpose, stream);
    return stream;
  }

  /** Drawn, not counted: a ReplicaSet breaks ties by uid, and the order of creation must not leak in. */
  #newUid(): string {
    const chance = this.chance('uids');
    const digits = [0, 1, 2, 3].map(() => Math.floor(chance.next() * 0x1_0000_0000));
    const hex = digits.map((each) => each.toString(16).padStart(8, '0')).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  /** Letters and digits as Kubernetes appends them to generated names. */
  newSuffix(length: number): string {
    const chance = this.chance('names');
    let suffix = '';
    for (let index = 0; index < length; index += 1) {
      suffix += SUFFIX_LETTERS[Math.floor(chance.next() * SUFFIX_LETTERS.length)] ?? '';
    }
    return suffix;
  }

  /** A name that none of the objects has: over a term, the letters of one that stands are drawn again now and then. */
  newName(prefix: string, length: number, isTaken: (name: string) => boolean): string {
    const name = `${prefix}${this.newSuffix(length)}`;
    return isTaken(name) ? this.newName(prefix, length, isTaken) : name;
  }

  newPodName(namespace: string, prefix: string, length = 5): string {
    return this.newName(prefix, length, (name) => this.pods.has(keyOf(namespace, name)));
  }

  /** Gives an object that changed its new resourceVersion. */
  touch(meta: Meta): void {
    meta.resourceVersion = ++this.#revision;
  }

  /** Pods of one namespace, in order of creation. */
  podsIn(namespace: string): Iterable<Pod> {
    return this.#podsByNamespace.get(namespace) ?? [];
  }

  poolOf(node: Node): PoolSpec | undefined {
    return this.settings.pools.find((pool) => pool.name === node.pool);
  }

  // ---- namespaces and priority classes ----

  addNamespace(name: string, extras: Partial<NewMeta> = {}): Namespace {
    const namespace: Namespace = {
      meta: this.newMeta({
        ...extras,
        name,
        namespace: '',
        labels: { ...extras.labels, 'kubernetes.io/metadata.name': name },
      }),
    };
    this.namespaces.set(name, namespace);
    return namespace;
  }

  addPriorityClass(priorityClass: PriorityClass): PriorityClass {
    this.priorityClasses.set(priorityClass.meta.name, priorityClass);
    return priorityClass;
  }

  // ---- pods ----

  /** @throws RefusalError when admission refuses it: no namespace, the name is taken, no such PriorityClass. */
  addPod(wanted: NewPod): Pod {
    const namespace = wanted.namespace ?? '';
    const key = keyOf(namespace, wanted.name);
    if (!this.namespaces.has(namespace)) refuse(404, 'NotFound', `namespaces "${namespace}" not found`);
    if (this.pods.has(key)) refuse(409, 'AlreadyExists', `pods "${wanted.name}" already exists`);
    const { priority, policy } = this.#admitPriority(wanted);
    const pod: Pod = {
      meta: this.newMeta(wanted),
      spec: wanted.spec,
      needs: wanted.needs,
      priority,
      mayPreempt: policy !== 'Never',
      phase: 'Pending',
      node: undefined,
      nominatedNode: undefined,
      startedAt: undefined,
      readyAt: undefined,
      pendingMessage: undefined,
      isGone: false,
    };
    this.pods.set(key, pod);
    this.unbound.add(pod);
    const siblings = this.#podsByNamespace.get(namespace) ?? new Set();
    this.#podsByNamespace.set(namespace, siblings.add(pod));
    this.#replicaSetOf(pod)?.pods.add(pod);
    this.emit({ kind: 'podAdded', pod });
    this.#bindToNamedNode(pod);
    return pod;
  }

  bindPod(pod: Pod, node: Node): void {
    this.unbound.delete(pod);
    pod.node = node;
    pod.nominatedNode = undefined;
    pod.pendingMessage = undefined;
    node.pods.add(pod);
    node.used = add(node.used, pod.needs);
    this.touch(pod.meta);
    this.emit({ kind: 'podBound', pod });
  }

  startPod(pod: Pod): void {
    pod.phase = 'Running';
    pod.readyAt = this.clock.now();
    this.touch(pod.meta);
    this.emit({ kind: 'podReady', pod });
  }

  /** A change of labels, phase or condition that somebody else made to the object already. */
  changePod(pod: Pod): void {
    this.touch(pod.meta);
    if (pod.node !== undefined) pod.node.used = usedBy(pod.node.pods);
    this.emit({ kind: 'podChanged', pod });
  }

  /** Ends a pod within its grace period, or at once when it has none or stands nowhere. */
  deletePod(pod: Pod, why: RemovalReason, graceSeconds = pod.needs.graceSeconds): void {
    if (pod.isGone || (pod.meta.deletionAt !== undefined && graceSeconds > 0)) return;
    if (graceSeconds <= 0 || pod.node === undefined) {
      this.removePod(pod, why);
      return;
    }
    pod.meta.deletionAt = this.clock.now() + graceSeconds * 1000;
    this.changePod(pod);
    this.clock.after(Math.min(graceSeconds, this.settings.stopSeconds), () => {
      this.removePod(pod, why);
    });
  }

  removePod(pod: Pod, why: RemovalReason): void {
    if (pod.isGone) return;
    pod.isGone = true;
    this.pods.delete(keyOf(pod.meta.namespace, pod.meta.name));
    this.unbound.delete(pod);
    this.#podsByNamespace.get(pod.meta.namespace)?.delete(pod);
    this.#replicaSetOf(pod)?.pods.delete(pod);
    if (pod.node !== undefined) {
      pod.node.pods.delete(pod);
      pod.node.used = usedBy(pod.node.pods);
    }
    this.touch(pod.meta);
    this.emit({ kind: 'podRemoved', pod, why });
  }

  // ---- nodes ----

  addNode(node: Node): void {
    if (this.nodes.has(node.meta.name))
      refuse(409, 'AlreadyExists', `nodes "${node.meta.name}" already exists`);
    this.nodes.set(node.meta.name, node);
    this.emit({ kind: 'nodeAdded', node });
  }

  setReady(node: Node, ready: Node['ready']): void {
    node.ready = ready;
    node.readySinceAt = ready === 'True' ? this.clock.now() : undefined;
    this.touch(node.meta);
    this.emit({ kind: ready === 'True' ? 'nodeReady' : 'nodeChanged', node });
  }

  changeNode(node: Node): void {
    this.touch(node.meta);
    this.emit({ kind: 'nodeChanged', node });
  }

  /** The machine is gone, and with it every pod that stood on it. */
  removeNode(node: Node): void {
    if (node.isGone) return;
    node.isGone = true;
    // Its pods first: at no instant does a pod stand on a node that is not there.
    for (const pod of [...node.pods]) this.removePod(pod, 'nodeGone');
    this.nodes.delete(node.meta.name);
    for (const pod of this.unbound) if (pod.nominatedNode === node) pod.nominatedNode = undefined;
    this.touch(node.meta);
    this.emit({ kind: 'nodeRemoved', node });
  }

  // ---- workloads ----

  addReplicaSet(set: ReplicaSet): void {
    this.replicaSets.set(keyOf(set.meta.namespace, set.meta.name), set);
    this.#setsByUid.set(set.meta.uid, set);
  }

  removeReplicaSet(set: ReplicaSet): void {
    this.replicaSets.delete(keyOf(set.meta.namespace, set.meta.name));
    this.#setsByUid.delete(set.meta.uid);
    this.touch(set.meta);
  }

  #replicaSetOf(pod: Pod): ReplicaSet | undefined {
    return pod.meta.owner === undefined ? undefined : this.#setsByUid.get(pod.meta.owner.uid);
  }

  /** What the Priority admission plugin does. */
  #admitPriority(wanted: NewPod): { priority: number; policy: string | undefined } {
    const { priorityClassName, preemptionPolicy } = wanted.needs;
    if (priorityClassName === undefined) {
      const found = [...this.priorityClasses.values()].find((each) => each.isGlobalDefault);
      return { priority: found?.value ?? 0, policy: preemptionPolicy ?? found?.preemptionPolicy };
    }
    const named = this.priorityClasses.get(priorityClassName);
    if (named === undefined) {
      const problem = `no PriorityClass with name ${priorityClassName} was found`;
      refuse(403, 'Forbidden', `pods "${wanted.name}" is forbidden: ${problem}`);
    }
    return { priority: named.value, policy: preemptionPolicy ?? named.preemptionPolicy };
  }

  /** Pods of DaemonSets and mirror pods come with their node: the scheduler is not asked. */
  #bindToNamedNode(pod: Pod): void {
    const node = this.nodes.get(pod.needs.nodeName ?? '');
    if (node !== undefined) this.bindPod(pod, node);
  }
}

export function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

export function isTerminal(pod: Pod): boolean {
  return pod.phase === 'Succeeded' || pod.phase === 'Failed';
}

export function add(a: Resources, b: Resources): Resources {
  return { cpuMillis: a.cpuMillis + b.cpuMillis, memoryBytes: a.memoryBytes + b.memoryBytes };
}

/** Summed anew rather than subtracted, so that fractions of a millicore never leave a remainder. */
export function usedBy(pods: Iterable<Pod>): Resources {
  let used: Resources = { cpuMillis: 0, memoryBytes: 0 };
  for (const pod of pods) if (!isTerminal(pod)) used = add(used, pod.needs);
  return used;
}
