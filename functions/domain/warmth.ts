/**
 * A node is warm when a user who lands on it does not wait for an image: the image puller's pod on it is Ready;
 * where there is none, an image of `userImages` is on it; where neither is known, it has been Ready for
 * `nodeWarmSeconds`. A node on which a user's pod runs is warm too.
 */
import { MILLISECONDS_PER_SECOND, secondsBetween } from './instant.ts';
import type { Instant } from './instant.ts';
import type { NodeFacts } from './node.ts';
import type { NodeUsage } from './usage.ts';

export type WarmthReason =
  | { readonly kind: 'userPodRuns' }
  | { readonly kind: 'imagePullerReady' }
  | { readonly kind: 'userImagePresent' }
  | { readonly kind: 'readyLongEnough'; readonly readySeconds: number }
  /** Still no image after a multiple of `nodeWarmSeconds`: a puller that never succeeds, a pattern that never matches. */
  | { readonly kind: 'waitedTooLong'; readonly readySeconds: number }
  | { readonly kind: 'notReady'; readonly ready: 'False' | 'Unknown' }
  | { readonly kind: 'imagePullerWorks'; readonly readySeconds: number }
  | { readonly kind: 'userImageAbsent'; readonly readySeconds: number }
  | { readonly kind: 'readyTooShort'; readonly readySeconds: number };

export interface NodeWarmth {
  readonly nodeName: string;
  readonly isWarm: boolean;
  readonly reason: WarmthReason;
  /** For a node that still warms up: when it should be done. Undefined when it is warm, or nobody can say. */
  readonly expectedWarmAt: Instant | undefined;
}

export interface WarmthQuestion {
  readonly node: NodeFacts;
  readonly usage: NodeUsage | undefined;
  readonly nodeWarmSeconds: number;
  readonly now: Instant;
}

/**
 * How many times `nodeWarmSeconds` an image is waited for. A cold placeholder is covered by the budget and keeps a
 * count up, so a puller that fails for ever would otherwise hold up drains, and money, for ever.
 */
export const PATIENCE = 2;

export function judgeWarmth({ node, usage, nodeWarmSeconds, now }: WarmthQuestion): NodeWarmth {
  const known = knownWarmth(node, usage);
  if (known !== undefined) {
    return { nodeName: node.name, isWarm: true, reason: known, expectedWarmAt: undefined };
  }
  if (node.ready !== 'True') {
    const reason = { kind: 'notReady', ready: node.ready } as const;
    return { nodeName: node.name, isWarm: false, reason, expectedWarmAt: undefined };
  }
  // Without the API's word on it, a node has been Ready since it joined at the earliest.
  const readySinceAt = node.readySinceAt ?? node.createdAt;
  const readySeconds = secondsBetween(readySinceAt, now);
  const reason = warmthByTime(waitsFor(node, usage), readySeconds, nodeWarmSeconds);
  const isWarm = reason.kind === 'readyLongEnough' || reason.kind === 'waitedTooLong';
  return {
    nodeName: node.name,
    isWarm,
    reason,
    expectedWarmAt: isWarm ? undefined : expectation(readySinceAt, nodeWarmSeconds, now),
  };
}

function knownWarmth(node: NodeFacts, usage: NodeUsage | undefined): WarmthReason | undefined {
  if (usage?.hasRunningUserPod === true) {
    return { kind: 'userPodRuns' };
  }
  if (node.ready !== 'True') {
    return undefined;
  }
  if (usage?.imagePuller !== undefined) {
    return usage.imagePuller === 'ready' ? { kind: 'imagePullerReady' } : undefined;
  }
  return node.userImage === 'present' ? { kind: 'userImagePresent' } : undefined;
}

function waitsFor(node: NodeFacts, usage: NodeUsage | undefined): 'imagePuller' | 'userImage' | 'time' {
  if (usage?.imagePuller !== undefined) {
    return 'imagePuller';
  }
  return node.userImage === 'absent' ? 'userImage' : 'time';
}

function warmthByTime(
  awaited: 'imagePuller' | 'userImage' | 'time',
  readySeconds: number,
  nodeWarmSeconds: number,
): WarmthReason {
  if (awaited === 'time') {
    return { kind: readySeconds >= nodeWarmSeconds ? 'readyLongEnough' : 'readyTooShort', readySeconds };
  }
  if (readySeconds >= nodeWarmSeconds * PATIENCE) {
    return { kind: 'waitedTooLong', readySeconds };
  }
  return { kind: awaited === 'imagePuller' ? 'imagePullerWorks' : 'userImageAbsent', readySeconds };
}

/** The usual time, and once that is past, the end of patience. */
function expectation(readySinceAt: Instant, nodeWarmSeconds: number, now: Instant): Instant {
  const usualAt = readySinceAt + nodeWarmSeconds * MILLISECONDS_PER_SECOND;
  return usualAt > now ? usualAt : readySinceAt + PATIENCE * nodeWarmSeconds * MILLISECONDS_PER_SECOND;
}
