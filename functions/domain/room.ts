/**
 * A node with room counts as already warm, so one placeholder fewer is needed. It has room when its free ratio is
 * above the threshold, and still does not count when it hosts a placeholder, takes no pods (cordoned, not Ready,
 * leaving, suspended), cannot be read, has not been watched for the grace period, or was busy within it.
 */
import type { NodeRecord } from './history.ts';
import { secondsBetween } from './instant.ts';
import type { Instant } from './instant.ts';
import type { NodeFacts } from './node.ts';
import type { PoolSettings, ScalingStrategy } from './pool.ts';
import type { NodeUsage } from './usage.ts';

export interface FreeRatios {
  /** (allocatable - requested) / allocatable; below zero on an overcommitted node. */
  readonly cpu: number;
  readonly memory: number;
}

/** Why a node counts as room, or why it does not. */
export type RoomReason =
  | { readonly kind: 'room' }
  | { readonly kind: 'hostsPlaceholder' }
  | { readonly kind: 'cordoned' }
  | { readonly kind: 'leaving'; readonly by: 'deletionTimestamp' | 'toBeDeletedTaint' }
  | { readonly kind: 'suspended' }
  | { readonly kind: 'notReady'; readonly ready: 'False' | 'Unknown' }
  | { readonly kind: 'unreadableAllocatable'; readonly problem: string }
  | { readonly kind: 'unreadablePod'; readonly problem: string }
  | {
      readonly kind: 'belowThreshold';
      readonly strategy: ScalingStrategy;
      readonly cpuThreshold: number;
      readonly memoryThreshold: number;
    }
  | { readonly kind: 'newlySeen'; readonly watchedSeconds: number; readonly graceSeconds: number }
  | { readonly kind: 'recentlyBusy'; readonly idleSeconds: number; readonly graceSeconds: number };

export interface NodeVerdict {
  readonly nodeName: string;
  readonly uid: string;
  readonly hasRoom: boolean;
  readonly reason: RoomReason;
  /** Undefined when allocatable or a pod's request cannot be read. */
  readonly free: FreeRatios | undefined;
}

/** What a pass sees of a node before it looks at the history. */
export interface NodeLoad {
  readonly free: FreeRatios | undefined;
  readonly isAboveThreshold: boolean;
  /** Hosts a placeholder, or free ratio not above the threshold. What cannot be read counts as busy. */
  readonly isBusy: boolean;
}

export type RoomSettings = Pick<
  PoolSettings,
  'scalingStrategy' | 'cpuThreshold' | 'memoryThreshold' | 'nodeGraceSeconds'
>;

export interface NodeSituation {
  readonly node: NodeFacts;
  /** Undefined: no pods stand on it. */
  readonly usage: NodeUsage | undefined;
  /** Any non-terminal, non-terminating placeholder of ours is bound to it. */
  readonly hostsPlaceholder: boolean;
  readonly settings: RoomSettings;
}

/** How full the node is: needed for the history, which in turn is needed for the verdict. */
export function measureLoad({ node, usage, hostsPlaceholder, settings }: NodeSituation): NodeLoad {
  const free = usage?.unreadable === undefined ? freeRatios(node, usage) : undefined;
  const isAbove = free !== undefined && isAboveThreshold(free, settings);
  return { free, isAboveThreshold: isAbove, isBusy: hostsPlaceholder || !isAbove };
}

/** @param record the node's record after this pass's observation, see observeNode. */
export function judgeNode(situation: NodeSituation, record: NodeRecord, now: Instant): NodeVerdict {
  const { node, settings } = situation;
  const load = measureLoad(situation);
  const reason = barredByNode(situation) ??
    barredByLoad(situation, load) ??
    barredByGrace(record, settings.nodeGraceSeconds, now) ?? { kind: 'room' };
  return {
    nodeName: node.name,
    uid: node.uid,
    hasRoom: reason.kind === 'room',
    reason,
    free: load.free,
  };
}

function freeRatios(node: NodeFacts, usage: NodeUsage | undefined): FreeRatios | undefined {
  if (node.allocatable.kind === 'unreadable') {
    return undefined;
  }
  const { cpuMillis, memoryBytes } = node.allocatable;
  return {
    cpu: (cpuMillis - (usage?.cpuMillis ?? 0)) / cpuMillis,
    memory: (memoryBytes - (usage?.memoryBytes ?? 0)) / memoryBytes,
  };
}

function isAboveThreshold(free: FreeRatios, settings: RoomSettings): boolean {
  const hasCpu = free.cpu > settings.cpuThreshold;
  const hasMemory = free.memory > settings.memoryThreshold;
  switch (settings.scalingStrategy) {
    case 'cpu':
      return hasCpu;
    case 'mem':
      return hasMemory;
    case 'balanced':
      return hasCpu && hasMemory;
  }
}

/** The node takes no pods, or holds a spare of ours already. */
function barredByNode({ node, hostsPlaceholder }: NodeSituation): RoomReason | undefined {
  if (hostsPlaceholder) {
    return { kind: 'hostsPlaceholder' };
  }
  if (node.leaving !== undefined) {
    return { kind: 'leaving', by: node.leaving };
  }
  // Before the cordon: GKE cordons a suspended node, and the cordon alone would hide why.
  if (node.isSuspended) {
    return { kind: 'suspended' };
  }
  if (node.isCordoned) {
    return { kind: 'cordoned' };
  }
  return node.ready === 'True' ? undefined : { kind: 'notReady', ready: node.ready };
}

function barredByLoad({ node, usage, settings }: NodeSituation, load: NodeLoad): RoomReason | undefined {
  if (node.allocatable.kind === 'unreadable') {
    return { kind: 'unreadableAllocatable', problem: node.allocatable.problem };
  }
  if (usage?.unreadable !== undefined) {
    return { kind: 'unreadablePod', problem: usage.unreadable };
  }
  if (load.isAboveThreshold) {
    return undefined;
  }
  const { scalingStrategy, cpuThreshold, memoryThreshold } = settings;
  return { kind: 'belowThreshold', strategy: scalingStrategy, cpuThreshold, memoryThreshold };
}

function barredByGrace(record: NodeRecord, graceSeconds: number, now: Instant): RoomReason | undefined {
  const watchedSeconds = secondsBetween(record.firstSeenAt, now);
  if (watchedSeconds < graceSeconds) {
    return { kind: 'newlySeen', watchedSeconds, graceSeconds };
  }
  const idleSeconds = record.lastBusyAt === undefined ? Infinity : secondsBetween(record.lastBusyAt, now);
  return idleSeconds < graceSeconds ? { kind: 'recentlyBusy', idleSeconds, graceSeconds } : undefined;
}
