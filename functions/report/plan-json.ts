/** The plan for programs; docs/plan.md describes every field. Instants are ISO 8601 in UTC. */
import type { Plan, PlannedCalendar, PlannedCluster, PlannedPool } from '../plan/make-plan.ts';
import type { FindingGroup } from '../domain/finding-group.ts';
import type { Instant } from '../domain/instant.ts';
import type { Segment } from '../domain/timeline.ts';
import type { Concern, EventHours } from '../domain/timeline-review.ts';

/** Grows when a field changes its meaning or goes away; new fields do not change it. */
const VERSION = 1;

export function planToJson(plan: Plan): string {
  const { window, calendars, clusters, findings, review } = plan;
  const document = {
    version: VERSION,
    from: iso(window.startAt),
    until: iso(window.endAt),
    calendars: calendars.map(calendarToJson),
    clusters: clusters.map(clusterToJson),
    events: review.hours.map(hoursToJson),
    findings: findings.map(findingToJson),
    concerns: review.concerns.map(concernToJson),
    notices: plan.notices,
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function iso(at: Instant): string {
  return new Date(at).toISOString();
}

function calendarToJson(calendar: PlannedCalendar): object {
  return calendar.kind === 'read'
    ? { name: calendar.label, readable: true, timeZone: calendar.timeZone, events: calendar.eventCount }
    : {
        name: calendar.label,
        readable: false,
        problem: calendar.error.message,
        kind: calendar.error.kind,
        remedy: calendar.error.remedy,
      };
}

function clusterToJson({ name, calendar, pools }: PlannedCluster): object {
  return { name, calendar: calendar?.label ?? null, pools: pools.map((pool) => poolToJson(pool, calendar)) };
}

function poolToJson(planned: PlannedPool, calendar: PlannedCalendar | undefined): object {
  const { pool, segments, placeholderHours, isNamed, calendarOverrideEnabled } = planned;
  const isKnown = calendar?.kind !== 'unreadable';
  return {
    name: pool.pool,
    baseline: pool.baseline,
    maxReplicas: pool.maxReplicas,
    calendarOverrideEnabled,
    namedByAnEvent: isKnown ? isNamed : null,
    placeholderHours: isKnown ? roundHours(placeholderHours) : null,
    windows: isKnown ? segments.map(segmentToJson) : null,
  };
}

function segmentToJson({ startAt, endAt, count, demand, overruled, bound }: Segment): object {
  return {
    from: iso(startAt),
    until: iso(endAt),
    count,
    event: demand === undefined ? null : { id: demand.eventId, title: demand.eventTitle, asks: demand.count },
    over: overruled.map(({ eventId, eventTitle, count: asks }) => ({ id: eventId, title: eventTitle, asks })),
    boundBy: bound ?? null,
  };
}

function hoursToJson({ eventId, eventTitle, address, count, window, placeholderHours }: EventHours): object {
  return {
    id: eventId,
    title: eventTitle,
    cluster: address.cluster,
    pool: address.pool,
    asks: count,
    from: iso(window.startAt),
    until: iso(window.endAt),
    placeholderHours: roundHours(placeholderHours),
  };
}

function findingToJson({ finding, times }: FindingGroup): object {
  const { code, severity, eventId, eventTitle, eventStartAt, line, text, message } = finding;
  return {
    code,
    severity,
    event: { id: eventId, title: eventTitle, start: eventStartAt === undefined ? null : iso(eventStartAt) },
    times,
    line: line ?? null,
    text,
    message,
  };
}

function concernToJson(concern: Concern): object {
  const { kind, ask } = concern;
  const about = {
    kind,
    cluster: ask.address.cluster,
    pool: ask.address.pool,
    event: { id: ask.eventId, title: ask.eventTitle, asks: ask.count, start: iso(ask.startAt) },
  };
  switch (concern.kind) {
    case 'coolOffBeaten':
    case 'neverWins':
      return {
        ...about,
        by: { id: concern.by.eventId, title: concern.by.eventTitle, asks: concern.by.count },
      };
    case 'coolOffHeld':
      return { ...about, baseline: concern.baseline };
    case 'bounded':
      return { ...about, count: concern.count, bound: concern.bound };
  }
}

/** A hundredth of an hour is half a minute, and no pass is more often. */
function roundHours(hours: number): number {
  return Math.round(hours * 100) / 100;
}
