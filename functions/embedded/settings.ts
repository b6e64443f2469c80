/** What a model cluster is made of, with the values that GKE and Kubernetes have by default. */
import type { Instant } from '../domain/instant.ts';
import type { Labels, Resources, Taint } from './objects.ts';
import type { Duration } from './random.ts';

export interface PoolSpec {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  /** What the kubelet offers to pods, after GKE's own reservation. */
  readonly allocatable: Resources & { readonly pods: number };
  readonly minNodes: number;
  readonly maxNodes: number;
  /** Nodes that stand, warm, when the run begins. */
  readonly initialNodes: number;
  /** From the request for a node until it is Ready. */
  readonly boot: Duration;
  /** From Ready until the user image is on the node. */
  readonly pull: Duration;
  /** Undefined: users' images count as there. */
  readonly userImage: string | undefined;
  /** Whether JupyterHub's continuous image puller runs; without it the first user's pod starts the pull. */
  readonly hasImagePuller: boolean;
  readonly zones: readonly string[];
  /** `balanced`: new nodes go to the zone with the fewest, so three of them are one in each of three zones. */
  readonly locationPolicy: 'balanced' | 'any';
  /** Mean life of a spot node, in hours; undefined: not spot. */
  readonly spotMeanHours: number | undefined;
  readonly pricePerNodeHour: number;
  /** What DaemonSets and other system pods take on each node. */
  readonly system: Resources;
}

/** Kubernetes' own scoring plugins: spread over nodes, or pack them. */
export type Scoring = 'leastAllocated' | 'mostAllocated';

export interface AutoscalerSpec {
  readonly scanSeconds: number;
  /** Pods below it neither bring a node nor hold one. */
  readonly priorityCutoff: number;
  readonly unneededSeconds: number;
  /** No node is removed for so long after one was added. */
  readonly delayAfterAddSeconds: number;
  readonly utilizationThreshold: number;
  /** First wait after a refused scale-up; doubles up to the maximum. */
  readonly backoffSeconds: number;
  readonly maxBackoffSeconds: number;
}

/** A time in which the cloud has no machine to give: a stock-out of a pool, or of one of its zones. */
export interface StockOut {
  readonly pool: string;
  readonly zone: string | undefined;
  readonly fromAt: Instant;
  readonly toAt: Instant;
}

export interface ModelSettings {
  readonly startAt: Instant;
  readonly seed: number | string;
  readonly pools: readonly PoolSpec[];
  readonly scoring: Scoring;
  /** JupyterHub's user scheduler packs; pods that name it are placed so. */
  readonly packingSchedulers: readonly string[];
  readonly autoscaler: AutoscalerSpec | undefined;
  /** Nodes over all pools that the project's quota allows. */
  readonly nodeQuota: number;
  readonly stockOuts: readonly StockOut[];
  /** From a pod's images being on its node until its containers run. */
  readonly startSeconds: number;
  /** From the signal to stop until the containers are gone, where the grace period allows it. */
  readonly stopSeconds: number;
  /** How long a node stands as NotReady before it is Ready. */
  readonly registerSeconds: number;
  /** From the to-be-deleted taint until the node is gone. */
  readonly removeSeconds: number;
}

/** Priority of the pods that GKE runs on every node. */
export const SYSTEM_PRIORITY = 2_000_001_000;

/** JupyterHub's own namespace in the model. */
export const HUB_NAMESPACE = 'hub';

/** What GKE runs on every node, as one pod. */
export const SYSTEM_LABELS: Labels = { 'k8s-app': 'system' };
export const PULLER_LABELS: Labels = { app: 'jupyterhub', component: 'continuous-image-puller' };
export const USER_LABELS: Labels = { app: 'jupyterhub', component: 'singleuser-server' };

export const GKE_AUTOSCALER: AutoscalerSpec = {
  scanSeconds: 10,
  priorityCutoff: -10,
  unneededSeconds: 600,
  delayAfterAddSeconds: 600,
  utilizationThreshold: 0.5,
  backoffSeconds: 300,
  maxBackoffSeconds: 1800,
};

export const DEFAULT_SETTINGS: ModelSettings = {
  startAt: 0,
  seed: 1,
  pools: [],
  scoring: 'leastAllocated',
  packingSchedulers: ['user-scheduler'],
  autoscaler: GKE_AUTOSCALER,
  nodeQuota: 1000,
  stockOuts: [],
  startSeconds: 3,
  stopSeconds: 1,
  registerSeconds: 15,
  removeSeconds: 60,
};
