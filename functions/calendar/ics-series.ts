/**
 * A series of events: its rule expanded, extra dates added, exceptions taken out, replaced instances put where
 * they were moved. Done in wall time, each instance placed by its zone, so that nine o'clock stays nine o'clock
 * when clocks change.
 */
import type { Instant, Window } from '../domain/instant.ts';
import { DAY, floorTo, type WallMs } from './civil-calendar.ts';
import { longestSpan, type IcsEnd, type IcsEvent } from './ics-event.ts';
import type { IcsTime } from './ics-property.ts';
import { expandRule, type Budget } from './recurrence.ts';
import { placeWall, type Zone } from './zone.ts';

/** All VEVENTs of one UID. */
export interface Series {
  readonly masters: readonly IcsEvent[];
  readonly replacements: readonly IcsEvent[];
}

export interface Placement {
  readonly window: { readonly fromAt: Instant; readonly toAt: Instant };
  /** Where whole days and floating times are. */
  readonly home: Zone;
  /** The zone of a TZID; home, and a finding, when it is unknown. */
  readonly zoneOf: (tzid: string, event: IcsEvent) => Zone;
  readonly budget: Budget;
}

export interface Occurrence extends Window {
  readonly id: string;
  readonly event: IcsEvent;
}

/** An instance before it is known to be wanted; naming it costs more than placing it. */
interface Candidate extends Window {
  /** Which instance of its series: where it would be had nobody moved it. Undefined: it is no series. */
  readonly originalAt: Instant | undefined;
  readonly event: IcsEvent;
}

/** No zone is further from UTC than this. */
const ZONE_MARGIN = DAY;

export function expandSeries(series: Series, placement: Placement): readonly Occurrence[] {
  const replaced = readReplacements(series, placement);
  const instances = series.masters.flatMap((master) => instancesOf(master, { replaced, placement }));
  return [...instances, ...replaced.candidates]
    .filter((candidate) => touches(candidate, placement.window))
    .map(({ originalAt, ...occurrence }) => ({
      ...occurrence,
      id: nameInstance(occurrence.event.uid, originalAt),
    }));
}

/** Also an occurrence without length, so that it can be reported. */
function touches(occurrence: Window, window: { readonly fromAt: Instant; readonly toAt: Instant }): boolean {
  const { startAt, endAt } = occurrence;
  return startAt < window.toAt && (endAt > window.fromAt || (endAt <= startAt && startAt >= window.fromAt));
}

// ---- replaced instances ----

interface RangeChange {
  readonly fromAt: Instant;
  readonly event: IcsEvent;
  /** From where an instance is on the wall of the series to where it is now, on the wall of the change. */
  readonly shiftMs: number;
}

interface Replaced {
  readonly instants: ReadonlySet<Instant>;
  /** Of whole days, and of exceptions that name a day only. */
  readonly days: ReadonlySet<WallMs>;
  /** Changes to all later instances, in order. */
  readonly ranges: readonly RangeChange[];
  readonly candidates: readonly Candidate[];
}

function readReplacements(series: Series, placement: Placement): Replaced {
  const [master] = series.masters;
  const instants = new Set<Instant>();
  const days = new Set<WallMs>();
  const ranges: RangeChange[] = [];
  const candidates: Candidate[] = [];
  for (const event of series.replacements) {
    const of = event.recurrenceId ?? event.start;
    const at = placeTime(of, event, { placement, series: master });
    instants.add(at);
    if (of.isDate || master?.start.isDate === true) {
      days.add(floorTo(of.wall, DAY));
    }
    if (event.isRange) {
      ranges.push({ fromAt: at, event, shiftMs: shiftOf(event, at, { placement, series: master }) });
    }
    if (!event.isCancelled) {
      candidates.push({ originalAt: at, event, ...windowAt(event.start.wall, event, placement) });
    }
  }
  return { instants, days, ranges: ranges.sort((left, right) => left.fromAt - right.fromAt), candidates };
}

function nameInstance(uid: string, originalAt: Instant | undefined): string {
  return originalAt === undefined
    ? uid
    : `${uid}_${new Date(originalAt).toISOString().replaceAll(/[-:]|\.000/gu, '')}`;
}

// ---- instances of the rule ----

interface Around {
  readonly replaced: Replaced;
  readonly placement: Placement;
}

function instancesOf(master: IcsEvent, around: Around): readonly Candidate[] {
  if (master.isCancelled) {
    return [];
  }
  const excluded = readExcluded(master, around.placement);
  const isSingle = master.rule === undefined && master.extra.length === 0;
  const walls = wallsOf(master, around);
  const ruled = walls.flatMap((wall) => {
    const at = placeTime({ ...master.start, wall }, master, { placement: around.placement });
    const isOut = isExcluded(at, wall, excluded) || isExcluded(at, wall, around.replaced);
    return isOut ? [] : candidateAt({ wall, at, originalAt: isSingle ? undefined : at }, master, around);
  });
  return [...ruled, ...extrasOf(master, excluded, around)];
}

function wallsOf(master: IcsEvent, { replaced, placement }: Around): readonly WallMs[] {
  if (master.rule === undefined) {
    return [master.start.wall];
  }
  const shifts = replaced.ranges.map(({ shiftMs }) => Math.abs(shiftMs));
  const reach = ZONE_MARGIN + Math.max(0, ...shifts);
  const spans = [master, ...replaced.ranges.map(({ event }) => event)].map(longestSpan);
  return expandRule(master.rule, {
    startAt: master.start.wall,
    fromAt: placement.window.fromAt - reach - Math.max(...spans),
    toAt: placement.window.toAt + reach,
    untilAt: untilWall(master, placement),
    budget: placement.budget,
  });
}

/** UNTIL on the master's own wall. A day includes all of it; a whole-day event looks at its day alone. */
function untilWall(master: IcsEvent, placement: Placement): WallMs | undefined {
  const { until, start } = master;
  if (until === undefined) {
    return undefined;
  }
  if (until.isDate || start.isDate) {
    return floorTo(until.wall, DAY) + DAY - 1;
  }
  return until.isUtc ? until.wall + zoneOf(start, master, placement).offsetAt(until.wall) : until.wall;
}

function extrasOf(
  master: IcsEvent,
  excluded: Pick<Replaced, 'instants' | 'days'>,
  { replaced, placement }: Around,
): readonly Candidate[] {
  return master.extra.flatMap(({ time, end }) => {
    const at = placeTime(time, master, { placement, series: master });
    if (isExcluded(at, time.wall, excluded) || isExcluded(at, time.wall, replaced)) {
      return [];
    }
    const start = time.isUtc || time.tzid !== undefined ? time : { ...master.start, wall: time.wall };
    const event: IcsEvent = { ...master, start, end: end ?? rebased(master, start) };
    return [{ originalAt: at, event: master, ...windowAt(start.wall, event, placement) }];
  });
}

/** An extra date lasts as long as the others, whatever zone it is written in. */
function rebased(master: IcsEvent, start: IcsTime): IcsEnd | undefined {
  return master.end?.kind === 'time'
    ? { kind: 'time', time: { ...start, wall: start.wall + master.end.time.wall - master.start.wall } }
    : master.end;
}

function readExcluded(master: IcsEvent, placement: Placement): Pick<Replaced, 'instants' | 'days'> {
  const ofDay = (time: IcsTime): boolean => time.isDate || master.start.isDate;
  return {
    instants: new Set(master.excluded.map((time) => placeTime(time, master, { placement, series: master }))),
    days: new Set(master.excluded.filter(ofDay).map(({ wall }) => floorTo(wall, DAY))),
  };
}

function isExcluded(at: Instant, wall: WallMs, out: Pick<Replaced, 'instants' | 'days'>): boolean {
  return out.instants.has(at) || out.days.has(floorTo(wall, DAY));
}

interface Instance {
  readonly wall: WallMs;
  readonly at: Instant;
  readonly originalAt: Instant | undefined;
}

/** The instance itself, or what a change to this and all later ones made of it. */
function candidateAt(
  { wall, at, originalAt }: Instance,
  master: IcsEvent,
  { replaced, placement }: Around,
): readonly Candidate[] {
  const change = replaced.ranges.findLast(({ fromAt }) => fromAt <= at);
  if (change === undefined) {
    return [{ originalAt, event: master, ...windowAt(wall, master, placement) }];
  }
  const { event, shiftMs } = change;
  return event.isCancelled ? [] : [{ originalAt, event, ...windowAt(wall + shiftMs, event, placement) }];
}

/** The instance that a change names may be written in another zone than the series, or in UTC. */
function shiftOf(
  change: IcsEvent,
  originalAt: Instant,
  { placement, series }: { readonly placement: Placement; readonly series: IcsEvent | undefined },
): number {
  if (series === undefined) {
    return 0;
  }
  const { start } = series;
  const offset = start.isUtc ? 0 : zoneOf(start, series, placement).offsetAt(originalAt);
  return change.start.wall - (originalAt + offset);
}

// ---- placing ----

/** @param startWall Where on its own wall this instance starts. */
function windowAt(startWall: WallMs, event: IcsEvent, placement: Placement): Window {
  const startAt = placeTime({ ...event.start, wall: startWall }, event, { placement });
  return { startAt, endAt: endOf({ startWall, startAt }, event, placement) };
}

function endOf(
  { startWall, startAt }: { readonly startWall: WallMs; readonly startAt: Instant },
  event: IcsEvent,
  placement: Placement,
): Instant {
  const { start, end } = event;
  const onOwnWall = (wall: WallMs): Instant => placeTime({ ...start, wall }, event, { placement });
  if (end === undefined) {
    // A day alone is that day; a time alone has no length (RFC 5545, 3.6.1).
    return start.isDate ? onOwnWall(startWall + DAY) : startAt;
  }
  if (end.kind === 'length') {
    return onOwnWall(startWall + end.days * DAY) + end.ms;
  }
  const length = end.time.wall - start.wall;
  if (isOnSameWall(start, end.time)) {
    // Some programs end a whole day on itself.
    return onOwnWall(startWall + (start.isDate && length === 0 ? DAY : length));
  }
  const from = placeTime(start, event, { placement });
  return startAt + placeTime(end.time, event, { placement }) - from;
}

function isOnSameWall(start: IcsTime, end: IcsTime): boolean {
  return start.isDate === end.isDate && start.isUtc === end.isUtc && start.tzid === end.tzid;
}

/**
 * @param around Times that only refer to instances (exceptions, replacements, extra dates) and name no zone are
 * on the wall of the series, which is given then.
 */
function placeTime(
  time: IcsTime,
  event: IcsEvent,
  around: { readonly placement: Placement; readonly series?: IcsEvent | undefined },
): Instant {
  const { placement, series } = around;
  const isFloating = !time.isUtc && !time.isDate && time.tzid === undefined;
  const wallOwner = isFloating && series !== undefined ? series.start : time;
  return wallOwner.isUtc ? time.wall : placeWall(time.wall, zoneOf(wallOwner, event, placement));
}

function zoneOf(time: IcsTime, event: IcsEvent, placement: Placement): Zone {
  return time.isDate || time.tzid === undefined ? placement.home : placement.zoneOf(time.tzid, event);
}
