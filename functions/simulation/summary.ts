/** What a run comes to: waits, node-hours, and what nobody could have done better. */
import type { Instant } from '../domain/instant.ts';
import type { VisitRecord } from '../embedded/users.ts';
import { usersPerNode } from './machines.ts';
import type { Run } from './run.ts';
import type { Scenario } from './scenario.ts';

const MINUTE_SECONDS = 60;

/** Classes of waits, each up to and including so many seconds. */
export const WAIT_CLASSES = [
  { label: 'up to 15 s', upTo: 15 },
  { label: '15 s to 1 min', upTo: 60 },
  { label: '1 to 3 min', upTo: 180 },
  { label: '3 to 6 min', upTo: 360 },
  { label: '6 to 10 min', upTo: 600 },
  { label: 'over 10 min', upTo: Number.POSITIVE_INFINITY },
] as const;

export interface Waits {
  readonly visits: number;
  /** In seconds, from logging in until the server runs. */
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
  readonly overOneMinute: number;
  /** Left, or still waiting at the end, without ever having got in; counted with the time they waited in vain. */
  readonly neverIn: number;
  /** People by how long they waited: one number for each of WAIT_CLASSES. */
  readonly histogram: readonly number[];
  readonly interruptions: number;
}

export interface Summary {
  readonly policy: string;
  readonly waits: Waits;
  readonly nodeHours: number;
  /** Node-hours without any user on the node. */
  readonly idleNodeHours: number;
  readonly cost: number;
  readonly changes: number;
}

export function summarize(scenario: Scenario, run: Run): Summary {
  const prices = new Map(scenario.pools.map(({ spec }) => [spec.name, spec.pricePerNodeHour]));
  const sum = (measure: (pool: Run['pools'][number]) => number): number =>
    run.pools.reduce((total, pool) => total + measure(pool), 0);
  return {
    policy: run.policy,
    waits: summarizeWaits(run.visits, run.toAt),
    nodeHours: sum(({ nodeHours }) => nodeHours.total),
    idleNodeHours: sum(({ nodeHours }) => nodeHours.idle),
    cost: sum(({ pool, nodeHours }) => nodeHours.total * (prices.get(pool) ?? 0)),
    changes: run.changes.length,
  };
}

/** Of the people who logged in before `untilAt`. */
export function summarizeWaits(records: readonly VisitRecord[], untilAt: Instant): Waits {
  const arrived = records.filter(({ visit }) => visit.at < untilAt);
  const waits = arrived.map((record) => waitSeconds(record, untilAt)).sort((a, b) => a - b);
  return {
    visits: arrived.length,
    p50: percentile(waits, 0.5),
    p95: percentile(waits, 0.95),
    max: waits.at(-1) ?? 0,
    overOneMinute: waits.filter((seconds) => seconds > MINUTE_SECONDS).length,
    histogram: WAIT_CLASSES.map(({ upTo }, index) => {
      const over = WAIT_CLASSES[index - 1]?.upTo ?? Number.NEGATIVE_INFINITY;
      return waits.filter((seconds) => seconds > over && seconds <= upTo).length;
    }),
    neverIn: arrived.filter(({ readyAt }) => readyAt === undefined).length,
    interruptions: arrived.reduce((total, { interruptions }) => total + interruptions, 0),
  };
}

export function waitSeconds({ visit, readyAt }: VisitRecord, untilAt: Instant): number {
  const leftAt = visit.at + visit.staySeconds * 1000;
  return ((readyAt ?? Math.min(leftAt, untilAt)) - visit.at) / 1000;
}

/** The smallest value that so large a share of all does not exceed; 0 for none. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/**
 * Node-hours with perfect foresight: at each moment just as many nodes as its users fill, packed without a gap and
 * warm to the second. No policy can do with less; none that cannot see ahead can come near it.
 */
export function lowestNodeHours(scenario: Scenario, seed: number, untilAt = scenario.toAt): number {
  const visits = scenario.visits(seed).filter(({ at }) => at < untilAt);
  return scenario.pools.reduce((total, pool) => {
    const { spec } = pool;
    const ofPool = visits.filter((visit) => visit.pool === spec.name);
    const edges = ofPool.flatMap((visit) => [
      { at: visit.at, by: 1 },
      { at: Math.min(untilAt, visit.at + visit.staySeconds * 1000), by: -1 },
    ]);
    return (
      total +
      nodeHoursOf(
        edges.sort((a, b) => a.at - b.at || a.by - b.by),
        usersPerNode(pool),
      )
    );
  }, 0);
}

function nodeHoursOf(
  edges: readonly { readonly at: Instant; readonly by: number }[],
  perNode: number,
): number {
  let users = 0;
  let before = edges[0]?.at ?? 0;
  let milliseconds = 0;
  for (const { at, by } of edges) {
    milliseconds += Math.ceil(users / perNode) * (at - before);
    users += by;
    before = at;
  }
  return milliseconds / 3_600_000;
}
