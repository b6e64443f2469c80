import type { Instant } from './instant.ts';

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
