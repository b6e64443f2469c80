/**
 * The two transactions of a store as plain functions over one cluster's record. The memory and file stores run
 * them as they are; the Firestore store, which reads and writes parts of a record, uses the same steps.
 */
import { StateError } from '../errors.ts';
import { EMPTY_STATE } from '../ports.ts';
import type { Acquisition, ClusterState, Lease } from '../ports.ts';
import { overlay } from './cluster-state.ts';
import type { Claim, LeaseRecord } from './lease.ts';
import { NEVER_TAKEN, isNewest, releaseLease, takeLease } from './lease.ts';

export interface StoredCluster {
  readonly lease: LeaseRecord;
  readonly state: ClusterState;
}

/** What a pass saves: the argument of `StateStore.save`. */
export interface Change {
  readonly lease: Lease;
  readonly state: Partial<ClusterState>;
  readonly release: boolean;
}

export const NEVER_STORED: StoredCluster = { lease: NEVER_TAKEN, state: EMPTY_STATE };

/** The answer for the pass, and the record to write (the same one when somebody else holds the lease). */
export function acquireFrom(
  stored: StoredCluster,
  claim: Claim,
): { readonly answer: Acquisition; readonly stored: StoredCluster } {
  const claimed = takeLease(stored.lease, claim);
  if (claimed.kind === 'held') return { answer: claimed, stored };
  return {
    answer: { kind: 'acquired', lease: claimed.lease, state: stored.state },
    stored: { ...stored, lease: claimed.record },
  };
}

/** @throws StateError, kind `fenced`, when a later pass has taken the lease. */
export function saveInto(stored: StoredCluster, cluster: string, change: Change): StoredCluster {
  assertNewest(stored.lease, cluster, change.lease);
  return {
    lease: change.release ? releaseLease(stored.lease) : stored.lease,
    state: overlay(stored.state, change.state),
  };
}

/** @throws StateError, kind `fenced`. */
export function assertNewest(record: LeaseRecord, cluster: string, lease: Lease): void {
  if (isNewest(record, lease)) return;
  throw new StateError(
    `saving the state of cluster ${cluster}: lease ${lease.fence} of ${lease.owner} is no longer the newest`,
    {
      kind: 'fenced',
      remedy:
        record.fence > lease.fence
          ? `nothing: the later pass ${record.owner} (lease ${record.fence}) has taken over; if this happens often, find out why passes outlive their lease`
          : 'nothing, if the stored state was deleted on purpose during this pass; the next pass starts a new one',
    },
  );
}
