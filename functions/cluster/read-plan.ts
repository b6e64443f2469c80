/**
 * Whether to list the pods of the whole cluster or of the managed nodes alone.
 *
 * On a real API server, for 20,000 pods on 1,000 nodes, single nodes took less time up to 80 or 160 of them, and less of
 * its CPU up to 320 (`npm run bench -- --only real-pass`). But requests count too, since servers admit by number; so single
 * nodes are read where that is at most twice as many requests as the list has pages: there, up to 79.
 */
import type { ReadPlan } from '../ports.ts';

const REQUESTS_FOR_A_PAGE = 2;

/** Below this share of the nodes on the first page, it is worth one small request to ask how many pods there are. */
const SMALL_SHARE = 0.25;

/** What is at hand after the first page of pods, without another request. */
export interface FirstPage {
  /** Distinct nodes that its pods stand on, and how many of them are managed. */
  readonly seenNodes: number;
  readonly seenManagedNodes: number;
}

export function isCountWorthAsking(page: FirstPage): boolean {
  return page.seenManagedNodes < page.seenNodes * SMALL_SHARE;
}

export function chooseReadPlan(numbers: {
  readonly managedNodes: number;
  readonly podsInCluster: number | undefined;
  readonly pageSize: number;
}): ReadPlan {
  const { managedNodes, podsInCluster, pageSize } = numbers;
  const pages = Math.ceil((podsInCluster ?? 0) / pageSize);
  // The page that led here is spent, and our own namespace takes one more request.
  const isCheaper = pages > 1 && managedNodes + 1 <= (pages - 1) * REQUESTS_FOR_A_PAGE;
  return { podsOf: isCheaper ? 'managedNodes' : 'cluster', managedNodes, podsInCluster };
}
