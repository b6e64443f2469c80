/**
 * One pool, from what was read to what is to be done: every node judged with its reason, the count decided, the
 * placeholders to mark warm chosen. Reading order never matters: nodes and placeholders are taken in the order of
 * their names.
 */
import { decidePool } from './decision.ts';
import type { ComingPlaceholders, Floor, GrantedDemand, PoolDecision } from './decision.ts';
import { observeNode } from './history.ts';
import type { NodeHistory, NodeRecord } from './history.ts';
import { secondsBetween } from './instant.ts';
import type { Instant } from './instant.ts';
import type { NodeFacts } from './node.ts';
import type { LiveDeployment, PlaceholderPod } from './placeholder.ts';
import type { PoolSettings } from './pool.ts';
import { chooseRelabels, isStanding } from './relabel.ts';
import type { Relabel } from './relabel.ts';
import { judgeNode, measureLoad } from './room.ts';
import type { NodeVerdict } from './room.ts';
import type { NodeUsage } from './usage.ts';
import { judgeWarmth } from './warmth.ts';
import type { NodeWarmth } from './warmth.ts';

export interface PoolReading {
  readonly settings: PoolSettings;
  /** All that were read; those of other pools are passed over. */
  readonly nodes: readonly NodeFacts[];
  readonly usage: ReadonlyMap<string, NodeUsage>;
  /** All of ours, of every pool: a node that hosts another pool's placeholder is taken too. */
  readonly placeholders: readonly PlaceholderPod[];
  /** As the last pass left it; EMPTY_HISTORY when it cannot be read. */
  readonly history: NodeHistory;
  readonly demand: GrantedDemand | undefined;
  /** The pool's Deployment; undefined when there is none. */
  readonly live: LiveDeployment | undefined;
  readonly floors: readonly Floor[];
  readonly now: Instant;
}

export interface PoolAssessment {
  readonly decision: PoolDecision;
  readonly verdicts: readonly NodeVerdict[];
  /** Of every node of the pool, in the order of the verdicts. */
  readonly warmth: readonly NodeWarmth[];
  /** Empty unless `warmFirst`. */
  readonly relabels: readonly Relabel[];
  /** What the next pass is to know of the pool's nodes, by UID (see collectRecords). */
  readonly records: readonly (readonly [uid: string, record: NodeRecord])[];
  readonly spares: SpareSummary;
}

/** How the pool's spares stand. */
export interface SpareSummary {
  readonly wanted: number;
  /** Placeholders on warm nodes. */
  readonly warm: number;
  readonly warming: readonly WarmingSpare[];
  readonly pending: readonly PendingSpare[];
}

export interface WarmingSpare {
  readonly podName: string;
  readonly nodeName: string;
  /** Undefined: nobody can say. */
  readonly expectedWarmAt: Instant | undefined;
}

export interface PendingSpare {
  readonly podName: string;
  readonly sinceAt: Instant;
  /** The scheduler's own words. */
  readonly message: string | undefined;
}

export function assessPool(reading: PoolReading): PoolAssessment {
  const nodes = nodesOf(reading);
  const own = placeholdersOf(reading);
  const { verdicts, records } = judgeNodes(reading, nodes);
  const warmth = nodes.map((node) => warmthOf(reading, node));
  const warmthByNode = new Map(warmth.map((one) => [one.nodeName, one]));
  const spares = summarise(own, warmthByNode);
  const decision = decidePool({
    settings: reading.settings,
    demand: reading.demand,
    nodesWithRoom: verdicts.filter((verdict) => verdict.hasRoom).map((verdict) => verdict.nodeName),
    pendingPods: own.filter((pod) => pod.phase === 'Pending').map((pod) => pod.name),
    coming: comingOf(reading, spares),
    liveReplicas: reading.live?.replicas,
    floors: reading.floors,
  });
  return {
    decision,
    verdicts,
    warmth,
    relabels: reading.settings.warmFirst ? chooseRelabels(own, warmthByNode) : [],
    records,
    spares: { wanted: decision.replicas, ...spares },
  };
}

function nodesOf({ nodes, settings }: PoolReading): readonly NodeFacts[] {
  return nodes.filter((node) => node.poolLabel === settings.nodeLabel).sort(byName);
}

/** A terminating placeholder is gone for all that is decided here. */
function placeholdersOf({ placeholders, settings }: PoolReading): readonly PlaceholderPod[] {
  return placeholders.filter((pod) => pod.poolName === settings.name && !pod.isTerminating).sort(byName);
}

function judgeNodes(
  reading: PoolReading,
  nodes: readonly NodeFacts[],
): Pick<PoolAssessment, 'verdicts' | 'records'> {
  const { settings, history, now } = reading;
  const hosts = new Set(reading.placeholders.filter(isStanding).map((pod) => pod.nodeName));
  const judged = nodes.map((node) => {
    const usage = reading.usage.get(node.name);
    const situation = { node, usage, hostsPlaceholder: hosts.has(node.name), settings };
    const { isBusy } = measureLoad(situation);
    const seen = { uid: node.uid, name: node.name, isBusy, graceSeconds: settings.nodeGraceSeconds };
    const record = observeNode(history, seen, now);
    return { record, verdict: judgeNode(situation, record, now) };
  });
  return {
    verdicts: judged.map(({ verdict }) => verdict),
    records: judged.map(({ verdict, record }) => [verdict.uid, record]),
  };
}

function warmthOf({ usage, settings, now }: PoolReading, node: NodeFacts): NodeWarmth {
  const { nodeWarmSeconds } = settings;
  return judgeWarmth({ node, usage: usage.get(node.name), nodeWarmSeconds, now });
}

function summarise(
  own: readonly PlaceholderPod[],
  warmthByNode: ReadonlyMap<string, NodeWarmth>,
): Omit<SpareSummary, 'wanted'> {
  const warming: WarmingSpare[] = [];
  let warm = 0;
  for (const pod of own.filter(isStanding)) {
    const node = warmthByNode.get(pod.nodeName);
    if (node?.isWarm === true) {
      warm += 1;
    } else {
      warming.push({
        podName: pod.name,
        nodeName: pod.nodeName,
        expectedWarmAt: node?.expectedWarmAt,
      });
    }
  }
  const pending = own
    .filter((pod) => pod.nodeName === undefined)
    .map((pod) => ({ podName: pod.name, sinceAt: pod.createdAt, message: pod.pendingMessage }));
  return { warm, warming, pending };
}

function comingOf(
  { settings, now }: PoolReading,
  { warming, pending }: Omit<SpareSummary, 'wanted'>,
): ComingPlaceholders {
  const isNew = ({ sinceAt }: PendingSpare): boolean =>
    secondsBetween(sinceAt, now) < settings.nodeWarmSeconds;
  return { onColdNodes: warming.length, newlyPending: pending.filter(isNew).length };
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}
