import { describe, expect, test } from 'vitest';
import { parseSettings } from '../../functions/config/load.ts';
import type { CalendarSettings } from '../../functions/config/settings.ts';
import { CalendarError } from '../../functions/errors.ts';
import { findHomeZone } from '../../functions/plan/home-zone.ts';
import type { Calendar } from '../../functions/ports.ts';

const AT = Date.UTC(2026, 8, 1);

/** A fleet of clusters with these calendars, each a line of the config. */
function settingsWith(...calendars: readonly string[]) {
  const clusters = calendars.map(
    (calendar, index) =>
      `  c${index}: { cluster: embedded, nodePools: { base: { resources: { requests: { memory: 1Gi } } } }${calendar} }`,
  );
  return parseSettings(
    `clusters:\n${clusters.join('\n')}\n`,
    { source: 'config.yaml', folder: '/' },
    { kubeconfigPath: '' },
  );
}

/** Calendars with these zones by the last part of their address; any other cannot be read. */
function openerOf(zones: Readonly<Record<string, string>>) {
  const opened: string[] = [];
  const openCalendar = ({ source }: CalendarSettings): Promise<Calendar> => {
    const name = source.kind === 'ics' ? source.url.replace('file:///', '') : source.calendarId;
    opened.push(name);
    const timeZone = new Map(Object.entries(zones)).get(name);
    const failure = new CalendarError('no', { kind: 'unavailable', remedy: 'wait' });
    const reading = { events: [], findings: [], timeZone: timeZone ?? '' };
    return Promise.resolve({
      label: name,
      read: () => (timeZone === undefined ? Promise.reject(failure) : Promise.resolve(reading)),
    });
  };
  return { opened, openCalendar };
}

const ZONES = { tokyo: 'Asia/Tokyo', paris: 'Europe/Paris', odd: 'Customized Time Zone 1' };

describe('the zone of a plan', () => {
  test.each([
    {
      name: 'is that of the first calendar',
      calendars: [', calendarUrl: tokyo', ', calendarUrl: paris'],
      zone: 'Asia/Tokyo',
    },
    {
      name: 'is that of the next where the first cannot be read',
      calendars: [', calendarUrl: broken', ', calendarUrl: paris'],
      zone: 'Europe/Paris',
    },
    {
      name: 'of a cluster without a calendar is that of the others',
      calendars: ['', ', calendarUrl: paris'],
      zone: 'Europe/Paris',
    },
    {
      name: 'is what the config says of an ICS calendar',
      calendars: [', calendarUrl: tokyo, calendarTimezone: America/Lima'],
      zone: 'America/Lima',
    },
    {
      name: 'is what Google says of a Google calendar, as in its events',
      calendars: [', calendarId: paris, calendarTimezone: America/Lima'],
      zone: 'Europe/Paris',
    },
    { name: 'is UTC where none can be read', calendars: [', calendarUrl: broken'], zone: 'UTC' },
    { name: 'is UTC without a calendar', calendars: [''], zone: 'UTC' },
    { name: 'is UTC for a zone that only the file knows', calendars: [', calendarUrl: odd'], zone: 'UTC' },
  ])('$name', async ({ calendars, zone }) => {
    const { openCalendar } = openerOf(ZONES);
    const query = { settings: settingsWith(...calendars), openCalendar, at: AT };
    expect(await findHomeZone({ ...query, signal: new AbortController().signal })).toBe(zone);
  });

  test('is asked once of a calendar that clusters share, and not at all where the config says it', async () => {
    const { opened, openCalendar } = openerOf(ZONES);
    const settings = settingsWith(
      ', calendarUrl: tokyo',
      ', calendarUrl: tokyo',
      ', calendarUrl: paris, calendarTimezone: Europe/Paris',
    );
    await findHomeZone({ settings, openCalendar, at: AT, signal: new AbortController().signal });
    expect(opened).toEqual(['tokyo']);
  });

  test('is no excuse for a fault of ours', async () => {
    const openCalendar = () => Promise.reject(new TypeError('ours'));
    const query = { settings: settingsWith(', calendarUrl: tokyo'), openCalendar, at: AT };
    const asking = findHomeZone({ ...query, signal: new AbortController().signal });
    await expect(asking).rejects.toThrow('ours');
  });
});
