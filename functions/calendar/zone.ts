/**
 * Wall time to instants, by IANA zone, from the zone data of the runtime: never from the process's own zone.
 */
import type { Instant } from '../domain/instant.ts';
import { DAY, HOUR, MINUTE, SECOND, type WallMs } from './civil-calendar.ts';

/** A date and time of day as a clock on the wall shows it. Months and days from 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** Where the clocks of a place stand, however that is known. */
export interface Zone {
  readonly name: string;
  /** Milliseconds that they are ahead of UTC at an instant. */
  readonly offsetAt: (at: Instant) => number;
}

/** Beyond these many days of one zone its cache starts anew. */
const MOST_CACHED_DAYS = 20_000;

const formats = new Map<string, Intl.DateTimeFormat>();
const zones = new Map<string, Zone>();

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
 */
export function placeWall(wall: WallMs, zone: Zone): Instant {
  const before = zone.offsetAt(wall - DAY);
  const after = zone.offsetAt(wall + DAY);
  if (before === after || zone.offsetAt(wall - before) === before) {
    return wall - before;
  }
  return zone.offsetAt(wall - after) === after ? wall - after : wall - before;
}

export function ianaZone(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) {
    return known;
  }
  const days = new Map<number, number>();
  const zone: Zone = { name, offsetAt: (at) => offsetAt(at, name, days) };
  zones.set(name, zone);
  return zone;
}

export const UTC: Zone = { name: 'UTC', offsetAt: () => 0 };

/** The wall time in milliseconds; undefined when there is no such date or time of day. */
export function wallOf(wall: WallTime): WallMs | undefined {
  const day = Date.UTC(wall.year, wall.month - 1, wall.day);
  const date = new Date(day);
  // Date.UTC rolls 30 February over into March, and reads the years 0 to 99 as 1900 to 1999.
  const isDay = date.getUTCMonth() === wall.month - 1 && date.getUTCFullYear() === wall.year;
  // 24:00 is the end of a day, and a leap second is the beginning of the next minute.
  const isTime = wall.hour <= 24 && wall.minute <= 59 && wall.second <= 60;
  return isDay && isTime ? day + wall.hour * HOUR + wall.minute * MINUTE + wall.second * SECOND : undefined;
}

function offsetAt(at: Instant, zone: string, days: Map<number, number>): number {
  const day = Math.floor(at / DAY);
  const first = offsetOfDay(day, zone, days);
  // Two changes within one day are unheard of, so equal ends mean an even day.
  return first === offsetOfDay(day + 1, zone, days) ? first : measureOffset(at, zone);
}

/** Asking the runtime costs a thousand times as much as remembering. */
function offsetOfDay(day: number, zone: string, days: Map<number, number>): number {
  const known = days.get(day);
  if (known !== undefined) {
    return known;
  }
  if (days.size >= MOST_CACHED_DAYS) {
    days.clear();
  }
  const offset = measureOffset(day * DAY, zone);
  days.set(day, offset);
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
