/**
 * One placeholder is one idle node: it must fit on a node of its pool beside what always runs there, and two must
 * not. A request that fits nowhere stays Pending for ever, and the cluster autoscaler starts nothing for it; one that
 * fits twice holds half the nodes that were meant.
 */
import { exactMillis, exactUnits, parseQuantity } from './quantity.ts';

/** Of cpu in millicores and memory in bytes. */
export interface Capacity {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

/** Undefined where the request names no such resource. */
export interface FitRequest {
  readonly cpuMillis: number | undefined;
  readonly memoryBytes: number | undefined;
}

export type PlaceholderFit =
  | { readonly kind: 'one' }
  /** That many placeholders fit on one node. */
  | { readonly kind: 'several'; readonly count: number }
  | {
      readonly kind: 'never';
      readonly resource: 'cpu' | 'memory';
      /** Millicores or bytes. */
      readonly requested: number;
      /** What the roomiest node offers. */
      readonly offered: number;
    }
  /** Neither cpu nor memory is asked for: any number fits. */
  | { readonly kind: 'unbounded' }
  | { readonly kind: 'unreadable'; readonly problem: string }
  /** No node of the pool can be judged by. */
  | { readonly kind: 'unknown' };

/** Free on purpose, so that the node stays schedulable for small system pods that come later: 265 MiB. */
export const HELD_FREE_BYTES = 277_872_640;

/**
 * @param requests quantities by resource name, as in the pool's `resources.requests`
 * @param offers what each node of the pool has for a placeholder: allocatable, less what always runs there
 */
export function judgePlaceholderFit(
  requests: Readonly<Record<string, string>>,
  offers: readonly Capacity[],
): PlaceholderFit {
  const request = readFitRequest(requests);
  if (typeof request === 'string') {
    return { kind: 'unreadable', problem: request };
  }
  if (!asksFor(request.cpuMillis) && !asksFor(request.memoryBytes)) {
    return { kind: 'unbounded' };
  }
  if (offers.length === 0) {
    return { kind: 'unknown' };
  }
  const count = Math.max(...offers.map((offer) => countOn(request, offer)));
  if (count === 0) {
    return whatNeverFits(request, offers);
  }
  return count === 1 ? { kind: 'one' } : { kind: 'several', count };
}

export interface Recommendation {
  /** What to write as the placeholder's memory request; undefined when nothing is left for one. */
  readonly memoryBytes: number | undefined;
  readonly allocatableBytes: number;
  readonly otherBytes: number;
  readonly heldFreeBytes: number;
}

/** @param otherBytes what pods ask on that node that are neither a user's nor a placeholder */
export function recommendRequest(allocatableBytes: number, otherBytes: number): Recommendation {
  const memoryBytes = Math.floor(allocatableBytes) - otherBytes - HELD_FREE_BYTES;
  return {
    memoryBytes: memoryBytes > 0 ? memoryBytes : undefined,
    allocatableBytes,
    otherBytes,
    heldFreeBytes: HELD_FREE_BYTES,
  };
}

function readFitRequest(requests: Readonly<Record<string, string>>): FitRequest | string {
  const cpu = readRequest(requests, 'cpu');
  const memory = readRequest(requests, 'memory');
  if (typeof cpu === 'string' || typeof memory === 'string') {
    return typeof cpu === 'string' ? cpu : String(memory);
  }
  return {
    cpuMillis: cpu === undefined ? undefined : exactMillis(cpu),
    memoryBytes: memory === undefined ? undefined : exactUnits(memory),
  };
}

function readRequest(
  requests: Readonly<Record<string, string>>,
  resource: 'cpu' | 'memory',
): bigint | string | undefined {
  const text = requests[resource];
  if (text === undefined) {
    return undefined;
  }
  const quantity = parseQuantity(text);
  return quantity.kind === 'known' ? quantity.nanos : `${resource}: ${quantity.problem}`;
}

function asksFor(amount: number | undefined): boolean {
  return amount !== undefined && amount > 0;
}

function countOn(request: FitRequest, offer: Capacity): number {
  return Math.min(
    timesInto(request.cpuMillis, offer.cpuMillis),
    timesInto(request.memoryBytes, offer.memoryBytes),
  );
}

function timesInto(amount: number | undefined, offered: number): number {
  return amount === undefined || amount <= 0 ? Infinity : Math.max(0, Math.floor(offered / amount));
}

/** Judged by the node with the most memory: what does not fit there is what has to be made smaller. */
function whatNeverFits(request: FitRequest, offers: readonly Capacity[]): PlaceholderFit {
  const roomiest = offers.reduce((best, offer) => (offer.memoryBytes > best.memoryBytes ? offer : best));
  return request.memoryBytes !== undefined && request.memoryBytes > roomiest.memoryBytes
    ? { kind: 'never', resource: 'memory', requested: request.memoryBytes, offered: roomiest.memoryBytes }
    : { kind: 'never', resource: 'cpu', requested: request.cpuMillis ?? 0, offered: roomiest.cpuMillis };
}
