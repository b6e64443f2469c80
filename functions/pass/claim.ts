/** The start of a pass over a cluster: the lease, and with it what the pass before left. */
import type { Instant } from '../domain/instant.ts';
import { OutsideError } from '../errors.ts';
import { EMPTY_STATE } from '../ports.ts';
import type { ClusterState, Lease } from '../ports.ts';
import { LEASE_SECONDS } from './deadline.ts';
import type { ClusterJob } from './job.ts';

export type Claim =
  | { readonly kind: 'held'; readonly owner: string; readonly expiresAt: Instant }
  | { readonly kind: 'leased'; readonly lease: Lease; readonly state: ClusterState }
  /** A dry run takes no lease, since that would be a write. */
  | { readonly kind: 'peeked'; readonly state: ClusterState }
  /** No history and no lock: the pass goes on, and lowers nothing. */
  | { readonly kind: 'unread'; readonly state: ClusterState; readonly error: OutsideError };

export async function claimCluster(job: ClusterJob): Promise<Claim> {
  try {
    return await (job.isDryRun ? peek(job) : acquire(job));
  } catch (error) {
    if (error instanceof OutsideError) return { kind: 'unread', state: EMPTY_STATE, error };
    throw error;
  }
}

async function peek({ state, settings, deadline }: ClusterJob): Promise<Claim> {
  return { kind: 'peeked', state: await state.peek(settings.name, deadline.forState()) };
}

async function acquire({ state, settings, owner, now, deadline }: ClusterJob): Promise<Claim> {
  const claim = { owner, now, leaseSeconds: LEASE_SECONDS };
  const answer = await state.acquire(settings.name, claim, deadline.forState());
  return answer.kind === 'held' ? answer : { ...answer, kind: 'leased' };
}
