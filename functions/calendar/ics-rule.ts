/** A recurrence rule as the parser leaves it, checked. */
import type { Frequency, Rule, WeekdayRule } from './recurrence.ts';
import { fieldOf, textOf } from '../unknown-shape.ts';

const FREQUENCIES: readonly Frequency[] = [
  'SECONDLY',
  'MINUTELY',
  'HOURLY',
  'DAILY',
  'WEEKLY',
  'MONTHLY',
  'YEARLY',
];
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** Most values of one list, such as BYDAY, that make sense: every day of a year, forwards and backwards. */
const LONGEST_LIST = 732;

/** @throws Error when the rule says nothing that can be expanded. */
export function readRule(value: unknown): Rule {
  const frequency = FREQUENCIES.find((known) => known === fieldOf(value, 'freq'));
  if (frequency === undefined) {
    throw new Error('a recurrence rule without a frequency');
  }
  return {
    frequency,
    interval: Math.max(1, integerOf(fieldOf(value, 'interval')) ?? 1),
    count: integerOf(fieldOf(value, 'count')),
    bySecond: numbersOf(value, 'bysecond'),
    byMinute: numbersOf(value, 'byminute'),
    byHour: numbersOf(value, 'byhour'),
    byDay: listOf(value, 'byday').map(readWeekday),
    byMonthDay: numbersOf(value, 'bymonthday'),
    byYearDay: numbersOf(value, 'byyearday'),
    byWeekNo: numbersOf(value, 'byweekno'),
    byMonth: numbersOf(value, 'bymonth'),
    bySetPos: numbersOf(value, 'bysetpos'),
    weekStart: readWeekStart(fieldOf(value, 'wkst')),
  };
}

/** UNTIL as the parser writes it: a date, or a date and time; undefined when there is none. */
export function readUntil(value: unknown): string | undefined {
  return textOf(value, 'until');
}

/** The parser counts weekdays from 1; without WKST a week starts on Monday. */
function readWeekStart(value: unknown): number {
  const number = integerOf(value);
  return number === undefined ? 1 : (number + 6) % 7;
}

function readWeekday(value: unknown): WeekdayRule {
  const [, nth, name] = /^([-+]?\d{1,2})?(SU|MO|TU|WE|TH|FR|SA)$/u.exec(String(value)) ?? [];
  if (name === undefined) {
    throw new Error('a recurrence rule with an unknown weekday');
  }
  return { weekday: WEEKDAYS.indexOf(name), nth: nth === undefined ? 0 : Number(nth) };
}

function numbersOf(value: unknown, name: string): readonly number[] {
  return listOf(value, name).map((entry) => {
    const number = integerOf(entry);
    if (number === undefined) {
      throw new Error(`a recurrence rule with an unreadable ${name}`);
    }
    return number;
  });
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const field = fieldOf(value, name);
  const list = Array.isArray(field) ? field : field === undefined ? [] : [field];
  if (list.length > LONGEST_LIST) {
    throw new Error(`a recurrence rule with too many values of ${name}`);
  }
  return list;
}

function integerOf(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}
