/**
 * A placeholder is a pod of ours that keeps a node in reserve: it nearly fills the node, and yields to any user.
 * It is known by our labels, and a Deployment by our labels and our selector; everything else in the namespace
 * is somebody else's.
 */
import { instantOf } from './instant.ts';
import type { Instant } from './instant.ts';
import { isTerminal, isTerminating } from './pod.ts';
import type { RawCondition, RawPod } from './pod.ts';

/** The name that server-side apply and the managed-by label carry. */
export const FIELD_MANAGER = 'calendar-node-pool-autoscaler';

const PREFIX = FIELD_MANAGER;

export const NAME_LABEL = 'app.kubernetes.io/name';
export const INSTANCE_LABEL = 'app.kubernetes.io/instance';
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
export const PLACEHOLDER_NAME = 'node-placeholder';

/** On a placeholder pod: `cold` from birth, `warm` once its node is. Never part of a Deployment's selector. */
export const WARMTH_LABEL = `${PREFIX}/warmth`;
/** The budget that has the cold ones preempted last. */
export const WARM_BUDGET_NAME = 'node-placeholder-cold';

/** On a Deployment: what we applied, and why; written on a change only. */
export const TEMPLATE_HASH_ANNOTATION = `${PREFIX}/template-hash`;
export const REASON_ANNOTATION = `${PREFIX}/reason`;
export const SPARES_ANNOTATION = `${PREFIX}/spares`;
export const EVENT_ANNOTATION = `${PREFIX}/event`;
export const CHANGED_AT_ANNOTATION = `${PREFIX}/changed-at`;

/** A placeholder pod of ours, as it stands. Pods in phase Succeeded or Failed are never listed. */
export interface PlaceholderPod {
  readonly name: string;
  readonly uid: string;
  readonly poolName: string;
  /** Undefined while the scheduler has found no node. */
  readonly nodeName: string | undefined;
  readonly phase: 'Pending' | 'Running' | 'Unknown';
  readonly isTerminating: boolean;
  readonly createdAt: Instant;
  readonly warmth: 'cold' | 'warm';
  /** The scheduler's own words on why it has no node yet. */
  readonly pendingMessage: string | undefined;
}

/** A Deployment in our namespace, reduced to what drift and fencing need. */
export interface LiveDeployment {
  readonly name: string;
  readonly uid: string;
  /** The reading that a later apply is fenced by. */
  readonly resourceVersion: string;
  readonly generation: number;
  readonly replicas: number;
  /** Hash of the template that we applied last; undefined when somebody else made the Deployment. */
  readonly templateHash: string | undefined;
  /** The pool it stands for by our own label; undefined when it is not ours. */
  readonly poolName: string | undefined;
  /** False: made by another tool under our name, and a selector cannot be changed. */
  readonly hasOurSelector: boolean;
  /** Message of the ReplicaFailure condition when it is True. */
  readonly replicaFailure: string | undefined;
}

/** What a placeholder Deployment is built from; all of it comes from the config. */
export interface PlaceholderSettings {
  readonly poolName: string;
  readonly namespace: string;
  readonly image: string;
  readonly priorityClassName: string;
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** As written, or numbers turned to text: Kubernetes quantities by resource name. */
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
}

export interface Toleration {
  readonly key?: string | undefined;
  readonly operator?: 'Equal' | 'Exists' | undefined;
  readonly value?: string | undefined;
  readonly effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute' | undefined;
  readonly tolerationSeconds?: number | undefined;
}

/** What a placeholder Deployment is to look like; built from the config alone. */
export interface WantedDeployment {
  readonly name: string;
  readonly poolName: string;
  readonly replicas: number;
  /** Of our own template; compared with the one that the live Deployment carries. */
  readonly templateHash: string;
  /** The whole object for server-side apply, without resourceVersion. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

/** A Deployment as the Kubernetes API gives it (JSON), as far as this program reads it. */
export interface RawDeployment {
  readonly metadata?:
    | {
        readonly name?: string | undefined;
        readonly uid?: string | undefined;
        readonly resourceVersion?: string | undefined;
        readonly generation?: number | undefined;
        readonly labels?: Labels | undefined;
        readonly annotations?: Labels | undefined;
      }
    | undefined;
  readonly spec?:
    | {
        readonly replicas?: number | undefined;
        readonly selector?:
          | {
              readonly matchLabels?: Labels | undefined;
              readonly matchExpressions?: readonly unknown[] | undefined;
            }
          | undefined;
      }
    | undefined;
  readonly status?: { readonly conditions?: readonly RawCondition[] | undefined } | undefined;
}

type Labels = Readonly<Record<string, string>>;

/** What the API server takes for an absent `spec.replicas`. */
const DEFAULT_REPLICAS = 1;

export function deploymentName(poolName: string): string {
  return `${poolName}-placeholder`;
}

/** The one selector of a pool's Deployment; it cannot be changed once the Deployment exists. */
export function selectorLabels(poolName: string): Labels {
  return { [NAME_LABEL]: PLACEHOLDER_NAME, [INSTANCE_LABEL]: poolName };
}

export function isPlaceholder(labels: Labels | undefined): boolean {
  return labels?.[NAME_LABEL] === PLACEHOLDER_NAME && labels[MANAGED_BY_LABEL] === FIELD_MANAGER;
}

/** Undefined for a pod that is not ours, stands in another namespace or has come to its end. */
export function readPlaceholder(pod: RawPod, namespace: string): PlaceholderPod | undefined {
  const metadata = pod.metadata ?? {};
  const isOurs = isPlaceholder(metadata.labels) && metadata.namespace === namespace;
  if (!isOurs || isTerminal(pod)) {
    return undefined;
  }
  const { name = '', uid = name } = metadata;
  return {
    name,
    uid,
    ...readLabels(metadata.labels ?? {}),
    ...readPlace(pod),
    isTerminating: isTerminating(pod),
    createdAt: instantOf(metadata.creationTimestamp) ?? 0,
  };
}

function readLabels(labels: Labels): Pick<PlaceholderPod, 'poolName' | 'warmth'> {
  return {
    poolName: labels[INSTANCE_LABEL] ?? '',
    warmth: labels[WARMTH_LABEL] === 'cold' ? 'cold' : 'warm',
  };
}

function readPlace(pod: RawPod): Pick<PlaceholderPod, 'nodeName' | 'phase' | 'pendingMessage'> {
  const phase = pod.status?.phase;
  const nodeName = pod.spec?.nodeName;
  const scheduled = pod.status?.conditions?.find((condition) => condition.type === 'PodScheduled');
  return {
    nodeName: nodeName === '' ? undefined : nodeName,
    phase: phase === 'Pending' || phase === 'Running' ? phase : 'Unknown',
    pendingMessage: scheduled?.status === 'False' ? scheduled.message : undefined,
  };
}

export function readDeployment(raw: RawDeployment): LiveDeployment {
  const name = raw.metadata?.name ?? '';
  return {
    name,
    ...readVersion(raw.metadata ?? {}),
    replicas: raw.spec?.replicas ?? DEFAULT_REPLICAS,
    ...readMarks(raw.metadata ?? {}),
    hasOurSelector: hasSelectorOf(raw, name.replace(/-placeholder$/, '')),
    replicaFailure: readReplicaFailure(raw.status?.conditions ?? []),
  };
}

type DeploymentMetadata = NonNullable<RawDeployment['metadata']>;

function readVersion({
  uid = '',
  resourceVersion = '',
  generation = 0,
}: DeploymentMetadata): Pick<LiveDeployment, 'uid' | 'resourceVersion' | 'generation'> {
  return { uid, resourceVersion, generation };
}

function readMarks({
  labels,
  annotations,
}: DeploymentMetadata): Pick<LiveDeployment, 'poolName' | 'templateHash'> {
  return {
    poolName: isPlaceholder(labels) ? labels?.[INSTANCE_LABEL] : undefined,
    templateHash: annotations?.[TEMPLATE_HASH_ANNOTATION],
  };
}

function readReplicaFailure(conditions: readonly RawCondition[]): string | undefined {
  const failure = conditions.find((one) => one.type === 'ReplicaFailure' && one.status === 'True');
  return failure === undefined ? undefined : (failure.message ?? failure.reason ?? 'no message given');
}

function hasSelectorOf(raw: RawDeployment, poolName: string): boolean {
  const { matchLabels = {}, matchExpressions = [] } = raw.spec?.selector ?? {};
  const wanted = Object.entries(selectorLabels(poolName));
  return (
    matchExpressions.length === 0 &&
    Object.keys(matchLabels).length === wanted.length &&
    wanted.every(([key, value]) => matchLabels[key] === value)
  );
}

/**
 * Whether an apply is needed. Only the replicas and the hash of our own template are compared: admission adds to the
 * live template (defaults, tolerations, on Autopilot much more), so comparing that would find a difference each pass.
 */
export function hasDrifted(live: LiveDeployment | undefined, wanted: WantedDeployment): boolean {
  return live?.replicas !== wanted.replicas || live.templateHash !== wanted.templateHash;
}
