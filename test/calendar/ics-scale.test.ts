import { describe, expect, test } from 'vitest';
import { readIcsBytes } from '../../functions/calendar/ics.ts';
import { inCalendar } from './ics-file.ts';

const WINDOW = { fromAt: Date.parse('2026-02-14T00:00Z'), toAt: Date.parse('2026-02-16T00:00Z') };
const LONG_MILLIS = 180_000;

function read(bytes: Uint8Array) {
  const signal = new AbortController().signal;
  return readIcsBytes(bytes, { label: 'large', window: WINDOW, timeZone: undefined, signal });
}

/** Endless series since 1970, daily, weekly and monthly in turn. */
function series(index: number): string {
  const day = String(1 + (index % 28)).padStart(2, '0');
  const frequency = ['DAILY', 'WEEKLY', 'MONTHLY', 'DAILY;COUNT=30000'][index % 4] ?? '';
  return `BEGIN:VEVENT
UID:series-${String(index)}
SUMMARY:Lab ${String(index)}
DTSTART;TZID=Europe/Paris:197001${day}T090000
DTEND;TZID=Europe/Paris:197001${day}T100000
RRULE:FREQ=${frequency}
DESCRIPTION:base: 3\\n${'x'.repeat(200)}
END:VEVENT`;
}

describe('a large file', () => {
  test(
    'of 50,000 endless series is read in a bounded time',
    async () => {
      const bytes = Buffer.from(
        inCalendar(Array.from({ length: 50_000 }, (_, index) => series(index)).join('\n')),
      );
      expect(bytes.length).toBeGreaterThan(18_000_000);
      const before = process.cpuUsage();
      const { events, findings } = await read(bytes);
      const { user } = process.cpuUsage(before);
      expect(findings).toEqual([]);
      // Two days: two instances of each daily series, and those of the others that fall there.
      expect(events.length).toBeGreaterThan(50_000);
      expect(user / 1e6).toBeLessThan(15);
    },
    LONG_MILLIS,
  );

  test('of rules that are too long a walk loses those alone', async () => {
    const endless =
      'BEGIN:VEVENT\nUID:1\nDTSTART:19700101T090000Z\nRRULE:FREQ=HOURLY;COUNT=900000000\nEND:VEVENT';
    const good = 'BEGIN:VEVENT\nUID:2\nDTSTART:20260215T090000Z\nDURATION:PT1H\nEND:VEVENT';
    const { events, findings } = await read(Buffer.from(inCalendar(`${endless}\n${good}`)));
    expect(events.map(({ id }) => id)).toEqual(['2']);
    expect(findings.map(({ code, eventId }) => [code, eventId])).toEqual([['unreadable-event', '1']]);
  });

  test(
    'of nothing but such rules is an unreadable calendar, never a smaller one',
    async () => {
      const endless = Array.from(
        { length: 40 },
        (_, index) =>
          `BEGIN:VEVENT\nUID:${String(index)}\nDTSTART:19700101T090000Z\nRRULE:FREQ=HOURLY;COUNT=900000000\nEND:VEVENT`,
      );
      await expect(read(Buffer.from(inCalendar(endless.join('\n'))))).rejects.toMatchObject({
        name: 'CalendarError',
        kind: 'malformed',
      });
    },
    LONG_MILLIS,
  );

  test('of unreadable events lists a bounded number of them', async () => {
    const broken = Array.from(
      { length: 1000 },
      (_, index) => `BEGIN:VEVENT\nUID:${String(index)}\nEND:VEVENT`,
    );
    const { findings } = await read(Buffer.from(inCalendar(broken.join('\n'))));
    expect(findings).toHaveLength(201);
    expect(findings.at(-1)).toMatchObject({
      code: 'more-findings',
      message: '800 more entries cannot be read or are odd',
    });
  });
});
