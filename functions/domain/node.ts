import type { Instant } from './instant.ts';

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
