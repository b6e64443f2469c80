/** Days, weeks and years of the Gregorian calendar, for times on a wall. */

/** A wall time in milliseconds, as if the clock on the wall showed UTC. */
export type WallMs = number;

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const WEEK = 7 * DAY;
/** 1970-01-04, a Sunday. */
const FIRST_SUNDAY = 3 * DAY;

export function floorTo(at: WallMs, unit: number): WallMs {
  return Math.floor(at / unit) * unit;
}

export function yearOf(at: WallMs): number {
  return new Date(at).getUTCFullYear();
}

/** From 0. */
export function monthOf(at: WallMs): number {
  return new Date(at).getUTCMonth();
}

export function dateOf(at: WallMs): number {
  return new Date(at).getUTCDate();
}

export function hourOf(at: WallMs): number {
  return new Date(at).getUTCHours();
}

export function minuteOf(at: WallMs): number {
  return new Date(at).getUTCMinutes();
}

export function secondOf(at: WallMs): number {
  return new Date(at).getUTCSeconds();
}

export function weekdayOf(at: WallMs): number {
  return new Date(at).getUTCDay();
}

export function weekStartOf(at: WallMs, weekStart: number): WallMs {
  const first = FIRST_SUNDAY + weekStart * DAY;
  return first + floorTo(at - first, WEEK);
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export function yearLength(year: number): number {
  return isLeap(year) ? 366 : 365;
}

export function monthLength(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
}

export function dayOfYear(day: WallMs): number {
  return (floorTo(day, DAY) - Date.UTC(yearOf(day), 0, 1)) / DAY + 1;
}

/** Number of a day's week, and how many its year has: week 1 is the first with four days in the year. */
export function weekOf(day: WallMs, weekStart: number): { readonly week: number; readonly weeks: number } {
  const own = weekStartOf(day, weekStart);
  const year = yearOf(own + 3 * DAY);
  const first = firstWeekOf(year, weekStart);
  return { week: (own - first) / WEEK + 1, weeks: (firstWeekOf(year + 1, weekStart) - first) / WEEK };
}

export function firstWeekOf(year: number, weekStart: number): WallMs {
  return weekStartOf(Date.UTC(year, 0, 4), weekStart);
}
