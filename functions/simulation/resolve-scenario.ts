/** Puts a scenario together from its file (or none), the config and the calendar that are to be tried on it. */
import type { ClusterSettings, Settings } from '../config/settings.ts';
import type { Problem } from '../config/explain.ts';
import { matchRequests } from '../domain/demand.ts';
import { readDescription } from '../domain/description.ts';
import type { CalendarEvent } from '../domain/event.ts';
import type { Instant } from '../domain/instant.ts';
import { ConfigError } from '../errors.ts';
import type { LoadedScenario } from './load-scenario.ts';
import { inOrder, locate } from './load-scenario.ts';
import { instantOf, occurrences } from './local-time.ts';
import { simulatedPool } from './machines.ts';
import { unknownPools } from './pool-mentions.ts';
import type { ClassSession, People } from './people.ts';
import { DEFAULT_ARRIVAL, DEFAULT_STAY, DEFAULT_TRICKLE_STAY, drawVisits } from './people.ts';
import type { ScenarioFile, Weekday } from './scenario-schema.ts';
import type { Scenario, SimulatedPool } from './scenario.ts';

const MINUTE = 60_000;
const ALL_DAYS: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const UNBOUNDED_QUOTA = 10_000;

export interface Span {
  readonly fromAt: Instant;
  readonly toAt: Instant;
  readonly timeZone: string;
}

/** From when to when, as the file has it. */
export function spanOf(file: ScenarioFile): Span {
  const timeZone = file.timeZone ?? 'UTC';
  return {
    timeZone,
    fromAt: instantOf(file.from, timeZone),
    toAt: instantOf(file.to, timeZone),
  };
}

export interface Trial {
  readonly settings: Settings;
  readonly cluster: ClusterSettings;
  readonly span: Span;
  readonly events: readonly CalendarEvent[];
}

/** @throws ConfigError when the file names pools that the config lacks, or its times do not add up. */
export function resolveScenario({ source, file, document }: LoadedScenario, trial: Trial): Scenario {
  const problems = [...findContradictions(file, trial)];
  if (problems.length > 0) {
    throw new ConfigError(source, inOrder(problems.map((problem) => locate(problem, document))));
  }
  const { span } = trial;
  const people: People = {
    ...span,
    sessions: sessionsOf(file, span),
    trickles: (file.trickle ?? []).map((trickle) => ({
      pool: trickle.pool,
      peoplePerHour: trickle.peoplePerHour,
      hours: trickle.hours ?? [8, 22],
      days: trickle.days ?? ALL_DAYS,
      stay: trickle.stayMinutes ?? DEFAULT_TRICKLE_STAY,
    })),
    cullMinutes: file.cullMinutes ?? 0,
  };
  return {
    ...base(trial, people),
    name: file.name,
    pools: trial.cluster.pools.map((pool) =>
      simulatedPool(trial.cluster, pool, file.pools?.[pool.settings.name]),
    ),
    nodeQuota: file.faults?.nodeQuota ?? UNBOUNDED_QUOTA,
    stockOuts: (file.faults?.stockOuts ?? []).map(({ pool, zone, start, minutes }) => {
      const fromAt = instantOf(start, span.timeZone);
      return { pool, zone, fromAt, toAt: fromAt + minutes * MINUTE };
    }),
  };
}

function base(trial: Trial, people: People): Omit<Scenario, 'name' | 'pools' | 'nodeQuota' | 'stockOuts'> {
  const { span, settings, cluster, events } = trial;
  return {
    fromAt: span.fromAt,
    toAt: span.toAt,
    timeZone: span.timeZone,
    settings: { ...settings, clusters: [cluster] },
    events,
    visits: (seed) => drawVisits(people, seed),
  };
}

/** Of a class that begins after the end, some may come before it. */
const EARLIEST_ARRIVAL = 600 * MINUTE;

function sessionsOf(file: ScenarioFile, span: Span): readonly ClassSession[] {
  return (file.classes ?? []).flatMap((each) =>
    occurrences(each, span.timeZone, span.toAt + EARLIEST_ARRIVAL).map((startAt) => ({
      title: each.title,
      pool: each.pool,
      people: each.people,
      startAt,
      arriveMinutes: each.arriveMinutes ?? DEFAULT_ARRIVAL,
      stay: each.stayMinutes ?? DEFAULT_STAY,
    })),
  );
}

/** The file's own calendar, every instance that touches the span. */
export function eventsOf(file: ScenarioFile, span: Span): readonly CalendarEvent[] {
  const events = (file.calendar ?? []).flatMap((each, index) =>
    occurrences(each, span.timeZone, span.toAt).map((startAt) => ({
      id: `${String(index)}/${new Date(startAt).toISOString()}`,
      title: each.title,
      text: each.description,
      startAt,
      endAt: startAt + each.minutes * MINUTE,
    })),
  );
  return events.filter(({ endAt }) => endAt > span.fromAt).sort((a, b) => a.startAt - b.startAt);
}

function findContradictions(file: ScenarioFile, { cluster, span }: Trial): readonly Problem[] {
  const pools = cluster.pools.map((pool) => pool.settings.name);
  return [
    ...unknownPools(file, pools),
    ...(span.toAt > span.fromAt
      ? []
      : [{ path: ['to'], isAboutKey: false, message: 'must be after `from`' }]),
    ...cluster.pools.flatMap((pool) => {
      const { name } = pool.settings;
      const simulated = simulatedPool(cluster, pool, file.pools?.[name]);
      return [...tooSmall(simulated), ...unknownZones(file, simulated)];
    }),
  ];
}

/** A pool on whose nodes no user fits would bring one node after another, for nobody. */
function tooSmall({ spec: { name, allocatable, system }, user }: SimulatedPool): readonly Problem[] {
  const lacks = [
    ...(user.cpuMillis > allocatable.cpuMillis - system.cpuMillis ? ['cpu'] : []),
    ...(user.memoryBytes > allocatable.memoryBytes - system.memoryBytes ? ['memory'] : []),
  ];
  return lacks.map((what) => ({
    path: ['pools', name],
    isAboutKey: true,
    message: `has no node that one user fits on: raise allocatable.${what}, or lower user.${what} or system.${what}`,
  }));
}

function unknownZones(
  { faults }: ScenarioFile,
  { spec: { name, zones } }: SimulatedPool,
): readonly Problem[] {
  return (faults?.stockOuts ?? []).flatMap(({ pool, zone }, index) => {
    if (pool !== name || zone === undefined || zones.includes(zone)) return [];
    const message = `"${zone}" is no zone of ${name}; zones are ${zones.join(', ')}`;
    return [{ path: ['faults', 'stockOuts', index, 'zone'], isAboutKey: false, message }];
  });
}

/** Logins per placeholder asked for, where nobody says how many people come: seven tenths of what its node takes. */
const PEOPLE_PER_PLACEHOLDER = 20;

/**
 * Without a scenario file each event is taken for a class: twenty people for each placeholder that it asks for, on
 * reference machines, who log in from eight to fifteen minutes after it begins.
 */
export function scenarioFromEvents(trial: Trial): Scenario {
  const { cluster, span, events } = trial;
  const names = cluster.pools.map((pool) => pool.settings.name);
  const read = events.map((event) => readDescription(event, names).event);
  const { asks } = matchRequests(
    read,
    names.map((pool) => ({ cluster: cluster.name, pool })),
  );
  const sessions = asks
    .filter(({ count }) => count > 0)
    .map((ask): ClassSession => ({
      title: ask.eventTitle,
      pool: ask.address.pool,
      people: ask.count * PEOPLE_PER_PLACEHOLDER,
      startAt: ask.startAt + 10 * MINUTE,
      arriveMinutes: DEFAULT_ARRIVAL,
      stay: DEFAULT_STAY,
    }));
  return {
    ...base(trial, { ...span, sessions, trickles: [], cullMinutes: 0 }),
    name: 'each event a class of twenty people for each placeholder',
    pools: cluster.pools.map((pool) => simulatedPool(cluster, pool, undefined)),
    nodeQuota: UNBOUNDED_QUOTA,
    stockOuts: [],
  };
}
