import fc from 'fast-check';
import ICAL from 'ical.js';
import { describe, expect, test } from 'vitest';
import { readRule } from '../../functions/calendar/ics-rule.ts';
import { parseComponent } from '../../functions/calendar/ics-property.ts';
import { expandRule, TooManyPeriodsError, type Rule } from '../../functions/calendar/recurrence.ts';

function rule(text: string): Rule {
  const { properties } = parseComponent(`BEGIN:VEVENT\r\nRRULE:${text}\r\nEND:VEVENT`);
  return readRule(properties[0]?.values[0]);
}

function expand(text: string, start: string, [from, to]: readonly [string, string]): readonly string[] {
  const at = (iso: string): number => Date.parse(`${iso}Z`);
  const found = expandRule(rule(text), {
    startAt: at(start),
    fromAt: at(from),
    toAt: at(to),
    untilAt: undefined,
    budget: { daysLeft: 300_000 },
  });
  return found.map((wall) => new Date(wall).toISOString().slice(0, 16));
}

describe('the examples of RFC 5545, and what they leave out', () => {
  test.each([
    [
      'daily',
      'FREQ=DAILY;COUNT=3',
      '1997-09-02T09:00',
      ['1997-09-02T09:00', '1997-09-03T09:00', '1997-09-04T09:00'],
    ],
    [
      'every other day',
      'FREQ=DAILY;INTERVAL=2;COUNT=3',
      '1997-09-02T09:00',
      ['1997-09-02T09:00', '1997-09-04T09:00', '1997-09-06T09:00'],
    ],
    [
      'twice a week',
      'FREQ=WEEKLY;COUNT=4;BYDAY=TU,TH',
      '1997-09-02T09:00',
      ['1997-09-02T09:00', '1997-09-04T09:00', '1997-09-09T09:00', '1997-09-11T09:00'],
    ],
    [
      'every other week from Monday',
      'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO',
      '1997-08-05T09:00',
      ['1997-08-05T09:00', '1997-08-10T09:00', '1997-08-19T09:00', '1997-08-24T09:00'],
    ],
    [
      'every other week from Sunday',
      'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU',
      '1997-08-05T09:00',
      ['1997-08-05T09:00', '1997-08-17T09:00', '1997-08-19T09:00', '1997-08-31T09:00'],
    ],
    [
      'first Friday',
      'FREQ=MONTHLY;COUNT=3;BYDAY=1FR',
      '1997-09-05T09:00',
      ['1997-09-05T09:00', '1997-10-03T09:00', '1997-11-07T09:00'],
    ],
    [
      'second to last Monday',
      'FREQ=MONTHLY;COUNT=3;BYDAY=-2MO',
      '1997-09-22T09:00',
      ['1997-09-22T09:00', '1997-10-20T09:00', '1997-11-17T09:00'],
    ],
    [
      'third to last day',
      'FREQ=MONTHLY;COUNT=3;BYMONTHDAY=-3',
      '1997-09-28T09:00',
      ['1997-09-28T09:00', '1997-10-29T09:00', '1997-11-28T09:00'],
    ],
    [
      'the 31st, where there is one',
      'FREQ=MONTHLY;COUNT=3',
      '1997-08-31T09:00',
      ['1997-08-31T09:00', '1997-10-31T09:00', '1997-12-31T09:00'],
    ],
    [
      'last workday',
      'FREQ=MONTHLY;COUNT=3;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
      '1997-09-30T09:00',
      ['1997-09-30T09:00', '1997-10-31T09:00', '1997-11-28T09:00'],
    ],
    [
      'third of three weekdays',
      'FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3',
      '1997-09-04T09:00',
      ['1997-09-04T09:00', '1997-10-07T09:00', '1997-11-06T09:00'],
    ],
    [
      'Friday the 13th',
      'FREQ=MONTHLY;COUNT=3;BYDAY=FR;BYMONTHDAY=13',
      '1998-02-13T09:00',
      ['1998-02-13T09:00', '1998-03-13T09:00', '1998-11-13T09:00'],
    ],
    [
      'leap day',
      'FREQ=YEARLY;COUNT=3',
      '1996-02-29T09:00',
      ['1996-02-29T09:00', '2000-02-29T09:00', '2004-02-29T09:00'],
    ],
    [
      'June and July',
      'FREQ=YEARLY;COUNT=4;BYMONTH=6,7',
      '1997-06-10T09:00',
      ['1997-06-10T09:00', '1997-07-10T09:00', '1998-06-10T09:00', '1998-07-10T09:00'],
    ],
    [
      'day 100 and day 200',
      'FREQ=YEARLY;COUNT=3;BYYEARDAY=100,200',
      '1997-04-10T09:00',
      ['1997-04-10T09:00', '1997-07-19T09:00', '1998-04-10T09:00'],
    ],
    [
      'twentieth Monday of the year',
      'FREQ=YEARLY;COUNT=3;BYDAY=20MO',
      '1997-05-19T09:00',
      ['1997-05-19T09:00', '1998-05-18T09:00', '1999-05-17T09:00'],
    ],
    [
      'Monday of week 20',
      'FREQ=YEARLY;COUNT=3;BYWEEKNO=20;BYDAY=MO',
      '1997-05-12T09:00',
      ['1997-05-12T09:00', '1998-05-11T09:00', '1999-05-17T09:00'],
    ],
    [
      'week 20 on the weekday of the start',
      'FREQ=YEARLY;COUNT=2;BYWEEKNO=20',
      '1997-05-13T09:00',
      ['1997-05-13T09:00', '1998-05-12T09:00'],
    ],
    [
      'election day',
      'FREQ=YEARLY;INTERVAL=4;COUNT=3;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
      '1996-11-05T09:00',
      ['1996-11-05T09:00', '2000-11-07T09:00', '2004-11-02T09:00'],
    ],
    [
      'last Sunday of October',
      'FREQ=YEARLY;COUNT=2;BYMONTH=10;BYDAY=-1SU',
      '1997-10-26T02:00',
      ['1997-10-26T02:00', '1998-10-25T02:00'],
    ],
    [
      'every three hours',
      'FREQ=HOURLY;INTERVAL=3;COUNT=3',
      '1997-09-02T09:00',
      ['1997-09-02T09:00', '1997-09-02T12:00', '1997-09-02T15:00'],
    ],
    [
      'every hour and a half',
      'FREQ=MINUTELY;INTERVAL=90;COUNT=3',
      '1997-09-02T09:00',
      ['1997-09-02T09:00', '1997-09-02T10:30', '1997-09-02T12:00'],
    ],
    [
      'twice a day',
      'FREQ=DAILY;COUNT=4;BYHOUR=14,9',
      '1997-09-02T09:00',
      ['1997-09-02T09:00', '1997-09-02T14:00', '1997-09-03T09:00', '1997-09-03T14:00'],
    ],
    [
      'by minutes within hours',
      'FREQ=DAILY;COUNT=4;BYHOUR=9;BYMINUTE=0,20',
      '1997-09-02T09:00',
      ['1997-09-02T09:00', '1997-09-02T09:20', '1997-09-03T09:00', '1997-09-03T09:20'],
    ],
    [
      'office hours',
      'FREQ=HOURLY;COUNT=3;BYHOUR=9,10',
      '1997-09-02T09:00',
      ['1997-09-02T09:00', '1997-09-02T10:00', '1997-09-03T09:00'],
    ],
    [
      'a start outside its own rule is the first one all the same',
      'FREQ=WEEKLY;COUNT=3;BYDAY=MO',
      '1997-09-02T09:00',
      ['1997-09-02T09:00', '1997-09-08T09:00', '1997-09-15T09:00'],
    ],
    [
      'a daily rule in some months',
      'FREQ=DAILY;COUNT=3;BYMONTH=1',
      '1998-01-30T09:00',
      ['1998-01-30T09:00', '1998-01-31T09:00', '1999-01-01T09:00'],
    ],
  ])('%s', (...[, text, start, expected]) => {
    expect(expand(text, start, [start, '2010-01-01T00:00'])).toEqual(expected);
  });

  test('a rule without an end begins where the window does', () => {
    expect(expand('FREQ=DAILY', '1970-01-01T09:00', ['2026-03-01T00:00', '2026-03-03T00:00'])).toEqual([
      '2026-03-01T09:00',
      '2026-03-02T09:00',
    ]);
  });

  test('a rule that is too long a walk is refused', () => {
    expect(() =>
      expand('FREQ=SECONDLY;COUNT=1000000000', '1970-01-01T09:00', ['2026-03-01T00:00', '2026-03-03T00:00']),
    ).toThrow(TooManyPeriodsError);
  });
});

const DAY = 86_400_000;

describe('laws', () => {
  const weekday = fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU');
  const ordinary = fc.oneof(
    fc.record({ freq: fc.constant('DAILY'), by: fc.constant('') }),
    fc.record({
      freq: fc.constant('WEEKLY'),
      by: fc
        .uniqueArray(weekday, { maxLength: 4 })
        .map((days) => (days.length === 0 ? '' : `;BYDAY=${days.join(',')}`)),
    }),
    fc.record({
      freq: fc.constant('MONTHLY'),
      by: fc.oneof(
        fc.constant(''),
        fc.integer({ min: 1, max: 31 }).map((day) => `;BYMONTHDAY=${String(day)}`),
        fc.tuple(fc.constantFrom(1, 2, 3, 4, -1), weekday).map(([nth, day]) => `;BYDAY=${String(nth)}${day}`),
      ),
    }),
    fc.record({ freq: fc.constant('YEARLY'), by: fc.constant('') }),
  );
  const days = fc.integer({ min: 0, max: 20_000 });

  /** The library's type does not say that there may be none, nor that it hands out the same object each time. */
  function nextOf(iterator: { readonly next: () => ICAL.Time | null }): ICAL.Time | undefined {
    return iterator.next()?.clone();
  }

  test('ordinary rules give what the parsing library gives, from the first instance that both agree on', () => {
    fc.assert(
      fc.property(ordinary, fc.integer({ min: 1, max: 5 }), days, ({ freq, by }, interval, day) => {
        const text = `FREQ=${freq};INTERVAL=${String(interval)}${by}`;
        // Begin on an instance of the rule: what happens to a start outside its own rule is nobody's standard.
        const iterator = ICAL.Recur.fromString(text).iterator(
          ICAL.Time.fromJSDate(new Date(day * DAY + 9 * 3_600_000), true),
        );
        const first = nextOf(iterator);
        fc.pre(first !== undefined);
        const again = ICAL.Recur.fromString(text).iterator(first);
        const wall = (time: ICAL.Time): number => time.toUnixTime() * 1000;
        const expected = Array.from({ length: 8 }, () => nextOf(again))
          .filter((time) => time !== undefined)
          .map(wall);
        // It gives up on some rules, such as every fifth month on the 31st, in the middle of a series.
        fc.pre(expected.length === 8);
        const found = expandRule(rule(text), {
          startAt: wall(first),
          fromAt: wall(first),
          toAt: (expected.at(-1) ?? 0) + 1,
          untilAt: undefined,
          budget: { daysLeft: 300_000 },
        });
        expect(found).toEqual(expected);
      }),
    );
  });

  test('a window shows what the whole would show there', () => {
    fc.assert(
      fc.property(
        ordinary,
        fc.integer({ min: 1, max: 4 }),
        fc.tuple(fc.nat(400), fc.nat(200)),
        ({ freq, by }, interval, [from, length]) => {
          const parsed = rule(`FREQ=${freq};INTERVAL=${String(interval)}${by}`);
          const common = { startAt: 0, untilAt: undefined, budget: { daysLeft: 600_000 } };
          const window = { fromAt: from * DAY, toAt: (from + length) * DAY };
          const whole = expandRule(parsed, { ...common, fromAt: 0, toAt: window.toAt });
          expect(expandRule(parsed, { ...common, ...window })).toEqual(
            whole.filter((at) => at >= window.fromAt),
          );
        },
      ),
    );
  });

  test('a COUNT gives that many, and the first ones', () => {
    fc.assert(
      fc.property(ordinary, fc.integer({ min: 1, max: 20 }), fc.nat(700), ({ freq, by }, count, day) => {
        const text = `FREQ=${freq}${by}`;
        const common = { startAt: day * DAY, fromAt: 0, toAt: 100 * 366 * DAY, untilAt: undefined };
        const counted = expandRule(rule(`${text};COUNT=${String(count)}`), {
          ...common,
          budget: { daysLeft: 2e6 },
        });
        const endless = expandRule(rule(text), { ...common, budget: { daysLeft: 2e6 } });
        expect(counted).toEqual(endless.slice(0, count));
      }),
    );
  });
});

/** The definition itself, tried on every day: a day is in the rule, or it is not (RFC 5545, table of 3.3.10). */
describe('every day looked at on its own gives the same', () => {
  interface DayRule {
    readonly freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
    readonly interval: number;
    readonly weekdays: readonly string[];
    readonly monthDays: readonly number[];
    readonly months: readonly number[];
    readonly hours: readonly number[];
    readonly weekStart: string;
  }

  const NAMES = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

  const dayRules: fc.Arbitrary<DayRule> = fc.record({
    freq: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
    interval: fc.integer({ min: 1, max: 4 }),
    weekdays: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 }),
    monthDays: fc.uniqueArray(fc.constantFrom(1, 2, 13, 28, 29, 30, 31, -1, -2), { maxLength: 3 }),
    months: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
    hours: fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { maxLength: 2 }),
    weekStart: fc.constantFrom(...NAMES),
  });

  function write(own: DayRule): string {
    const list = (name: string, values: readonly (string | number)[]): string =>
      values.length === 0 ? '' : `;${name}=${values.join(',')}`;
    return (
      `FREQ=${own.freq};INTERVAL=${String(own.interval)};WKST=${own.weekStart}` +
      list('BYDAY', own.weekdays) +
      list('BYMONTHDAY', own.monthDays) +
      list('BYMONTH', own.months) +
      list('BYHOUR', own.hours)
    );
  }

  /** How many whole periods lie between the one of the start and the one of a day. */
  function periodsBetween(own: DayRule, start: Date, day: Date): number {
    const weekOf = (date: Date): number =>
      Math.floor((date.getTime() / DAY - NAMES.indexOf(own.weekStart) - 3) / 7);
    const years = day.getUTCFullYear() - start.getUTCFullYear();
    return {
      DAILY: (day.getTime() - start.getTime()) / DAY,
      WEEKLY: weekOf(day) - weekOf(start),
      MONTHLY: 12 * years + day.getUTCMonth() - start.getUTCMonth(),
      YEARLY: years,
    }[own.freq];
  }

  /** What a rule leaves open, it takes from its start. */
  function filled(own: DayRule, start: Date): DayRule {
    const isBare = own.weekdays.length === 0 && own.monthDays.length === 0;
    const isDated = isBare && ['MONTHLY', 'YEARLY'].includes(own.freq);
    const isMonthOpen = isBare && own.freq === 'YEARLY' && own.months.length === 0;
    const isWeekdayOpen = own.freq === 'WEEKLY' && own.weekdays.length === 0;
    return {
      ...own,
      monthDays: isDated ? [start.getUTCDate()] : own.monthDays,
      months: isMonthOpen ? [start.getUTCMonth() + 1] : own.months,
      weekdays: isWeekdayOpen ? NAMES.slice(start.getUTCDay(), start.getUTCDay() + 1) : own.weekdays,
      hours: own.hours.length === 0 ? [9] : own.hours.toSorted((left, right) => left - right),
    };
  }

  function allows<T>(list: readonly T[], ...values: readonly T[]): boolean {
    return list.length === 0 || values.some((value) => list.includes(value));
  }

  function isIn(own: DayRule, start: Date, day: Date): boolean {
    const length = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
    const date = day.getUTCDate();
    return (
      periodsBetween(own, start, day) % own.interval === 0 &&
      allows(own.weekdays, ...NAMES.slice(day.getUTCDay(), day.getUTCDay() + 1)) &&
      allows(own.monthDays, date, date - length - 1) &&
      allows(own.months, day.getUTCMonth() + 1)
    );
  }

  test('daily, weekly, monthly and yearly rules, with lists of every kind, from any start', () => {
    fc.assert(
      fc.property(dayRules, fc.integer({ min: 18_262, max: 21_000 }), (written, first) => {
        const start = new Date(first * DAY);
        const startAt = first * DAY + 9 * 3_600_000;
        const own = filled(written, start);
        const days = Array.from({ length: 1_500 }, (_, index) => new Date((first + index) * DAY));
        const inside = days.filter((day) => isIn(own, start, day));
        const expected = inside.flatMap((day) => own.hours.map((hour) => day.getTime() + hour * 3_600_000));
        const found = expandRule(rule(write(written)), {
          startAt,
          fromAt: startAt,
          toAt: (first + 1_500) * DAY,
          untilAt: undefined,
          budget: { daysLeft: 100_000 },
        });
        expect(found).toEqual([startAt, ...expected.filter((at) => at > startAt)]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('what the parsing library makes of a rule is not taken over', () => {
  test.each([
    [
      'FREQ=MONTHLY;BYMONTH=8',
      '2024-04-13T09:00',
      ['2024-04-13T09:00', '2024-08-13T09:00', '2025-08-13T09:00'],
    ],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', '2024-03-01T09:00', ['2024-03-01T09:00']],
    [
      'FREQ=DAILY;INTERVAL=4;BYDAY=MO;BYMONTHDAY=-1',
      '2024-02-01T09:00',
      ['2024-02-01T09:00', '2025-03-31T09:00'],
    ],
    [
      'FREQ=WEEKLY;BYHOUR=20,13',
      '2024-02-01T09:00',
      ['2024-02-01T09:00', '2024-02-01T13:00', '2024-02-01T20:00'],
    ],
  ])('%s', (text, start, expected) => {
    expect(expand(text, start, ['2024-01-01T00:00', '2025-12-31T00:00']).slice(0, 3)).toEqual(expected);
  });
});
