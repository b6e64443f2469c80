/** Times of day in the scenario's zone, once or week after week. */
import { DAY, weekdayOf } from '../calendar/civil-calendar.ts';
import { ianaZone, placeWall } from '../calendar/zone.ts';
import type { Instant } from '../domain/instant.ts';
import type { Weekday } from './scenario-schema.ts';

/** `2026-09-07T09:00`, or a date alone for its midnight, as a clock on the wall shows it. */
export function parseWall(text: string): number {
  return Date.parse(text.includes('T') ? `${text}Z` : `${text}T00:00Z`);
}

export function instantOf(text: string, timeZone: string): Instant {
  return placeWall(parseWall(text), ianaZone(timeZone));
}

const WEEKDAYS: readonly Weekday[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

export function weekdayNameOf(wall: number): Weekday {
  return WEEKDAYS[weekdayOf(wall)] ?? 'sun';
}

export interface Repetition {
  readonly start: string;
  readonly weekly?: readonly Weekday[] | undefined;
}

/** Every time it takes place before an instant: summer time moves it with the clocks on the wall. */
export function occurrences(
  { start, weekly }: Repetition,
  timeZone: string,
  untilAt: Instant,
): readonly Instant[] {
  const zone = ianaZone(timeZone);
  const first = parseWall(start);
  if (weekly === undefined) return [placeWall(first, zone)].filter((at) => at < untilAt);
  const found: Instant[] = [];
  for (let wall = first; ; wall += DAY) {
    const at = placeWall(wall, zone);
    if (at >= untilAt) return found;
    if (weekly.includes(weekdayNameOf(wall))) found.push(at);
  }
}
