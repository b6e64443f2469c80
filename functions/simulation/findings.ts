/** What somebody who planned this would want to be told: classes that waited and why, events nobody came to. */
import type { PoolAsk } from '../domain/demand.ts';
import { matchRequests } from '../domain/demand.ts';
import { readDescription } from '../domain/description.ts';
import type { Finding } from '../domain/event.ts';
import type { Instant } from '../domain/instant.ts';
import type { PlaceholderFit } from '../domain/placeholder-fit.ts';
import { judgePlaceholderFit } from '../domain/placeholder-fit.ts';
import { medianSeconds } from '../embedded/random.ts';
import type { VisitRecord } from '../embedded/users.ts';
import { usersPerNode } from './machines.ts';
import type { Run } from './run.ts';
import type { Scenario, SimulatedPool } from './scenario.ts';
import { clusterOf } from './scenario.ts';
import { percentile, waitSeconds } from './summary.ts';

const MINUTE = 60_000;
/** How long before its event a class may begin to log in to be taken for the event's class; after it. */
const BEFORE_EVENT = 60 * MINUTE;
/** Of people who come for an event, nobody comes earlier. */
const EARLY = 15 * MINUTE;
const AFTER_EVENT = 30 * MINUTE;
/** A pass comes each minute, and the autoscaler looks every ten seconds. */
const SLACK_SECONDS = 70;

export type Advice =
  | {
      readonly kind: 'classWaited';
      readonly title: string;
      readonly pool: string;
      readonly at: Instant;
      readonly people: number;
      /** 95th percentile, in seconds. */
      readonly p95: number;
      readonly cause: Cause;
    }
  | { readonly kind: 'nobodyCame'; readonly title: string; readonly pool: string; readonly at: Instant };

export type Cause =
  | { readonly kind: 'noEvent' }
  /** A placeholder of the pool is not one whole node, so no count of them helps. */
  | { readonly kind: 'misfit'; readonly fit: Misfit }
  | { readonly kind: 'tooLate'; readonly event: string; readonly minutes: number }
  | { readonly kind: 'tooFew'; readonly event: string; readonly asked: number; readonly needed: number }
  | { readonly kind: 'other'; readonly event: string };

export type Misfit = Extract<PlaceholderFit, { readonly kind: 'several' | 'unbounded' | 'never' }>;

/** What is wrong with the calendar's entries, each once for all its repetitions. */
export function calendarFindings(scenario: Scenario): readonly Finding[] {
  const { asked, read } = readCalendar(scenario);
  const all = [...read.flatMap(({ findings }) => findings), ...asked.findings];
  const once = new Map(
    all.map((finding) => [`${finding.eventTitle}\n${finding.code}\n${finding.text}`, finding]),
  );
  return [...once.values()];
}

function readCalendar(scenario: Scenario): {
  readonly read: readonly ReturnType<typeof readDescription>[];
  readonly asked: ReturnType<typeof matchRequests>;
} {
  const { name, pools } = clusterOf(scenario);
  const names = pools.map((pool) => pool.settings.name);
  const read = scenario.events.map((event) => readDescription(event, names));
  const addresses = names.map((pool) => ({ cluster: name, pool }));
  return {
    read,
    asked: matchRequests(
      read.map(({ event }) => event),
      addresses,
    ),
  };
}

export function adviseOn(scenario: Scenario, run: Run): readonly Advice[] {
  const { asks } = readCalendar(scenario).asked;
  const sessions = [...Map.groupBy(run.visits, sessionKey).values()];
  const waited = sessions.flatMap((records) => adviseOnClass(scenario, { run, asks, records }));
  const empty = asks
    .filter((ask) => ask.count > 0 && ask.startAt < run.toAt && ask.endAt > run.fromAt)
    .filter(
      (ask) =>
        !run.visits.some(({ visit }) => visit.pool === ask.address.pool && isNear(ask, visit.at, EARLY)),
    )
    .map((ask): Advice => ({
      kind: 'nobodyCame',
      title: ask.eventTitle,
      pool: ask.address.pool,
      at: ask.startAt,
    }));
  return [...waited, ...empty].sort((a, b) => a.at - b.at);
}

function sessionKey({ visit }: VisitRecord): string {
  return `${visit.group}\n${visit.pool}\n${String(visit.sessionAt ?? '')}`;
}

interface Session {
  readonly run: Run;
  readonly asks: readonly PoolAsk[];
  readonly records: readonly VisitRecord[];
}

function adviseOnClass(scenario: Scenario, { run, asks, records }: Session): readonly Advice[] {
  const [first] = records;
  const arrived = records.filter(({ visit }) => visit.at < run.toAt);
  if (first?.visit.sessionAt === undefined || arrived.length === 0) return [];
  const p95 = percentile(
    arrived.map((record) => waitSeconds(record, run.toAt)).sort((a, b) => a - b),
    0.95,
  );
  if (p95 <= 60) return [];
  const { group: title, pool, sessionAt: at } = first.visit;
  const simulated = scenario.pools.find(({ spec }) => spec.name === pool);
  if (simulated === undefined) return [];
  const cause = causeOf({ pool: simulated, misfit: misfitOf(scenario, simulated) }, asks, arrived);
  return [{ kind: 'classWaited', title, pool, at, people: arrived.length, p95, cause }];
}

function misfitOf(scenario: Scenario, { spec }: SimulatedPool): Misfit | undefined {
  const managed = clusterOf(scenario).pools.find(({ settings }) => settings.name === spec.name);
  const { allocatable, system } = spec;
  const offer = {
    cpuMillis: allocatable.cpuMillis - system.cpuMillis,
    memoryBytes: allocatable.memoryBytes - system.memoryBytes,
  };
  const fit = judgePlaceholderFit(managed?.placeholder.requests ?? {}, [offer]);
  return fit.kind === 'several' || fit.kind === 'unbounded' || fit.kind === 'never' ? fit : undefined;
}

interface Judged {
  readonly pool: SimulatedPool;
  readonly misfit: Misfit | undefined;
}

function causeOf({ pool, misfit }: Judged, asks: readonly PoolAsk[], records: readonly VisitRecord[]): Cause {
  const firstAt = Math.min(...records.map(({ visit }) => visit.at));
  const event = asks
    .filter((ask) => ask.address.pool === pool.spec.name && ask.count > 0 && isNear(ask, firstAt))
    .sort((a, b) => a.startAt - b.startAt)[0];
  if (event === undefined) return { kind: 'noEvent' };
  if (misfit !== undefined) return { kind: 'misfit', fit: misfit };
  const leadSeconds = medianSeconds(pool.spec.boot) + medianSeconds(pool.spec.pull) + SLACK_SECONDS;
  const lateSeconds = leadSeconds - (firstAt - event.startAt) / 1000;
  const needed = Math.ceil(records.length / usersPerNode(pool));
  if (lateSeconds > 0)
    return { kind: 'tooLate', event: event.eventTitle, minutes: Math.ceil(lateSeconds / 60) };
  if (event.count < needed) return { kind: 'tooFew', event: event.eventTitle, asked: event.count, needed };
  return { kind: 'other', event: event.eventTitle };
}

function isNear(ask: PoolAsk, at: Instant, before = BEFORE_EVENT): boolean {
  return at >= ask.startAt - before && at <= ask.endAt + AFTER_EVENT;
}
