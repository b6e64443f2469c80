/**
 * How many placeholders a pool is to have.
 *
 * 1. The event count is above zero and `calendarOverrideEnabled` is true: that number wins outright.
 * 2. Otherwise one of the pool's placeholders is Pending: hold, at the larger of baseline and event count. A user has
 *    just evicted it and it has not landed; scaling down now would throw the spare away.
 * 3. Otherwise: the target (the event count if there is one, else the baseline) less the nodes with room.
 *
 * Then, in this order: what is coming stays covered; what could not be read lowers nothing; and `maxReplicas` bounds
 * everything, a held count too, since that bound was read and is the operator's own word.
 */
import type { Cut } from './cap.ts';
import type { EventDemand } from './demand.ts';
import type { PoolSettings } from './pool.ts';

/** Something that this pass could not do, because of which a count is not lowered. */
export type Floor =
  /** The calendar cannot be read, and no event set younger than `calendarStaleAfter` is kept: the count is held. */
  | 'calendarUnread'
  /** No history and no lock. */
  | 'stateUnread'
  /** What this pass saw cannot be kept. */
  | 'stateUnwritable'
  /** A cap left less than was asked, and it may have left more: a calendar of others under it cannot be read. */
  | 'sharerUnread';

const GRAVEST_FIRST: readonly Floor[] = ['calendarUnread', 'stateUnread', 'stateUnwritable', 'sharerUnread'];

/** What an event asks of a pool, after the caps over several pools. */
export interface GrantedDemand extends EventDemand {
  /** What it asked where caps left less, and what each of them left in turn; undefined when none did. */
  readonly cut?: { readonly asked: number; readonly by: readonly Cut[] } | undefined;
}

export type DecisionSettings = Pick<
  PoolSettings,
  'name' | 'baseline' | 'maxReplicas' | 'calendarOverrideEnabled' | 'warmFirst'
>;

export interface PoolSituation {
  readonly settings: DecisionSettings;
  /** Undefined: no active event names the pool. */
  readonly demand: GrantedDemand | undefined;
  /** Names of the nodes that count as already warm. */
  readonly nodesWithRoom: readonly string[];
  /** Names of the pool's placeholders that are Pending; terminating ones are not among them. */
  readonly pendingPods: readonly string[];
  readonly coming: ComingPlaceholders;
  /** Replicas of the live Deployment; undefined when there is none. */
  readonly liveReplicas: number | undefined;
  readonly floors: readonly Floor[];
}

/** Placeholders whose node is not warm yet: an empty cold node without its placeholder would take users first. */
export interface ComingPlaceholders {
  readonly onColdNodes: number;
  /** Without a node for less than `nodeWarmSeconds`: longer, and no node may be coming at all. */
  readonly newlyPending: number;
}

/** Which of the three steps gave the count. */
export type DecisionRule =
  | { readonly kind: 'override'; readonly demand: GrantedDemand }
  | { readonly kind: 'pending'; readonly pods: readonly string[] }
  | { readonly kind: 'room'; readonly nodes: readonly string[] };

/** What changed the count after the three steps. */
export type Adjustment =
  | {
      readonly kind: 'covered';
      readonly coming: ComingPlaceholders;
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: 'held'; readonly floor: Floor; readonly from: number; readonly to: number }
  | { readonly kind: 'clamped'; readonly askedBy: Asker; readonly from: number; readonly to: number };

/** Who asked for more than `maxReplicas`. */
export type Asker =
  | { readonly kind: 'event'; readonly eventId: string; readonly eventTitle: string; readonly count: number }
  | { readonly kind: 'baseline'; readonly count: number }
  /** Somebody scaled the Deployment by hand, or `maxReplicas` was lowered. */
  | { readonly kind: 'live'; readonly count: number };

export interface PoolDecision {
  readonly poolName: string;
  /** Within 0 and `maxReplicas`. */
  readonly replicas: number;
  /** The event count if there is one, else the baseline. */
  readonly target: number;
  readonly baseline: number;
  readonly maxReplicas: number;
  readonly demand: GrantedDemand | undefined;
  readonly liveReplicas: number | undefined;
  readonly rule: DecisionRule;
  /** In the order in which they were made; empty when the count stands as the rule gave it. */
  readonly adjustments: readonly Adjustment[];
}

export function decidePool(situation: PoolSituation): PoolDecision {
  const { settings, demand, liveReplicas } = situation;
  const target = demand?.count ?? settings.baseline;
  const rule = chooseRule(situation);
  const adjustments: Adjustment[] = [];
  let replicas = countByRule(rule, situation, target);
  for (const adjust of [cover(target), hold, clamp]) {
    const adjustment = adjust(situation, replicas);
    if (adjustment !== undefined && adjustment.to !== replicas) {
      adjustments.push(adjustment);
      replicas = adjustment.to;
    }
  }
  return {
    poolName: settings.name,
    replicas,
    target,
    baseline: settings.baseline,
    maxReplicas: settings.maxReplicas,
    demand,
    liveReplicas,
    rule,
    adjustments,
  };
}

function chooseRule({ settings, demand, pendingPods, nodesWithRoom }: PoolSituation): DecisionRule {
  if (settings.calendarOverrideEnabled && demand !== undefined && demand.count > 0) {
    return { kind: 'override', demand };
  }
  return pendingPods.length > 0
    ? { kind: 'pending', pods: pendingPods }
    : { kind: 'room', nodes: nodesWithRoom };
}

function countByRule(rule: DecisionRule, { settings, demand }: PoolSituation, target: number): number {
  switch (rule.kind) {
    case 'override':
      return rule.demand.count;
    case 'pending':
      return Math.max(settings.baseline, demand?.count ?? 0);
    case 'room':
      return Math.max(0, target - rule.nodes.length);
  }
}

type Adjust = (situation: PoolSituation, replicas: number) => Adjustment | undefined;

/** A target of zero is a cool-off: nothing is kept for it. */
function cover(target: number): Adjust {
  return ({ settings, coming, liveReplicas }, replicas) => {
    if (!settings.warmFirst || target === 0) {
      return undefined;
    }
    const covered = Math.min(coming.onColdNodes + coming.newlyPending, liveReplicas ?? 0);
    return covered > replicas ? { kind: 'covered', coming, from: replicas, to: covered } : undefined;
  };
}

/** A pool without a Deployment has nothing to hold: it gets what the three steps say. */
function hold({ floors, liveReplicas }: PoolSituation, replicas: number): Adjustment | undefined {
  const floor = GRAVEST_FIRST.find((one) => floors.includes(one));
  if (floor === undefined || liveReplicas === undefined) {
    return undefined;
  }
  // Without a calendar nobody knows what is asked: the count neither sinks nor rises.
  const isHeld = floor === 'calendarUnread' || liveReplicas > replicas;
  return isHeld ? { kind: 'held', floor, from: replicas, to: liveReplicas } : undefined;
}

function clamp(situation: PoolSituation, replicas: number): Adjustment | undefined {
  const { maxReplicas } = situation.settings;
  return replicas > maxReplicas
    ? { kind: 'clamped', askedBy: askerOf(situation), from: replicas, to: maxReplicas }
    : undefined;
}

function askerOf({ settings, demand, liveReplicas }: PoolSituation): Asker {
  if (demand !== undefined && demand.count > settings.maxReplicas) {
    const { eventId, eventTitle, count } = demand;
    return { kind: 'event', eventId, eventTitle, count };
  }
  return settings.baseline > settings.maxReplicas
    ? { kind: 'baseline', count: settings.baseline }
    : { kind: 'live', count: liveReplicas ?? 0 };
}
