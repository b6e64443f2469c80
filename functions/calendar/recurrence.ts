/**
 * Recurrence rules (RFC 5545, 3.3.10) expanded in wall time, within a window and a budget.
 *
 * The parsing library has an iterator too, and it is not used for three reasons, each seen with ical.js 2.2.1. A
 * single `next()` may never return, so no count of steps outside bounds it: `FREQ=DAILY;INTERVAL=4;BYDAY=MO;
 * BYMONTHDAY=-1` hangs it. Rules that programs write come out wrong: `FREQ=MONTHLY;BYMONTH=8` begun in April skips
 * its first August, `FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30` gives days of March. And it walks from the first instance,
 * which for a calendar of years is most of the work. Here a rule jumps to the window, and every period is paid for.
 * Where the two agree they are compared, and where they do not a search day by day decides (recurrence tests).
 */
import {
  dateOf,
  DAY,
  dayOfYear,
  floorTo,
  HOUR,
  hourOf,
  MINUTE,
  minuteOf,
  monthLength,
  monthOf,
  SECOND,
  secondOf,
  WEEK,
  weekdayOf,
  weekOf,
  weekStartOf,
  yearLength,
  yearOf,
  type WallMs,
} from './civil-calendar.ts';

export type Frequency = 'SECONDLY' | 'MINUTELY' | 'HOURLY' | 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';

/** A weekday, 0 for Sunday; `nth` 0 means every one, -1 the last of its month or year. */
export interface WeekdayRule {
  readonly weekday: number;
  readonly nth: number;
}

export interface Rule {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count: number | undefined;
  readonly bySecond: readonly number[];
  readonly byMinute: readonly number[];
  readonly byHour: readonly number[];
  readonly byDay: readonly WeekdayRule[];
  readonly byMonthDay: readonly number[];
  readonly byYearDay: readonly number[];
  readonly byWeekNo: readonly number[];
  readonly byMonth: readonly number[];
  readonly bySetPos: readonly number[];
  readonly weekStart: number;
}

/** Days that may still be looked at; a million of them take about a second. */
export interface Budget {
  daysLeft: number;
}

/** The budget is spent: the rule is finer, or begins longer ago, than a calendar of people has any use for. */
export class TooManyPeriodsError extends Error {
  override readonly name = 'TooManyPeriodsError';
}

export interface Expansion {
  readonly startAt: WallMs;
  readonly fromAt: WallMs;
  readonly toAt: WallMs;
  /** Last wall time that may be an instance (UNTIL); undefined: no end. */
  readonly untilAt: WallMs | undefined;
  readonly budget: Budget;
}

/** Instances in `[fromAt, toAt)`, in order. The start is always the first instance, and COUNT includes it. */
export function expandRule(counted: Rule, expansion: Expansion): readonly WallMs[] {
  const { startAt, fromAt, toAt } = expansion;
  const countedUntilAt = lastOfCount(counted, startAt);
  if (countedUntilAt !== undefined) {
    const untilAt = Math.min(countedUntilAt, expansion.untilAt ?? Number.POSITIVE_INFINITY);
    return expandRule({ ...counted, count: undefined }, { ...expansion, untilAt });
  }
  const rule = counted;
  const lastAt = Math.min(toAt - 1, expansion.untilAt ?? Number.POSITIVE_INFINITY);
  const found = startAt >= fromAt && startAt <= lastAt ? [startAt] : [];
  let left = (rule.count ?? Number.POSITIVE_INFINITY) - 1;
  for (const at of instancesAfterStart(rule, expansion, lastAt)) {
    if (left <= 0) {
      break;
    }
    left -= 1;
    if (at >= fromAt) {
      found.push(at);
    }
  }
  return found;
}

function* instancesAfterStart(rule: Rule, expansion: Expansion, lastAt: WallMs): Generator<WallMs> {
  const { startAt, fromAt, budget } = expansion;
  const base = periodStart(rule, startAt);
  // A rule with a COUNT has to be walked from its start: what lies before the window counts as well.
  const skipped = rule.count === undefined ? Math.max(0, periodsBefore(rule, base, fromAt) - 1) : 0;
  for (let index = skipped; ; index += 1) {
    const period = nthPeriod(rule, base, index);
    if (period > lastAt) {
      return;
    }
    const days = daysOf(rule, period, startAt);
    // A period of one day costs as much as two days of a longer one.
    budget.daysLeft -= Math.max(2, days.length);
    if (budget.daysLeft < 0) {
      throw new TooManyPeriodsError('the rule has too many periods');
    }
    for (const at of instancesIn(rule, days, { period, startAt })) {
      if (at > startAt && at <= lastAt) {
        yield at;
      }
    }
  }
}

/**
 * The last instance of a plain daily or weekly rule with a COUNT, by arithmetic: nearly every rule with a COUNT
 * is one of these, and then nothing has to be walked. Undefined for every other rule.
 */
function lastOfCount(rule: Rule, startAt: WallMs): WallMs | undefined {
  const isPlain = [
    rule.bySecond,
    rule.byMinute,
    rule.byHour,
    rule.byMonthDay,
    rule.byYearDay,
    rule.byWeekNo,
    rule.byMonth,
    rule.bySetPos,
  ].every((list) => list.length === 0);
  if (rule.count === undefined || !isPlain) {
    return undefined;
  }
  if (rule.frequency === 'DAILY' && rule.byDay.length === 0) {
    return startAt + (rule.count - 1) * rule.interval * DAY;
  }
  return rule.frequency === 'WEEKLY' ? lastOfWeekly(rule, rule.count, startAt) : undefined;
}

function lastOfWeekly(rule: Rule, count: number, startAt: WallMs): WallMs | undefined {
  const weekAt = weekStartOf(startAt, rule.weekStart);
  const own = floorTo(startAt, DAY) - weekAt;
  const listed = rule.byDay.map(({ weekday }) => ((weekday - rule.weekStart + 7) % 7) * DAY);
  const offsets = listed.length === 0 ? [own] : [...new Set(listed)].sort((left, right) => left - right);
  const first = offsets.indexOf(own);
  if (first < 0) {
    return undefined;
  }
  const place = first + count - 1;
  const weeks = Math.floor(place / offsets.length) * rule.interval;
  return startAt - own + weeks * WEEK + (offsets[place % offsets.length] ?? 0);
}

// ---- periods ----

function periodStart(rule: Rule, at: WallMs): WallMs {
  switch (rule.frequency) {
    case 'YEARLY':
      return Date.UTC(yearOf(at), 0, 1);
    case 'MONTHLY':
      return Date.UTC(yearOf(at), monthOf(at), 1);
    case 'WEEKLY':
      return weekStartOf(at, rule.weekStart);
    case 'DAILY':
      return floorTo(at, DAY);
    case 'HOURLY':
      return floorTo(at, HOUR);
    case 'MINUTELY':
      return floorTo(at, MINUTE);
    case 'SECONDLY':
      return floorTo(at, SECOND);
  }
}

function nthPeriod(rule: Rule, base: WallMs, index: number): WallMs {
  const steps = index * rule.interval;
  switch (rule.frequency) {
    case 'YEARLY':
      return Date.UTC(yearOf(base) + steps, 0, 1);
    case 'MONTHLY':
      return Date.UTC(yearOf(base), monthOf(base) + steps, 1);
    case 'WEEKLY':
    case 'DAILY':
    case 'HOURLY':
    case 'MINUTELY':
    case 'SECONDLY':
      return base + steps * LENGTHS[rule.frequency];
  }
}

const LENGTHS = { WEEKLY: WEEK, DAILY: DAY, HOURLY: HOUR, MINUTELY: MINUTE, SECONDLY: SECOND } as const;

/** How many whole periods lie between the first one and an instant, rounded down. */
function periodsBefore(rule: Rule, base: WallMs, at: WallMs): number {
  switch (rule.frequency) {
    case 'YEARLY':
      return Math.floor((yearOf(at) - yearOf(base)) / rule.interval);
    case 'MONTHLY':
      return Math.floor((12 * (yearOf(at) - yearOf(base)) + monthOf(at) - monthOf(base)) / rule.interval);
    case 'WEEKLY':
    case 'DAILY':
    case 'HOURLY':
    case 'MINUTELY':
    case 'SECONDLY':
      return Math.floor((at - base) / (LENGTHS[rule.frequency] * rule.interval));
  }
}

interface Period {
  readonly period: WallMs;
  readonly startAt: WallMs;
}

/** The instances of one period, in order. */
function instancesIn(rule: Rule, days: readonly WallMs[], { period, startAt }: Period): readonly WallMs[] {
  const instances = days
    .filter((day) => isDayOfRule(rule, day, startAt))
    .flatMap((day) => timesOn(rule, day, { period, startAt }));
  return rule.bySetPos.length === 0 ? instances : pickPositions(instances, rule.bySetPos);
}

/** The days of a period that may be in the rule. */
function daysOf(rule: Rule, period: WallMs, startAt: WallMs): readonly WallMs[] {
  switch (rule.frequency) {
    case 'YEARLY':
      return daysOfYear(monthsOf(rule, startAt), yearOf(period));
    case 'MONTHLY':
      return daysFrom(period, monthLength(yearOf(period), monthOf(period)));
    case 'WEEKLY':
      return daysFrom(period, 7);
    case 'DAILY':
    case 'HOURLY':
    case 'MINUTELY':
    case 'SECONDLY':
      return [floorTo(period, DAY)];
  }
}

/** Most yearly rules name a month: a twelfth of the work. */
function daysOfYear(months: readonly number[], year: number): readonly WallMs[] {
  if (months.length === 0) {
    return daysFrom(Date.UTC(year, 0, 1), yearLength(year));
  }
  const inOrder = [...new Set(months)].sort((left, right) => left - right);
  return inOrder.flatMap((month) => daysFrom(Date.UTC(year, month - 1, 1), monthLength(year, month - 1)));
}

function daysFrom(first: WallMs, length: number): readonly WallMs[] {
  return Array.from({ length }, (_, index) => first + index * DAY);
}

function pickPositions(instances: readonly WallMs[], positions: readonly number[]): readonly WallMs[] {
  const picked = positions.map((position) => instances.at(position > 0 ? position - 1 : position));
  return [...new Set(picked.filter((at) => at !== undefined))].sort((left, right) => left - right);
}

// ---- which days ----

function isDayOfRule(rule: Rule, day: WallMs, startAt: WallMs): boolean {
  return (
    isMonthOfRule(rule, day, startAt) &&
    isIn(rule.byYearDay, dayOfYear(day), yearLength(yearOf(day))) &&
    isIn(monthDaysOf(rule, startAt), dateOf(day), monthLength(yearOf(day), monthOf(day))) &&
    isWeekOfRule(rule, day) &&
    isWeekdayOfRule(rule, day, startAt)
  );
}

/** Whether a number from 1 is listed, as itself or counted from the end; an empty list allows all. */
function isIn(list: readonly number[], value: number, length: number): boolean {
  return list.length === 0 || list.includes(value) || list.includes(value - length - 1);
}

function isMonthOfRule(rule: Rule, day: WallMs, startAt: WallMs): boolean {
  return isIn(monthsOf(rule, startAt), monthOf(day) + 1, 12);
}

/** From 1. Every year on the start's own day: its month is meant as well as its date. */
function monthsOf(rule: Rule, startAt: WallMs): readonly number[] {
  const isFromStart = rule.byMonth.length === 0 && rule.frequency === 'YEARLY' && namesNoDay(rule);
  return isFromStart ? [monthOf(startAt) + 1] : rule.byMonth;
}

function monthDaysOf(rule: Rule, startAt: WallMs): readonly number[] {
  const isFromStart = (rule.frequency === 'YEARLY' || rule.frequency === 'MONTHLY') && namesNoDay(rule);
  return isFromStart ? [dateOf(startAt)] : rule.byMonthDay;
}

function namesNoDay(rule: Rule): boolean {
  return (
    rule.byDay.length === 0 &&
    rule.byMonthDay.length === 0 &&
    rule.byYearDay.length === 0 &&
    rule.byWeekNo.length === 0
  );
}

function isWeekOfRule(rule: Rule, day: WallMs): boolean {
  if (rule.byWeekNo.length === 0) {
    return true;
  }
  const { week, weeks } = weekOf(day, rule.weekStart);
  return isIn(rule.byWeekNo, week, weeks);
}

function isWeekdayOfRule(rule: Rule, day: WallMs, startAt: WallMs): boolean {
  const isFromStart = rule.byDay.length === 0 && isWeekBased(rule);
  const weekdays = isFromStart ? [{ weekday: weekdayOf(startAt), nth: 0 }] : rule.byDay;
  return (
    weekdays.length === 0 ||
    weekdays.some(({ weekday, nth }) => weekday === weekdayOf(day) && (nth === 0 || isNth(rule, day, nth)))
  );
}

function isWeekBased(rule: Rule): boolean {
  const isByWeekAlone =
    rule.byWeekNo.length > 0 && rule.byMonthDay.length === 0 && rule.byYearDay.length === 0;
  return rule.frequency === 'WEEKLY' || isByWeekAlone;
}

/** Whether a day is the nth of its weekday: in its month, or in its year when the rule names no month. */
function isNth(rule: Rule, day: WallMs, nth: number): boolean {
  if (rule.frequency !== 'MONTHLY' && rule.frequency !== 'YEARLY') {
    return true;
  }
  const isOfYear = rule.frequency === 'YEARLY' && rule.byMonth.length === 0;
  const number = isOfYear ? dayOfYear(day) : dateOf(day);
  const length = isOfYear ? yearLength(yearOf(day)) : monthLength(yearOf(day), monthOf(day));
  return nth > 0 ? Math.ceil(number / 7) === nth : Math.ceil((length - number + 1) / 7) === -nth;
}

// ---- which times ----

function timesOn(rule: Rule, day: WallMs, { period, startAt }: Period): readonly WallMs[] {
  const fixed = fixedUnits(rule.frequency);
  const hours = unitsOf(rule.byHour, fixed >= 1 ? hourOf(period) : undefined, hourOf(startAt));
  const minutes = unitsOf(rule.byMinute, fixed >= 2 ? minuteOf(period) : undefined, minuteOf(startAt));
  const seconds = unitsOf(rule.bySecond, fixed >= 3 ? secondOf(period) : undefined, secondOf(startAt));
  return hours.flatMap((hour) =>
    minutes.flatMap((minute) =>
      seconds.map((second) => day + hour * HOUR + minute * MINUTE + second * SECOND),
    ),
  );
}

/** How many of hour, minute and second the period itself fixes. */
function fixedUnits(frequency: Frequency): number {
  return frequency === 'HOURLY' ? 1 : frequency === 'MINUTELY' ? 2 : frequency === 'SECONDLY' ? 3 : 0;
}

/** A unit that the period fixes is only filtered by its list; another takes the list, or the start's own. */
function unitsOf(
  listed: readonly number[],
  ofPeriod: number | undefined,
  ofStart: number,
): readonly number[] {
  if (ofPeriod !== undefined) {
    return listed.length === 0 || listed.includes(ofPeriod) ? [ofPeriod] : [];
  }
  return listed.length === 0 ? [ofStart] : listed.toSorted((left, right) => left - right);
}
