/** What a pass needs to know of a node, and what of it cannot be read. */
import { createImageTest } from './image-pattern.ts';
import { instantOf } from './instant.ts';
import type { Instant } from './instant.ts';
import type { RawCondition, RawQuantities } from './pod.ts';
import { exactMillis, exactUnits, parseQuantity } from './quantity.ts';

/** What a pass knows of one node of a managed pool, reduced from the API object as it is read. */
export interface NodeFacts {
  readonly uid: string;
  readonly name: string;
  /** Value of the pool selector label. */
  readonly poolLabel: string;
  readonly createdAt: Instant;
  readonly isCordoned: boolean;
  readonly ready: 'True' | 'False' | 'Unknown';
  /** Since when the node has been Ready; undefined when it is not, or when the API does not say. */
  readonly readySinceAt: Instant | undefined;
  /** The node is going away: a deletion timestamp, or the cluster autoscaler's to-be-deleted taint. */
  readonly leaving: 'deletionTimestamp' | 'toBeDeletedTaint' | undefined;
  /** A standby node that is suspended until it is needed. */
  readonly isSuspended: boolean;
  readonly allocatable: Allocatable;
  /**
   * Whether an image of `userImages` is on the node. `unknown` when no pattern is configured or when the
   * kubelet's list (50 at most) is full, since absence then proves nothing.
   */
  readonly userImage: 'present' | 'absent' | 'unknown';
}

/** What the kubelet offers to pods, or why that cannot be read. */
export type Allocatable =
  | { readonly kind: 'known'; readonly cpuMillis: number; readonly memoryBytes: number }
  | { readonly kind: 'unreadable'; readonly problem: string };

/** A node as the Kubernetes API gives it (JSON, timestamps as text), as far as this program reads it. */
export interface RawNode {
  readonly metadata?:
    | {
        readonly name?: string | undefined;
        readonly uid?: string | undefined;
        readonly labels?: Readonly<Record<string, string>> | undefined;
        readonly creationTimestamp?: string | undefined;
        readonly deletionTimestamp?: string | undefined;
      }
    | undefined;
  readonly spec?:
    | {
        readonly unschedulable?: boolean | undefined;
        readonly taints?: readonly { readonly key?: string | undefined }[] | undefined;
      }
    | undefined;
  readonly status?:
    | {
        readonly allocatable?: RawQuantities | undefined;
        readonly conditions?: readonly RawCondition[] | undefined;
        readonly images?: readonly { readonly names?: readonly string[] | undefined }[] | undefined;
      }
    | undefined;
}

export interface NodeQuery {
  readonly nodePoolSelectorKey: string;
  readonly userImages: readonly string[];
}

/**
 * The cluster autoscaler's hard taint: it drains and deletes the node next. Its soft one
 * (`DeletionCandidateOfClusterAutoscaler`, PreferNoSchedule) is withdrawn as soon as pods arrive, so it is ignored.
 */
const TO_BE_DELETED_TAINT = 'ToBeDeletedByClusterAutoscaler';

/**
 * How GKE's cluster autoscaler marks a suspended node of a standby capacity buffer (its `csn` package: this taint,
 * a cordon, and the node condition `Suspended`). A standby node that still runs carries only a soft taint.
 */
const SUSPENDED_TAINT = 'buffer.gke.io/standby-capacity-node-suspended';
const SUSPENDED_CONDITION = 'Suspended';

/** The kubelet reports that many images and no more (`nodeStatusMaxImages`). */
const MAX_LISTED_IMAGES = 50;

export function readNode(raw: RawNode, query: NodeQuery): NodeFacts {
  return {
    ...readIdentity(raw.metadata ?? {}, query.nodePoolSelectorKey),
    ...readReadiness(conditionOf(raw, 'Ready')),
    isCordoned: raw.spec?.unschedulable === true,
    leaving: leavingOf(raw),
    isSuspended: hasTaint(raw, SUSPENDED_TAINT) || conditionOf(raw, SUSPENDED_CONDITION)?.status === 'True',
    allocatable: readAllocatable(raw.status?.allocatable),
    userImage: findUserImage(raw, query.userImages),
  };
}

function readIdentity(
  metadata: NonNullable<RawNode['metadata']>,
  selectorKey: string,
): Pick<NodeFacts, 'uid' | 'name' | 'poolLabel' | 'createdAt'> {
  const name = metadata.name ?? '';
  return {
    uid: metadata.uid ?? name,
    name,
    poolLabel: metadata.labels?.[selectorKey] ?? '',
    createdAt: instantOf(metadata.creationTimestamp) ?? 0,
  };
}

/** A node that does not report is Unknown to the API, and so is one that has not reported yet. */
function readReadiness(ready: RawCondition | undefined): Pick<NodeFacts, 'ready' | 'readySinceAt'> {
  if (ready?.status === 'True') {
    return { ready: 'True', readySinceAt: instantOf(ready.lastTransitionTime) };
  }
  return { ready: ready?.status === 'False' ? 'False' : 'Unknown', readySinceAt: undefined };
}

function conditionOf(raw: RawNode, type: string): RawCondition | undefined {
  return raw.status?.conditions?.find((condition) => condition.type === type);
}

function hasTaint(raw: RawNode, key: string): boolean {
  return raw.spec?.taints?.some((taint) => taint.key === key) === true;
}

function leavingOf(raw: RawNode): NodeFacts['leaving'] {
  if (raw.metadata?.deletionTimestamp !== undefined) {
    return 'deletionTimestamp';
  }
  return hasTaint(raw, TO_BE_DELETED_TAINT) ? 'toBeDeletedTaint' : undefined;
}

function readAllocatable(allocatable: RawQuantities | undefined): Allocatable {
  const cpu = readOffered(allocatable, 'cpu');
  const memory = readOffered(allocatable, 'memory');
  if (typeof cpu === 'string' || typeof memory === 'string') {
    return { kind: 'unreadable', problem: typeof cpu === 'string' ? cpu : String(memory) };
  }
  return { kind: 'known', cpuMillis: exactMillis(cpu), memoryBytes: exactUnits(memory) };
}

/** Billionths, or what is wrong. */
function readOffered(allocatable: RawQuantities | undefined, resource: string): bigint | string {
  const text = allocatable?.[resource];
  if (text === undefined) {
    return `no allocatable ${resource} reported`;
  }
  const quantity = parseQuantity(text);
  if (quantity.kind === 'invalid') {
    return `allocatable ${resource}: ${quantity.problem}`;
  }
  return quantity.nanos > 0n ? quantity.nanos : `allocatable ${resource} is ${text}`;
}

function findUserImage(raw: RawNode, patterns: readonly string[]): NodeFacts['userImage'] {
  if (patterns.length === 0) {
    return 'unknown';
  }
  const matches = createImageTest(patterns);
  const images = raw.status?.images ?? [];
  if (images.some((image) => image.names?.some(matches) === true)) {
    return 'present';
  }
  return images.length >= MAX_LISTED_IMAGES ? 'unknown' : 'absent';
}
