/** Run as a process of its own, in a zone of its own: reads whole days, floating times and a series over DST. */
import { readIcsBytes } from '../../functions/calendar/ics.ts';
import { readGoogleEvent } from '../../functions/calendar/google-event.ts';

const ICS = [
  'BEGIN:VCALENDAR',
  'X-WR-TIMEZONE:America/Los_Angeles',
  'BEGIN:VEVENT',
  'UID:day',
  'DTSTART;VALUE=DATE:20260308',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:floating',
  'DTSTART:20260303T140000',
  'DURATION:PT1H',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:series',
  'DTSTART;TZID=Europe/Berlin:20260323T090000',
  'DURATION:PT1H',
  'RRULE:FREQ=WEEKLY;COUNT=2',
  'END:VEVENT',
  'END:VCALENDAR',
].join('\r\n');

const { events } = await readIcsBytes(Buffer.from(ICS), {
  label: 'probe',
  window: { fromAt: Date.UTC(2026, 0, 1), toAt: Date.UTC(2027, 0, 1) },
  timeZone: undefined,
  signal: new AbortController().signal,
});
const allDay = { id: 'g', start: { date: '2026-11-01' }, end: { date: '2026-11-02' } };
const { event } = readGoogleEvent(allDay, 'America/Los_Angeles');
const windows = [...events, event].map((found) => [found?.id, found?.startAt, found?.endAt]);
process.stdout.write(JSON.stringify({ processZone: new Date(0).getTimezoneOffset(), windows }));
