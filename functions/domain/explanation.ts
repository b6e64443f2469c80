/**
 * Why this many, in one sentence that an operator reads in the log and in `kubectl describe`. The wording is stable:
 * what goes into it is only what went into the count.
 */
import type { Cut } from './cap.ts';
import type { Adjustment, Asker, Floor, GrantedDemand, PoolDecision } from './decision.ts';
import { quoteTitle } from './title.ts';

const MAX_NAMED = 3;

/** Such as `3 = event 'Data 8 lecture' asks 4 - 1 node with room (gke-a-1)`. */
export function explainDecision(decision: PoolDecision): string {
  const parts = [ruleWords(decision), ...decision.adjustments.map(adjustmentWords)];
  return `${decision.replicas} = ${parts.join(', ')}`;
}

function ruleWords(decision: PoolDecision): string {
  const { rule } = decision;
  switch (rule.kind) {
    case 'override':
      return `${eventWords(rule.demand)} (calendarOverrideEnabled)`;
    case 'pending':
      return `${pendingWords(decision)} while ${naming(rule.pods, ['placeholder', 'placeholders'])} ${rule.pods.length === 1 ? 'is' : 'are'} Pending`;
    case 'room':
      return rule.nodes.length === 0
        ? targetWords(decision)
        : `${targetWords(decision)} - ${naming(rule.nodes, ['node with room', 'nodes with room'])}`;
  }
}

/** The larger of what the event asks and the baseline is held: the smaller is not mentioned. */
function pendingWords({ demand, baseline }: PoolDecision): string {
  return demand !== undefined && demand.count >= baseline
    ? `hold, ${eventWords(demand)}`
    : `hold, ${baselineWords(baseline)}`;
}

function targetWords({ demand, baseline }: PoolDecision): string {
  return demand === undefined ? baselineWords(baseline) : eventWords(demand);
}

function adjustmentWords(adjustment: Adjustment): string {
  switch (adjustment.kind) {
    case 'covered':
      return `kept at ${adjustment.to} for what is coming (${comingWords(adjustment.coming)})`;
    case 'held':
      return `held at the live ${adjustment.to}: ${floorWords(adjustment.floor)}`;
    case 'clamped':
      return `limited to maxReplicas ${adjustment.to}${askerWords(adjustment.askedBy)}`;
  }
}

function comingWords({ onColdNodes, newlyPending }: { onColdNodes: number; newlyPending: number }): string {
  const parts = [
    ...(onColdNodes > 0 ? [`${onColdNodes} on nodes that still warm up`] : []),
    ...(newlyPending > 0 ? [`${newlyPending} waiting for a node`] : []),
  ];
  return parts.join(', ');
}

function floorWords(floor: Floor): string {
  switch (floor) {
    case 'calendarUnread':
      return 'the calendar cannot be read and no fresh enough events are kept';
    case 'stateUnread':
      return 'the state cannot be read';
    case 'stateUnwritable':
      return 'the state cannot be written';
    case 'sharerUnread':
      return 'another calendar under the same cap cannot be read';
  }
}

/** The event and the baseline are named already, as what was asked. */
function askerWords(asker: Asker): string {
  return asker.kind === 'live' ? ` (the Deployment had ${asker.count})` : '';
}

function eventWords({ eventTitle, count, cut }: GrantedDemand): string {
  return cut === undefined
    ? `event ${quoteTitle(eventTitle)} asks ${count}`
    : `event ${quoteTitle(eventTitle)} asks ${cut.asked}, cut ${cut.by.map(cutWords).join(' and ')}`;
}

function cutWords({ by, left }: Cut): string {
  return `to ${left} by ${by}`;
}

function baselineWords(baseline: number): string {
  return `replicas ${baseline}`;
}

/** `2 nodes with room (a, b)`, with three names at most. */
function naming(names: readonly string[], [one, many]: readonly [string, string]): string {
  const shown = names.slice(0, MAX_NAMED).join(', ');
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `${names.length} ${names.length === 1 ? one : many} (${shown}${more})`;
}
