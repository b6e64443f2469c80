import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findIana } from 'windows-iana';
import { describe, expect, test } from 'vitest';
import { WINDOWS_DISPLAY_NAMES } from '../../functions/calendar/windows-display-names.ts';
import { ianaZone, isZone, placeWall, wallOf } from '../../functions/calendar/zone.ts';

const run = promisify(execFile);
const PROBE = fileURLToPath(new URL('zone-probe.ts', import.meta.url));

describe('the zone of the process', () => {
  test.each([
    ['UTC', 0],
    ['Asia/Kathmandu', -330],
    ['America/Los_Angeles', 480],
    ['Australia/Lord_Howe', -600],
  ])('%s changes nothing', async (TZ, processZone) => {
    const { stdout } = await run(process.execPath, [PROBE], { env: { ...process.env, TZ } });
    expect(JSON.parse(stdout)).toEqual({
      processZone,
      windows: [
        ['floating', Date.parse('2026-03-03T22:00Z'), Date.parse('2026-03-03T23:00Z')],
        ['day', Date.parse('2026-03-08T08:00Z'), Date.parse('2026-03-09T07:00Z')],
        ['series_20260323T080000Z', Date.parse('2026-03-23T08:00Z'), Date.parse('2026-03-23T09:00Z')],
        ['series_20260330T070000Z', Date.parse('2026-03-30T07:00Z'), Date.parse('2026-03-30T08:00Z')],
        ['g', Date.parse('2026-11-01T07:00Z'), Date.parse('2026-11-02T08:00Z')],
      ],
    });
  });
});

describe('a time on a wall', () => {
  test.each([
    ['America/Los_Angeles', '2026-03-08T01:59:59', '2026-03-08T09:59:59.000Z'],
    ['America/Los_Angeles', '2026-03-08T02:30:00', '2026-03-08T10:30:00.000Z'],
    ['America/Los_Angeles', '2026-03-08T03:00:00', '2026-03-08T10:00:00.000Z'],
    ['America/Los_Angeles', '2026-11-01T00:59:59', '2026-11-01T07:59:59.000Z'],
    ['America/Los_Angeles', '2026-11-01T01:30:00', '2026-11-01T08:30:00.000Z'],
    ['America/Los_Angeles', '2026-11-01T02:00:00', '2026-11-01T10:00:00.000Z'],
    ['Europe/Berlin', '2026-03-29T02:30:00', '2026-03-29T01:30:00.000Z'],
    ['Europe/Berlin', '2026-10-25T02:30:00', '2026-10-25T00:30:00.000Z'],
    ['Australia/Lord_Howe', '2026-10-04T02:15:00', '2026-10-03T15:45:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-05T01:45:00', '2026-04-04T14:45:00.000Z'],
    ['America/Sao_Paulo', '2018-11-04T00:00:00', '2018-11-04T03:00:00.000Z'],
    ['America/Sao_Paulo', '2018-02-17T23:30:00', '2018-02-18T01:30:00.000Z'],
    ['America/Sao_Paulo', '2026-01-15T09:00:00', '2026-01-15T12:00:00.000Z'],
    ['Asia/Kathmandu', '2026-01-15T09:00:00', '2026-01-15T03:15:00.000Z'],
    ['Pacific/Apia', '2011-12-31T09:00:00', '2011-12-30T19:00:00.000Z'],
  ])('%s %s', (zone, wall, instant) => {
    expect(new Date(placeWall(Date.parse(`${wall}Z`), ianaZone(zone))).toISOString()).toBe(instant);
  });

  test.each([
    ['30 February', { year: 2026, month: 2, day: 30, hour: 0, minute: 0, second: 0 }],
    ['29 February of no leap year', { year: 2026, month: 2, day: 29, hour: 0, minute: 0, second: 0 }],
    ['month 13', { year: 2026, month: 13, day: 1, hour: 0, minute: 0, second: 0 }],
    ['25 o’clock', { year: 2026, month: 1, day: 1, hour: 25, minute: 0, second: 0 }],
    ['minute 60', { year: 2026, month: 1, day: 1, hour: 1, minute: 60, second: 0 }],
    ['the year 99', { year: 99, month: 1, day: 1, hour: 0, minute: 0, second: 0 }],
  ])('%s is none', (_, wall) => {
    expect(wallOf(wall)).toBeUndefined();
  });

  test('24:00 is the end of the day', () => {
    expect(wallOf({ year: 2026, month: 1, day: 31, hour: 24, minute: 0, second: 0 })).toBe(
      Date.UTC(2026, 1, 1),
    );
  });
});

describe('names that Windows shows', () => {
  test.each([...WINDOWS_DISPLAY_NAMES])('%s is a zone', (_, identifier) => {
    expect(findIana(identifier).some((name) => isZone(name))).toBe(true);
  });
});
