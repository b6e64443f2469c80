import { describe, expect, test } from 'vitest';
import { inCalendar, readIcs, summarise, type IcsQuery } from './ics-file.ts';

type Row = readonly [name: string, inside: string, expected: readonly string[], query?: IcsQuery];

/** One VEVENT. */
function event(lines: string): string {
  return `BEGIN:VEVENT\n${lines.trim()}\nEND:VEVENT`;
}

const EU_RULES = `BEGIN:VTIMEZONE
TZID:Our Office
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
`;

function at(start: string, more = 'DURATION:PT1H'): string {
  return event(`UID:1\nDTSTART${start}\n${more}`);
}

const ZONES: readonly Row[] = [
  ['UTC', at(':20260701T090000Z'), ['2026-07-01T09:00 2026-07-01T10:00']],
  ['an Olson name', at(';TZID=Europe/Berlin:20260701T090000'), ['2026-07-01T07:00 2026-07-01T08:00']],
  [
    'an Olson name in lower case',
    at(';TZID=europe/berlin:20260701T090000'),
    ['2026-07-01T07:00 2026-07-01T08:00'],
  ],
  [
    'an Olson name with a space',
    at(';TZID=America/New York:20260701T090000'),
    ['2026-07-01T13:00 2026-07-01T14:00'],
  ],
  [
    'an Olson name behind a path',
    at(';TZID=/mozilla.org/20070129_1/Europe/Berlin:20260701T090000'),
    ['2026-07-01T07:00 2026-07-01T08:00'],
  ],
  [
    'an Olson name of three parts behind a path',
    at(';TZID=/citadel.org/x/America/Argentina/Salta:20260701T090000'),
    ['2026-07-01T12:00 2026-07-01T13:00'],
  ],
  [
    'a Windows name',
    at(';TZID=W. Europe Standard Time:20260701T090000'),
    ['2026-07-01T07:00 2026-07-01T08:00'],
  ],
  [
    'a Windows name in quotes',
    at(';TZID="Eastern Standard Time":20260701T090000'),
    ['2026-07-01T13:00 2026-07-01T14:00'],
  ],
  [
    'a name that Windows shows',
    at(';TZID="(UTC-05:00) Eastern Time (US & Canada)":20260701T090000'),
    ['2026-07-01T13:00 2026-07-01T14:00'],
  ],
  [
    'a name that older Windows shows',
    at(';TZID="(GMT+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna":20260701T090000'),
    ['2026-07-01T07:00 2026-07-01T08:00'],
  ],
  [
    'a name that Windows shows, without the offset',
    at(';TZID=Pacific Time (US & Canada):20260701T090000'),
    ['2026-07-01T16:00 2026-07-01T17:00'],
  ],
  [
    'the way that Outlook on the web writes UTC',
    at(';TZID=tzone://Microsoft/Utc:20260701T090000'),
    ['2026-07-01T09:00 2026-07-01T10:00'],
  ],
  [
    'a definition in the file, summer',
    EU_RULES + at(';TZID=Our Office:20260701T090000'),
    ['2026-07-01T07:00 2026-07-01T08:00'],
  ],
  [
    'a definition in the file, winter',
    EU_RULES + at(';TZID=Our Office:20260115T090000'),
    ['2026-01-15T08:00 2026-01-15T09:00'],
  ],
  [
    'a definition in the file, the hour before the change',
    EU_RULES + at(';TZID=Our Office:20260329T013000'),
    ['2026-03-29T00:30 2026-03-29T01:30'],
  ],
  [
    'a definition in the file, the hour after the change',
    EU_RULES + at(';TZID=Our Office:20260329T030000'),
    ['2026-03-29T01:00 2026-03-29T02:00'],
  ],
  [
    'a definition below the event that uses it',
    at(';TZID=Our Office:20260701T090000') + '\n' + EU_RULES,
    ['2026-07-01T07:00 2026-07-01T08:00'],
  ],
  [
    'a definition with dates instead of a rule',
    `BEGIN:VTIMEZONE\nTZID:Odd\nBEGIN:STANDARD\nDTSTART:20250101T000000\nTZOFFSETFROM:+0000\nTZOFFSETTO:+0000\nEND:STANDARD\nBEGIN:DAYLIGHT\nDTSTART:20260601T000000\nRDATE:20260601T000000\nTZOFFSETFROM:+0000\nTZOFFSETTO:+0300\nEND:DAYLIGHT\nEND:VTIMEZONE\n` +
      at(';TZID=Odd:20260701T090000'),
    ['2026-07-01T06:00 2026-07-01T07:00'],
  ],
  [
    'a definition without daylight',
    `BEGIN:VTIMEZONE\nTZID:Fixed\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0545\nTZOFFSETTO:+0545\nEND:STANDARD\nEND:VTIMEZONE\n` +
      at(';TZID=Fixed:20260701T090000'),
    ['2026-07-01T03:15 2026-07-01T04:15'],
  ],
  [
    'a definition that nobody can follow falls back on its name',
    `BEGIN:VTIMEZONE\nTZID:Europe/Berlin\nBEGIN:STANDARD\nDTSTART:nonsense\nEND:STANDARD\nEND:VTIMEZONE\n` +
      at(';TZID=Europe/Berlin:20260701T090000'),
    ['2026-07-01T07:00 2026-07-01T08:00'],
  ],
  [
    'a definition whose clocks change every second is not followed',
    `BEGIN:VTIMEZONE\nTZID:Europe/Berlin\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0000\nTZOFFSETTO:+0900\nRRULE:FREQ=SECONDLY\nEND:STANDARD\nEND:VTIMEZONE\n` +
      at(';TZID=Europe/Berlin:20260701T090000'),
    ['2026-07-01T07:00 2026-07-01T08:00'],
  ],
  [
    'an offset in an unknown name, with a warning',
    at(';TZID="(UTC-05:00) Middle of Nowhere":20260701T090000'),
    ['2026-07-01T14:00 2026-07-01T15:00', '! unknown-zone'],
  ],
  [
    'an unknown name, with a warning',
    at(';TZID=Middle of Nowhere:20260701T090000'),
    ['2026-07-01T09:00 2026-07-01T10:00', '! unknown-zone'],
  ],
  [
    'an unknown name under a calendar zone',
    'X-WR-TIMEZONE:America/Los_Angeles\n' + at(';TZID=Nowhere:20260701T090000'),
    ['2026-07-01T16:00 2026-07-01T17:00', '! unknown-zone'],
  ],
  ['floating, nothing said', at(':20260303T140000'), ['2026-03-03T14:00 2026-03-03T15:00']],
  [
    'floating under a calendar zone',
    'X-WR-TIMEZONE:America/Los_Angeles\n' + at(':20260303T140000'),
    ['2026-03-03T22:00 2026-03-03T23:00'],
  ],
  [
    'floating under a Windows calendar zone',
    'X-WR-TIMEZONE:Pacific Standard Time\n' + at(':20260303T140000'),
    ['2026-03-03T22:00 2026-03-03T23:00'],
  ],
  [
    'floating, the config has the last word',
    'X-WR-TIMEZONE:America/Los_Angeles\n' + at(':20260303T140000'),
    ['2026-03-03T13:00 2026-03-03T14:00'],
    { timeZone: 'Europe/Paris' },
  ],
  [
    'floating under a calendar zone that nobody knows, with a warning',
    'X-WR-TIMEZONE:Mars/Olympus\n' + at(':20260303T140000'),
    ['2026-03-03T14:00 2026-03-03T15:00', '! unknown-zone'],
  ],
  [
    'floating under a calendar zone that is empty',
    'X-WR-TIMEZONE:\n' + at(':20260303T140000'),
    ['2026-03-03T14:00 2026-03-03T15:00'],
  ],
  ['a whole day, nothing said', at(';VALUE=DATE:20260505', ''), ['2026-05-05T00:00 2026-05-06T00:00']],
  [
    'a whole day under a calendar zone',
    'X-WR-TIMEZONE:America/Los_Angeles\n' + at(';VALUE=DATE:20260505', ''),
    ['2026-05-05T07:00 2026-05-06T07:00'],
  ],
  [
    'a whole day of 23 hours',
    at(';VALUE=DATE:20260308', ''),
    ['2026-03-08T08:00 2026-03-09T07:00'],
    { timeZone: 'America/Los_Angeles' },
  ],
  [
    'a whole day of 25 hours',
    at(';VALUE=DATE:20261101', ''),
    ['2026-11-01T07:00 2026-11-02T08:00'],
    { timeZone: 'America/Los_Angeles' },
  ],
  [
    'a whole day of 24.5 hours',
    at(';VALUE=DATE:20260405', ''),
    ['2026-04-04T13:00 2026-04-05T13:30'],
    { timeZone: 'Australia/Lord_Howe' },
  ],
  [
    'a day whose midnight does not exist',
    at(';VALUE=DATE:20181104', ''),
    ['2018-11-04T03:00 2018-11-05T02:00'],
    { timeZone: 'America/Sao_Paulo', from: '2018-01-01T00:00Z', to: '2019-01-01T00:00Z' },
  ],
  [
    'a time that spring skips',
    at(';TZID=Europe/Berlin:20260329T023000'),
    ['2026-03-29T01:30 2026-03-29T02:30'],
  ],
  [
    'a time that autumn has twice is the first',
    at(';TZID=Europe/Berlin:20261025T023000'),
    ['2026-10-25T00:30 2026-10-25T01:30'],
  ],
  [
    'a zone parameter on a UTC time',
    at(';TZID=Europe/Berlin:20260701T090000Z'),
    ['2026-07-01T09:00 2026-07-01T10:00'],
  ],
];

const LENGTHS: readonly Row[] = [
  ['a duration of minutes', at(':20260215T090000Z', 'DURATION:PT15M'), ['2026-02-15T09:00 2026-02-15T09:15']],
  ['a duration of weeks', at(':20260215T090000Z', 'DURATION:P1W'), ['2026-02-15T09:00 2026-02-22T09:00']],
  [
    'a duration of a day across a change of clocks',
    at(';TZID=Europe/Berlin:20260328T120000', 'DURATION:P1D'),
    ['2026-03-28T11:00 2026-03-29T10:00'],
  ],
  [
    'a duration of 24 hours across it',
    at(';TZID=Europe/Berlin:20260328T120000', 'DURATION:PT24H'),
    ['2026-03-28T11:00 2026-03-29T11:00'],
  ],
  ['a mixed duration', at(':20260215T090000Z', 'DURATION:P1DT2H30M'), ['2026-02-15T09:00 2026-02-16T11:30']],
  ['a date alone', at(';VALUE=DATE:20260215', ''), ['2026-02-15T00:00 2026-02-16T00:00']],
  ['a date that does not say so', at(':20260215', ''), ['2026-02-15T00:00 2026-02-16T00:00']],
  [
    'a date that ends on itself',
    at(';VALUE=DATE:20260215', 'DTEND;VALUE=DATE:20260215'),
    ['2026-02-15T00:00 2026-02-16T00:00'],
  ],
  [
    'three days',
    at(';VALUE=DATE:20260215', 'DTEND;VALUE=DATE:20260218'),
    ['2026-02-15T00:00 2026-02-18T00:00'],
  ],
  [
    'a date with a duration',
    at(';VALUE=DATE:20260215', 'DURATION:P2D'),
    ['2026-02-15T00:00 2026-02-17T00:00'],
  ],
  [
    'an end in another zone',
    at(';TZID=Europe/Berlin:20260701T090000', 'DTEND;TZID=America/New_York:20260701T090000'),
    ['2026-07-01T07:00 2026-07-01T13:00'],
  ],
  [
    'an end in UTC',
    at(';TZID=Europe/Berlin:20260701T090000', 'DTEND:20260701T080000Z'),
    ['2026-07-01T07:00 2026-07-01T08:00'],
  ],
  ['over midnight', at(':20260215T220000Z', 'DTEND:20260216T060000Z'), ['2026-02-15T22:00 2026-02-16T06:00']],
  [
    'a time alone is never active',
    at(':20260215T090000Z', ''),
    ['2026-02-15T09:00 2026-02-15T09:00', '! no-duration'],
  ],
  [
    'an end that is the start',
    at(':20260215T090000Z', 'DTEND:20260215T090000Z'),
    ['2026-02-15T09:00 2026-02-15T09:00', '! no-duration'],
  ],
  [
    'an end before the start',
    at(':20260215T090000Z', 'DTEND:20260215T080000Z'),
    ['2026-02-15T09:00 2026-02-15T09:00', '! no-duration'],
  ],
  [
    'a negative duration',
    at(':20260215T090000Z', 'DURATION:-PT1H'),
    ['2026-02-15T09:00 2026-02-15T09:00', '! no-duration'],
  ],
  ['a time in lower case', at(':20260215t090000z', 'DURATION:pt1h'), ['2026-02-15T09:00 2026-02-15T10:00']],
  ['a time without seconds', at(':20260215T0900', 'DURATION:PT1H'), ['2026-02-15T09:00 2026-02-15T10:00']],
];

const WEEKLY =
  'UID:s\nDTSTART;TZID=Europe/Paris:20260902T090000\nDTEND;TZID=Europe/Paris:20260902T100000\nRRULE:FREQ=WEEKLY;COUNT=4\nDESCRIPTION:base: 2';
const WEEK_1 = '2026-09-02T07:00 2026-09-02T08:00 base: 2';
const WEEK_2 = '2026-09-09T07:00 2026-09-09T08:00 base: 2';
const WEEK_3 = '2026-09-16T07:00 2026-09-16T08:00 base: 2';
const WEEK_4 = '2026-09-23T07:00 2026-09-23T08:00 base: 2';

function weekly(more: string): string {
  return event(`${WEEKLY}\n${more}`);
}

function withOverride(lines: string): string {
  return `${event(WEEKLY)}\n${event(`UID:s\n${lines}`)}`;
}

const SERIES: readonly Row[] = [
  ['four weeks', event(WEEKLY), [WEEK_1, WEEK_2, WEEK_3, WEEK_4]],
  [
    'one moved and one cancelled',
    [
      event(WEEKLY),
      event(
        'UID:s\nRECURRENCE-ID;TZID=Europe/Paris:20260916T090000\nDTSTART;TZID=Europe/Paris:20260915T140000\nDTEND;TZID=Europe/Paris:20260915T173000\nDESCRIPTION:base: 5',
      ),
      event(
        'UID:s\nRECURRENCE-ID;TZID=Europe/Paris:20260923T090000\nDTSTART;TZID=Europe/Paris:20260923T090000\nDTEND;TZID=Europe/Paris:20260923T100000\nSTATUS:CANCELLED',
      ),
    ].join('\n'),
    [WEEK_1, WEEK_2, '2026-09-15T12:00 2026-09-15T15:30 base: 5'],
  ],
  [
    'an override above its series',
    `${event('UID:s\nRECURRENCE-ID;TZID=Europe/Paris:20260916T090000\nDTSTART;TZID=Europe/Paris:20260916T100000\nDURATION:PT1H')}\n${event(WEEKLY)}`,
    [WEEK_1, WEEK_2, '2026-09-16T08:00 2026-09-16T09:00', WEEK_4],
  ],
  [
    'an override named in UTC',
    withOverride('RECURRENCE-ID:20260916T070000Z\nDTSTART:20260916T080000Z\nDURATION:PT1H'),
    [WEEK_1, WEEK_2, '2026-09-16T08:00 2026-09-16T09:00', WEEK_4],
  ],
  [
    'an override named in another zone',
    withOverride(
      'RECURRENCE-ID;TZID=America/New_York:20260916T030000\nDTSTART:20260916T080000Z\nDURATION:PT1H',
    ),
    [WEEK_1, WEEK_2, '2026-09-16T08:00 2026-09-16T09:00', WEEK_4],
  ],
  [
    'an override named without a zone',
    withOverride('RECURRENCE-ID:20260916T090000\nDTSTART:20260916T080000Z\nDURATION:PT1H'),
    [WEEK_1, WEEK_2, '2026-09-16T08:00 2026-09-16T09:00', WEEK_4],
  ],
  [
    'an override named by its day',
    withOverride('RECURRENCE-ID;VALUE=DATE:20260916\nDTSTART:20260916T080000Z\nDURATION:PT1H'),
    [WEEK_1, WEEK_2, '2026-09-16T08:00 2026-09-16T09:00', WEEK_4],
  ],
  [
    'an override moved out of the window',
    withOverride('RECURRENCE-ID;TZID=Europe/Paris:20260916T090000\nDTSTART:20271016T080000Z\nDURATION:PT1H'),
    [WEEK_1, WEEK_2, WEEK_4],
  ],
  [
    'an override moved into the window',
    withOverride('RECURRENCE-ID;TZID=Europe/Paris:20260902T090000\nDTSTART:20260920T080000Z\nDURATION:PT1H'),
    [WEEK_3, '2026-09-20T08:00 2026-09-20T09:00', WEEK_4],
    { from: '2026-09-15T00:00Z' },
  ],
  [
    'an override of an instance that is none still counts',
    withOverride('RECURRENCE-ID;TZID=Europe/Paris:20260917T090000\nDTSTART:20260917T080000Z\nDURATION:PT1H'),
    [WEEK_1, WEEK_2, WEEK_3, '2026-09-17T08:00 2026-09-17T09:00', WEEK_4],
  ],
  [
    'an override without its series',
    event('UID:s\nRECURRENCE-ID:20260916T070000Z\nDTSTART:20260916T080000Z\nDURATION:PT1H'),
    ['2026-09-16T08:00 2026-09-16T09:00'],
  ],
  [
    'this and all later ones moved',
    withOverride(
      'RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Paris:20260916T090000\nDTSTART;TZID=Europe/Paris:20260916T110000\nDURATION:PT2H\nDESCRIPTION:base: 7',
    ),
    [
      WEEK_1,
      WEEK_2,
      '2026-09-16T09:00 2026-09-16T11:00 base: 7',
      '2026-09-23T09:00 2026-09-23T11:00 base: 7',
    ],
  ],
  [
    'this and all later ones moved, the first of them named in UTC',
    withOverride(
      'RECURRENCE-ID;RANGE=THISANDFUTURE:20260916T070000Z\nDTSTART;TZID=Europe/Paris:20260916T110000\nDURATION:PT1H',
    ),
    [WEEK_1, WEEK_2, '2026-09-16T09:00 2026-09-16T10:00', '2026-09-23T09:00 2026-09-23T10:00'],
  ],
  [
    'this and all later ones moved into another zone',
    withOverride(
      'RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=America/New_York:20260916T030000\nDTSTART;TZID=America/New_York:20260916T060000\nDURATION:PT1H',
    ),
    [WEEK_1, WEEK_2, '2026-09-16T10:00 2026-09-16T11:00', '2026-09-23T10:00 2026-09-23T11:00'],
  ],
  [
    'this and all later ones moved into another zone, over a day on which only one of the two changes clocks',
    `${event('UID:s\nDTSTART;TZID=Europe/Paris:20261013T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=3')}\n${event(
      'UID:s\nRECURRENCE-ID;RANGE=THISANDFUTURE:20261020T070000Z\nDTSTART;TZID=America/New_York:20261020T060000\nDURATION:PT1H',
    )}`,
    [
      '2026-10-13T07:00 2026-10-13T08:00',
      '2026-10-20T10:00 2026-10-20T11:00',
      '2026-10-27T10:00 2026-10-27T11:00',
    ],
  ],
  [
    'whole days, this and all later ones made two days long',
    `${event('UID:s\nDTSTART;VALUE=DATE:20260901\nRRULE:FREQ=WEEKLY;COUNT=3')}\n${event(
      'UID:s\nRECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20260908\nDTSTART;VALUE=DATE:20260909\nDTEND;VALUE=DATE:20260911',
    )}`,
    [
      '2026-09-01T00:00 2026-09-02T00:00',
      '2026-09-09T00:00 2026-09-11T00:00',
      '2026-09-16T00:00 2026-09-18T00:00',
    ],
  ],
  [
    'this and all later ones cancelled',
    withOverride(
      'RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Paris:20260916T090000\nDTSTART;TZID=Europe/Paris:20260916T090000\nDURATION:PT1H\nSTATUS:CANCELLED',
    ),
    [WEEK_1, WEEK_2],
  ],
  [
    'a newer version of an override wins',
    `${withOverride('SEQUENCE:1\nRECURRENCE-ID:20260916T070000Z\nDTSTART:20260916T080000Z\nDURATION:PT1H')}\n${event('UID:s\nSEQUENCE:2\nRECURRENCE-ID:20260916T070000Z\nDTSTART:20260916T100000Z\nDURATION:PT1H')}`,
    [WEEK_1, WEEK_2, '2026-09-16T10:00 2026-09-16T11:00', WEEK_4],
  ],
  ['the whole series cancelled', weekly('STATUS:CANCELLED'), []],
  ['an exception', weekly('EXDATE;TZID=Europe/Paris:20260909T090000'), [WEEK_1, WEEK_3, WEEK_4]],
  [
    'exceptions in one list',
    weekly('EXDATE;TZID=Europe/Paris:20260909T090000,20260916T090000'),
    [WEEK_1, WEEK_4],
  ],
  [
    'exceptions on two lines',
    weekly('EXDATE;TZID=Europe/Paris:20260909T090000\nEXDATE;TZID=Europe/Paris:20260916T090000'),
    [WEEK_1, WEEK_4],
  ],
  ['an exception in UTC', weekly('EXDATE:20260909T070000Z'), [WEEK_1, WEEK_3, WEEK_4]],
  [
    'an exception in another zone',
    weekly('EXDATE;TZID=America/New_York:20260909T030000'),
    [WEEK_1, WEEK_3, WEEK_4],
  ],
  ['an exception without a zone', weekly('EXDATE:20260909T090000'), [WEEK_1, WEEK_3, WEEK_4]],
  ['an exception that is a day', weekly('EXDATE;VALUE=DATE:20260909'), [WEEK_1, WEEK_3, WEEK_4]],
  [
    'an exception at another hour excludes nothing',
    weekly('EXDATE;TZID=Europe/Paris:20260909T100000'),
    [WEEK_1, WEEK_2, WEEK_3, WEEK_4],
  ],
  ['the first one excepted', weekly('EXDATE;TZID=Europe/Paris:20260902T090000'), [WEEK_2, WEEK_3, WEEK_4]],
  [
    'an extra date',
    weekly('RDATE;TZID=Europe/Paris:20260904T140000'),
    [WEEK_1, '2026-09-04T12:00 2026-09-04T13:00 base: 2', WEEK_2, WEEK_3, WEEK_4],
  ],
  [
    'an extra date in UTC',
    weekly('RDATE:20260904T120000Z'),
    [WEEK_1, '2026-09-04T12:00 2026-09-04T13:00 base: 2', WEEK_2, WEEK_3, WEEK_4],
  ],
  [
    'an extra period',
    weekly('RDATE;VALUE=PERIOD:20260904T120000Z/20260904T150000Z'),
    [WEEK_1, '2026-09-04T12:00 2026-09-04T15:00 base: 2', WEEK_2, WEEK_3, WEEK_4],
  ],
  [
    'an extra period with a duration',
    weekly('RDATE;VALUE=PERIOD:20260904T120000Z/PT30M'),
    [WEEK_1, '2026-09-04T12:00 2026-09-04T12:30 base: 2', WEEK_2, WEEK_3, WEEK_4],
  ],
  [
    'an extra date excepted again',
    weekly('RDATE;TZID=Europe/Paris:20260904T140000\nEXDATE;TZID=Europe/Paris:20260904T140000'),
    [WEEK_1, WEEK_2, WEEK_3, WEEK_4],
  ],
  [
    'extra dates without a rule',
    event('UID:1\nDTSTART:20260902T090000Z\nDURATION:PT1H\nRDATE:20260904T090000Z,20260906T090000Z'),
    [
      '2026-09-02T09:00 2026-09-02T10:00',
      '2026-09-04T09:00 2026-09-04T10:00',
      '2026-09-06T09:00 2026-09-06T10:00',
    ],
  ],
  [
    'until in UTC, at the last start',
    event(
      'UID:1\nDTSTART;TZID=Europe/Paris:20260902T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;UNTIL=20260909T070000Z',
    ),
    ['2026-09-02T07:00 2026-09-02T08:00', '2026-09-09T07:00 2026-09-09T08:00'],
  ],
  [
    'until in UTC, a second before it',
    event(
      'UID:1\nDTSTART;TZID=Europe/Paris:20260902T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;UNTIL=20260909T065959Z',
    ),
    ['2026-09-02T07:00 2026-09-02T08:00'],
  ],
  [
    'until a day includes that day',
    event(
      'UID:1\nDTSTART;TZID=Europe/Paris:20260902T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;UNTIL=20260909',
    ),
    ['2026-09-02T07:00 2026-09-02T08:00', '2026-09-09T07:00 2026-09-09T08:00'],
  ],
  [
    'whole days every week',
    event('UID:1\nDTSTART;VALUE=DATE:20260902\nRRULE:FREQ=WEEKLY;COUNT=2'),
    ['2026-09-01T22:00 2026-09-02T22:00', '2026-09-08T22:00 2026-09-09T22:00'],
    { timeZone: 'Europe/Paris' },
  ],
  [
    'whole days with an exception at midnight',
    event('UID:1\nDTSTART;VALUE=DATE:20260902\nRRULE:FREQ=DAILY;COUNT=3\nEXDATE:20260903T000000'),
    ['2026-09-02T00:00 2026-09-03T00:00', '2026-09-04T00:00 2026-09-05T00:00'],
  ],
  [
    'across spring in Los Angeles',
    event(
      'UID:1\nDTSTART;TZID=America/Los_Angeles:20260302T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=2',
    ),
    ['2026-03-02T17:00 2026-03-02T18:00', '2026-03-09T16:00 2026-03-09T17:00'],
  ],
  [
    'across autumn in Los Angeles',
    event(
      'UID:1\nDTSTART;TZID=America/Los_Angeles:20261026T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=2',
    ),
    ['2026-10-26T16:00 2026-10-26T17:00', '2026-11-02T17:00 2026-11-02T18:00'],
  ],
  [
    'across spring in Berlin',
    event('UID:1\nDTSTART;TZID=Europe/Berlin:20260323T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=2'),
    ['2026-03-23T08:00 2026-03-23T09:00', '2026-03-30T07:00 2026-03-30T08:00'],
  ],
  [
    'across autumn in Berlin, with an exception',
    event(
      'UID:1\nDTSTART;TZID=Europe/Berlin:20261019T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=3\nEXDATE;TZID=Europe/Berlin:20261026T090000',
    ),
    ['2026-10-19T07:00 2026-10-19T08:00', '2026-11-02T08:00 2026-11-02T09:00'],
  ],
  [
    'across autumn on Lord Howe Island, half an hour',
    event(
      'UID:1\nDTSTART;TZID=Australia/Lord_Howe:20260330T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=2',
    ),
    ['2026-03-29T22:00 2026-03-29T23:00', '2026-04-05T22:30 2026-04-05T23:30'],
  ],
  [
    'across spring on Lord Howe Island',
    event(
      'UID:1\nDTSTART;TZID=Australia/Lord_Howe:20260928T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=2',
    ),
    ['2026-09-27T22:30 2026-09-27T23:30', '2026-10-04T22:00 2026-10-04T23:00'],
  ],
  [
    'Sao Paulo while it had summer time',
    event('UID:1\nDTSTART;TZID=America/Sao_Paulo:20181029T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=2'),
    ['2018-10-29T12:00 2018-10-29T13:00', '2018-11-05T11:00 2018-11-05T12:00'],
    { from: '2018-01-01T00:00Z', to: '2019-01-01T00:00Z' },
  ],
  [
    'Sao Paulo since it has none',
    event('UID:1\nDTSTART;TZID=America/Sao_Paulo:20261029T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=2'),
    ['2026-10-29T12:00 2026-10-29T13:00', '2026-11-05T12:00 2026-11-05T13:00'],
  ],
  [
    'a night across the change of clocks ends by the clock',
    event(
      'UID:1\nDTSTART;TZID=Europe/Berlin:20260328T220000\nDTEND;TZID=Europe/Berlin:20260329T060000\nRRULE:FREQ=DAILY;COUNT=2',
    ),
    ['2026-03-28T21:00 2026-03-29T04:00', '2026-03-29T20:00 2026-03-30T04:00'],
  ],
  [
    'a rule that began in 1970',
    event('UID:1\nDTSTART:19700101T090000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY'),
    ['2026-09-02T09:00 2026-09-02T10:00'],
    { from: '2026-09-02T00:00Z', to: '2026-09-03T00:00Z' },
  ],
  [
    'a long instance of a rule that began before the window',
    event('UID:1\nDTSTART:20260101T000000Z\nDURATION:P20D\nRRULE:FREQ=MONTHLY'),
    ['2026-09-01T00:00 2026-09-21T00:00'],
    { from: '2026-09-15T00:00Z', to: '2026-09-16T00:00Z' },
  ],
  [
    'a rule that can never come true',
    event('UID:1\nDTSTART:20260101T090000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'),
    ['2026-01-01T09:00 2026-01-01T10:00'],
  ],
  [
    'an hourly rule of an hour that never comes',
    event('UID:1\nDTSTART:20260101T090000Z\nDURATION:PT1H\nRRULE:FREQ=HOURLY;INTERVAL=24;BYHOUR=5'),
    ['2026-01-01T09:00 2026-01-01T10:00'],
  ],
  [
    'a rule of every second for a hundred years',
    event('UID:1\nDTSTART:19260101T090000Z\nDURATION:PT1S\nRRULE:FREQ=SECONDLY;COUNT=2000000000'),
    ['! unreadable-event'],
  ],
];

const TEXTS: readonly Row[] = [
  [
    'folded',
    event('UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nDESCRIPTION:base: 3\\nworks\n hop: 1'),
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3|workshop: 1'],
  ],
  [
    'folded with a tab',
    event('UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nDESCRIPTION:base: 3\\nworks\n\thop: 1'),
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3|workshop: 1'],
  ],
  [
    'escaped',
    event(
      'UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nDESCRIPTION:base: 3\\, please\\; thanks\\\\\\Nworkshop: 1',
    ),
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3, please; thanks\\|workshop: 1'],
  ],
  [
    'a colon escaped against the standard',
    event('UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nDESCRIPTION:base\\: 3'),
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3'],
  ],
  [
    'with a language',
    event('UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nDESCRIPTION;LANGUAGE=de-AT:base: 3'),
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3'],
  ],
  [
    'in two languages',
    event(
      'UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nDESCRIPTION;LANGUAGE=de:Guten Tag\nDESCRIPTION;LANGUAGE=en:base: 3',
    ),
    ['2026-02-15T09:00 2026-02-15T10:00 Guten Tag|base: 3'],
  ],
  [
    'with an alternative beside it',
    event(
      'UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nDESCRIPTION;ALTREP="data:text/html,base%3A%209":base: 3',
    ),
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3'],
  ],
  [
    'with nothing but an alternative',
    event(
      'UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nDESCRIPTION;ALTREP="data:text/html,%3Cp%3Ebase%3A%203%3C/p%3E":',
    ),
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3'],
  ],
  [
    'with nothing but an alternative in base64',
    event(
      `UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nDESCRIPTION;ALTREP="data:text/html;base64,${Buffer.from('<p>base: 3</p>').toString('base64')}":`,
    ),
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3'],
  ],
  [
    'with an unreadable alternative',
    event('UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nDESCRIPTION;ALTREP="data:text/html,%E0%A4%A":'),
    ['2026-02-15T09:00 2026-02-15T10:00'],
  ],
  [
    'with the HTML of Outlook alone',
    event(
      'UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nX-ALT-DESC;FMTTYPE=text/html:<html><body><p>base: 3</p>\\n<p>workshop: 1\\, ok</p></body></html>',
    ),
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3|workshop: 1, ok'],
  ],
  [
    'with the HTML of Outlook beside plain text',
    event(
      'UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nDESCRIPTION:base: 3\nX-ALT-DESC;FMTTYPE=text/html:<p>base: 9</p>',
    ),
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3'],
  ],
  [
    'with a styled description alone',
    event(
      'UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nSTYLED-DESCRIPTION;VALUE=TEXT;FMTTYPE=text/html:<p>base: 3</p>',
    ),
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3'],
  ],
  [
    'HTML as Google exports it',
    event('UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nDESCRIPTION:<b>base</b>: 3<br>workshop:&nbsp\\;1'),
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3|workshop:\u00A01'],
  ],
  [
    'a bare newline inside',
    event(
      'UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nDESCRIPTION:base: 3\nworkshop: 1\nSTATUS:CONFIRMED',
    ),
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3|workshop: 1'],
  ],
  [
    'a bare empty line inside',
    event('UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nDESCRIPTION:base: 3\n\nworkshop: 1'),
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3||workshop: 1'],
  ],
  [
    'an alarm with a description of its own',
    event(
      'UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nDESCRIPTION:base: 3\nBEGIN:VALARM\nACTION:DISPLAY\nDESCRIPTION:base: 9\nTRIGGER:-PT10M\nEND:VALARM',
    ),
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3'],
  ],
  [
    'property names in lower case',
    'begin:vevent\nuid:1\ndtstart:20260215T090000Z\nduration:PT1H\ndescription:base: 3\nend:vevent',
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3'],
  ],
  [
    'attendees by the hundred',
    event(
      `UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\n${'ATTENDEE;CN="A: B":mailto:a@example.edu\n'.repeat(300)}DESCRIPTION:base: 3`,
    ),
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3'],
  ],
  [
    'no description',
    event('UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H'),
    ['2026-02-15T09:00 2026-02-15T10:00'],
  ],
  [
    'a private, transparent, tentative event counts',
    event(
      'UID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nCLASS:PRIVATE\nTRANSP:TRANSPARENT\nSTATUS:TENTATIVE\nDESCRIPTION:base: 3',
    ),
    ['2026-02-15T09:00 2026-02-15T10:00 base: 3'],
  ],
];

const GOOD = event('UID:good\nDTSTART:20260215T090000Z\nDURATION:PT1H\nDESCRIPTION:base: 3');
const GOOD_READ = '2026-02-15T09:00 2026-02-15T10:00 base: 3';

const BROKEN: readonly Row[] = [
  ['a start that is none', `${event('UID:1\nDTSTART:nonsense')}\n${GOOD}`, [GOOD_READ, '! unreadable-event']],
  ['no start', `${event('UID:1\nSUMMARY:Lab')}\n${GOOD}`, [GOOD_READ, '! unreadable-event']],
  [
    'the 30th of February',
    `${event('UID:1\nDTSTART:20260230T090000Z')}\n${GOOD}`,
    [GOOD_READ, '! unreadable-event'],
  ],
  [
    'an hour that is none',
    `${event('UID:1\nDTSTART:20260215T990000Z')}\n${GOOD}`,
    [GOOD_READ, '! unreadable-event'],
  ],
  [
    'a rule without sense',
    `${event('UID:1\nDTSTART:20260215T090000Z\nRRULE:FREQ=NEVER')}\n${GOOD}`,
    [GOOD_READ, '! unreadable-event'],
  ],
  [
    'a rule without a frequency',
    `${event('UID:1\nDTSTART:20260215T090000Z\nRRULE:COUNT=3')}\n${GOOD}`,
    [GOOD_READ, '! unreadable-event'],
  ],
  [
    'a rule with a weekday that is none',
    `${event('UID:1\nDTSTART:20260215T090000Z\nRRULE:FREQ=WEEKLY;BYDAY=XX')}\n${GOOD}`,
    [GOOD_READ, '! unreadable-event'],
  ],
  [
    'a rule in the way of another age',
    `${event('UID:1\nDTSTART:20260215T090000Z\nEXRULE:FREQ=DAILY')}\n${GOOD}`,
    [GOOD_READ, '! unreadable-event'],
  ],
  [
    'a duration that is none',
    `${event('UID:1\nDTSTART:20260215T090000Z\nDURATION:long')}\n${GOOD}`,
    [GOOD_READ, '! unreadable-event'],
  ],
  [
    'an end that is none',
    `${event('UID:1\nDTSTART:20260215T090000Z\nDTEND:late')}\n${GOOD}`,
    [GOOD_READ, '! unreadable-event'],
  ],
  [
    'an exception that is none',
    `${event('UID:1\nDTSTART:20260215T090000Z\nEXDATE:never')}\n${GOOD}`,
    [GOOD_READ, '! unreadable-event'],
  ],
  [
    'an event that never ends in the file',
    `BEGIN:VEVENT\nUID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\n${GOOD}`,
    [GOOD_READ, '! unreadable-event'],
  ],
  [
    'tasks and journals are passed over',
    `BEGIN:VTODO\nUID:1\nDTSTART:20260215T090000Z\nDESCRIPTION:base: 9\nEND:VTODO\n${GOOD}`,
    [GOOD_READ],
  ],
  ['an end of something that never began', `END:VTODO\n${GOOD}`, [GOOD_READ]],
  ['lines between events', `X-FOO:bar\n${GOOD}\nnonsense`, [GOOD_READ]],
];

describe.each([
  ['a time is placed by its zone', ZONES],
  ['an event lasts', LENGTHS],
  ['a series is expanded', SERIES],
  ['a description is found', TEXTS],
  ['a broken event costs itself alone', BROKEN],
])('%s', (_, rows) => {
  const named = rows.map(([name, inside, expected, query]) => ({ name, inside, expected, query }));
  test.each(named)('$name', async ({ inside, expected, query }) => {
    expect(await summarise(inCalendar(inside), query)).toEqual(expected);
  });
});

describe('bytes', () => {
  test('a character folded in its middle is put together again', async () => {
    const text = inCalendar(event('UID:1\nSUMMARY:Übung\nDTSTART:20260215T090000Z\nDURATION:PT1H'));
    const bytes = Buffer.from(text);
    const middle = bytes.indexOf(0xc3) + 1;
    const folded = Buffer.concat([bytes.subarray(0, middle), Buffer.from('\r\n '), bytes.subarray(middle)]);
    const { events } = await readIcs(folded);
    expect(events.map(({ title }) => title)).toEqual(['Übung']);
  });

  test.each([
    ['a byte order mark', Buffer.from(`\uFEFF${inCalendar(GOOD)}`)],
    ['UTF-16', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(inCalendar(GOOD), 'utf16le')])],
    [
      'UTF-16 with the high byte first',
      Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(inCalendar(GOOD), 'utf16le').swap16()]),
    ],
    ['returns written twice', Buffer.from(inCalendar(GOOD).replaceAll('\r\n', '\r\r\n'))],
    [
      'returns written twice, folded',
      Buffer.from(inCalendar(GOOD).replace('UID:go', 'UID:go\r\n ').replaceAll('\r\n', '\r\r\n')),
    ],
    ['bare newlines', Buffer.from(inCalendar(GOOD).replaceAll('\r\n', '\n'))],
    ['carriage returns alone', Buffer.from(inCalendar(GOOD).replaceAll('\r\n', '\r'))],
    ['empty lines at both ends', Buffer.from(`\r\n\r\n${inCalendar(GOOD)}\r\n\r\n`)],
    [
      'bytes that are no UTF-8',
      Buffer.concat([
        Buffer.from(inCalendar(GOOD).replace('UID:good', 'UID:good\r\nX-A:')),
        Buffer.from([0x0d, 0x0a]),
      ]),
    ],
    ['two calendars in one file', Buffer.from(inCalendar(GOOD) + inCalendar('X-A:b'))],
  ])('%s', async (_, bytes) => {
    expect(await summarise(bytes)).toEqual([GOOD_READ]);
  });
});

describe('what is no whole ICS file is an unreadable calendar, not an empty one', () => {
  test.each([
    ['nothing', ''],
    ['spaces', ' \n\n '],
    ['a sign-in page', '<!DOCTYPE html><html><body>Sign in</body></html>'],
    ['JSON', '{"error": "unauthorized"}'],
    ['a file cut off inside an event', inCalendar(GOOD).slice(0, 90)],
    ['a file cut off before its end', inCalendar(GOOD).replace('END:VCALENDAR\r\n', '')],
    ['an event without a calendar', GOOD],
    ['the second calendar cut off', inCalendar(GOOD) + inCalendar(GOOD).slice(0, 60)],
  ])('%s', async (_, content) => {
    await expect(readIcs(content)).rejects.toMatchObject({
      name: 'CalendarError',
      kind: 'malformed',
      remedy: expect.stringContaining('calendarUrl') as string,
    });
  });

  test('a whole file without events is an empty calendar', async () => {
    expect(await summarise(inCalendar('X-WR-CALNAME:Capacity'))).toEqual([]);
  });
});

describe('ids are stable', () => {
  test('an instance keeps its id when it is moved', async () => {
    const ids = async (inside: string) => (await readIcs(inCalendar(inside))).events.map(({ id }) => id);
    const moved = withOverride('RECURRENCE-ID:20260916T070000Z\nDTSTART:20260916T100000Z\nDURATION:PT1H');
    expect(await ids(moved)).toEqual(await ids(event(WEEKLY)));
  });

  test('a single event has the id of its file', async () => {
    const { events } = await readIcs(inCalendar(GOOD));
    expect(events.map(({ id }) => id)).toEqual(['good']);
  });

  test('an event without an id has one made of what it is', async () => {
    const { events } = await readIcs(
      inCalendar(event('SUMMARY:Lab\nDTSTART:20260215T090000Z\nDURATION:PT1H')),
    );
    expect(events.map(({ id }) => id)).toEqual([`Lab ${String(Date.UTC(2026, 1, 15, 9))}`]);
  });
});

describe('an unreadable event is named as well as can be', () => {
  test('by its id and title', async () => {
    const { findings } = await readIcs(
      inCalendar(event('UID:u1\nSUMMARY;LANGUAGE=en:Lab\nDTSTART:nonsense')),
    );
    expect(findings).toEqual([
      {
        code: 'unreadable-event',
        severity: 'warning',
        eventId: 'u1',
        eventTitle: 'Lab',
        eventStartAt: undefined,
        line: undefined,
        text: '',
        message: 'it cannot be read (a time that cannot be read) and does not count',
      },
    ]);
  });
});

describe('a window', () => {
  const three = event('UID:1\nDTSTART:20260215T090000Z\nDTEND:20260215T100000Z');
  test.each([
    ['that the event ends at', '2026-02-15T10:00:00Z', '2026-02-15T11:00:00Z', 0],
    ['that the event starts at the end of', '2026-02-15T08:00:00Z', '2026-02-15T09:00:00Z', 0],
    ['inside the event', '2026-02-15T09:10:00Z', '2026-02-15T09:20:00Z', 1],
    ['around the event', '2026-02-15T08:00:00Z', '2026-02-15T11:00:00Z', 1],
    ['of no length at its start', '2026-02-15T09:00:00Z', '2026-02-15T09:00:00Z', 1],
  ])('%s', async (...[, from, to, count]) => {
    expect((await readIcs(inCalendar(three), { from, to })).events).toHaveLength(count);
  });
});
