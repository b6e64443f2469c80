/**
 * Wall time to instants, by IANA zone, from the zone data of the runtime: never from the process's own zone.
 */
import type { Instant } from '../domain/instant.ts';

/** A date and time of day as a clock on the wall shows it. Months and days from 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const SECOND = 1000;
const DAY = 86_400 * SECOND;

/** Beyond these many days of a zone the cache starts anew; a year of a few zones fits. */
const MOST_CACHED_DAYS = 20_000;

const formats = new Map<string, Intl.DateTimeFormat>();
const offsetsByDay = new Map<string, number>();

/** Whether the runtime knows a zone by this name. */
export function isZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * The instant at which clocks in the zone show this time. A time that is skipped in spring is read with the
 * offset before the change, one that comes twice in autumn is the first of the two (RFC 5545, 3.3.5).
 *
 * @returns Undefined when there is no such date, such as 30 February.
 */
export function instantOf(wall: WallTime, zone: string): Instant | undefined {
  const asUtc = utcOf(wall);
  if (asUtc === undefined) {
    return undefined;
  }
  const before = offsetAt(asUtc - DAY, zone);
  const after = offsetAt(asUtc + DAY, zone);
  if (before === after || offsetAt(asUtc - before, zone) === before) {
    return asUtc - before;
  }
  return offsetAt(asUtc - after, zone) === after ? asUtc - after : asUtc - before;
}

/** The wall time as if it were UTC; undefined when there is no such date. */
export function utcOf(wall: WallTime): Instant | undefined {
  const at = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second);
  const date = new Date(at);
  // Date.UTC rolls 30 February over into March, and reads the years 0 to 99 as 1900 to 1999.
  const isSame = date.getUTCMonth() === wall.month - 1 && date.getUTCFullYear() === wall.year;
  return isSame || wall.hour === 24 || wall.second === 60 ? at : undefined;
}

/** Milliseconds that the zone is ahead of UTC at an instant. */
export function offsetAt(at: Instant, zone: string): number {
  const day = Math.floor(at / DAY);
  const first = offsetOfDay(day, zone);
  // Two changes within one day are unheard of, so equal ends mean an even day.
  return first === offsetOfDay(day + 1, zone) ? first : measureOffset(at, zone);
}

function offsetOfDay(day: number, zone: string): number {
  const key = `${zone} ${String(day)}`;
  const known = offsetsByDay.get(key);
  if (known !== undefined) {
    return known;
  }
  if (offsetsByDay.size >= MOST_CACHED_DAYS) {
    offsetsByDay.clear();
  }
  const offset = measureOffset(day * DAY, zone);
  offsetsByDay.set(key, offset);
  return offset;
}

function measureOffset(at: Instant, zone: string): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return shown - Math.floor(at / SECOND) * SECOND;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) {
    return known;
  }
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, format);
  return format;
}
