/**
 * Which zone a TZID means: the file's own definition of it, else the Olson name, else the Windows name, else the
 * name that Windows shows to people. Last of all an offset in the name itself, which knows nothing of summer.
 */
import { findIana } from 'windows-iana';
import type { WallMs } from './civil-calendar.ts';
import { DAY, HOUR, MINUTE, SECOND } from './civil-calendar.ts';
import { readRule, readUntil } from './ics-rule.ts';
import { readTime, type IcsProperty } from './ics-property.ts';
import { expandRule, type Budget } from './recurrence.ts';
import { WINDOWS_DISPLAY_NAMES } from './windows-display-names.ts';
import { ianaZone, isZone, type Zone } from './zone.ts';

export interface ZoneReading {
  readonly zone: Zone;
  /** Only an offset was found in the name: right for half of the year at best. */
  readonly isGuess: boolean;
}

/** The zone of a name, from whatever is known beside the file; undefined when nothing is. */
export function findZone(tzid: string): ZoneReading | undefined {
  const name = tzid.trim().replace(/^"|"$/gu, '');
  const iana = findOlson(name) ?? findWindows(name);
  if (iana !== undefined) {
    return { zone: ianaZone(iana), isGuess: false };
  }
  return findOffset(name);
}

/** Also the tail of a path, such as `/mozilla.org/20070129_1/Europe/Berlin`. */
function findOlson(name: string): string | undefined {
  if (/^tzone:\/\/microsoft\/utc$/iu.test(name)) {
    return 'UTC';
  }
  const parts = name.replaceAll(' ', '_').split('/');
  const tails = [parts, parts.slice(-3), parts.slice(-2)].map((tail) => tail.join('/'));
  return tails.find((tail) => /^[A-Za-z]/u.test(tail) && isZone(tail));
}

function findWindows(name: string): string | undefined {
  const bare = name.replace(/^\((?:UTC|GMT)[^)]*\)\s*/u, '');
  const identifier = WINDOWS_DISPLAY_NAMES.get(bare) ?? bare;
  return findIana(identifier).find((iana) => isZone(iana));
}

const OFFSET = /(?:UTC|GMT)\s*([-+\u2212])(\d{1,2})(?::?(\d\d))?/u;

function findOffset(name: string): ZoneReading | undefined {
  const [, sign, hours, minutes] = OFFSET.exec(name) ?? [];
  if (hours === undefined || Number(hours) > 14) {
    return undefined;
  }
  const offset = Number(hours) * HOUR + Number(minutes ?? 0) * MINUTE;
  return { zone: fixedZone(name, sign === '+' ? offset : -offset), isGuess: true };
}

function fixedZone(name: string, offset: number): Zone {
  return { name, offsetAt: () => offset };
}

// ---- zones that a file defines ----

interface Onset {
  readonly at: number;
  readonly offset: number;
  readonly offsetBefore: number;
}

/** One STANDARD or DAYLIGHT part of a VTIMEZONE. */
export type Observance = readonly IcsProperty[];

/** @throws Error when the definition cannot be followed. */
export function defineZone(
  name: string,
  observances: readonly Observance[],
  limits: { readonly toAt: number; readonly budget: Budget },
): Zone {
  // A year beyond the window, so that the change after it is known as well.
  const toAt = limits.toAt + 400 * DAY;
  const onsets = observances
    .flatMap((observance) => onsetsOf(observance, toAt, limits.budget))
    .sort((left, right) => left.at - right.at);
  const [first] = onsets;
  if (first === undefined) {
    throw new Error('a VTIMEZONE without observances');
  }
  return { name, offsetAt: (at) => lastOnset(onsets, at)?.offset ?? first.offsetBefore };
}

function lastOnset(onsets: readonly Onset[], at: number): Onset | undefined {
  let low = 0;
  let high = onsets.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((onsets[middle]?.at ?? Number.POSITIVE_INFINITY) <= at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return onsets[low - 1];
}

function onsetsOf(observance: Observance, toAt: WallMs, budget: Budget): readonly Onset[] {
  const value = (name: string): unknown => observance.find((property) => property.name === name)?.values[0];
  const offset = readOffset(value('tzoffsetto'));
  const offsetBefore = readOffset(value('tzoffsetfrom'));
  const start = readTime(value('dtstart'));
  const extra = observance
    .filter(({ name }) => name === 'rdate')
    .flatMap(({ values }) => values.map((entry) => readTime(entry)));
  const rule = value('rrule');
  const repeated =
    rule === undefined ? [] : repeatOnset(rule, { startAt: start.wall, toAt, offsetBefore, budget });
  const walls = [
    start.wall,
    ...extra.map((time) => (time.isUtc ? time.wall + offsetBefore : time.wall)),
    ...repeated,
  ];
  return [...new Set(walls)].map((wall) => ({ at: wall - offsetBefore, offset, offsetBefore }));
}

interface OnsetRange {
  readonly startAt: WallMs;
  readonly toAt: WallMs;
  readonly offsetBefore: number;
  readonly budget: Budget;
}

function repeatOnset(value: unknown, range: OnsetRange): readonly WallMs[] {
  const rule = readRule(value);
  if (rule.frequency !== 'YEARLY' && rule.frequency !== 'MONTHLY') {
    throw new Error('a VTIMEZONE whose clocks change more often than monthly');
  }
  const until = readUntil(value);
  const end = until === undefined ? undefined : readTime(until);
  const untilAt = end === undefined ? undefined : end.wall + (end.isUtc ? range.offsetBefore : 0);
  return expandRule(rule, { ...range, fromAt: range.startAt, untilAt });
}

function readOffset(value: unknown): number {
  const [, sign, hours, minutes, seconds] =
    /^([-+])(\d\d):?(\d\d):?(\d\d)?$/u.exec(typeof value === 'string' ? value : '') ?? [];
  if (hours === undefined || minutes === undefined) {
    throw new Error('a VTIMEZONE with an unreadable offset');
  }
  const offset = Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds ?? 0) * SECOND;
  return sign === '-' ? -offset : offset;
}
