/** Reads an ICS text as the program would, from a file. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { IcsCalendar } from '../../functions/calendar/ics.ts';
import type { CalendarReading } from '../../functions/ports.ts';

export interface IcsQuery {
  readonly from?: string;
  readonly to?: string;
  readonly timeZone?: string | undefined;
}

/** Some of a VCALENDAR's inside, one property a line. */
export function inCalendar(inside: string): string {
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${inside.trim().replaceAll('\n', '\r\n')}\r\nEND:VCALENDAR\r\n`;
}

export async function readIcs(content: string | Uint8Array, query: IcsQuery = {}): Promise<CalendarReading> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ics-'));
  try {
    const file = path.join(folder, 'calendar.ics');
    await writeFile(file, content);
    const window = {
      fromAt: Date.parse(query.from ?? '2026-01-01T00:00:00Z'),
      toAt: Date.parse(query.to ?? '2027-01-01T00:00:00Z'),
    };
    const calendar = new IcsCalendar({ url: file, timeZone: query.timeZone });
    return await calendar.read(window, new AbortController().signal);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** `start end text`, instants to the minute; finding codes behind them. */
export async function summarise(
  content: string | Uint8Array,
  query: IcsQuery = {},
): Promise<readonly string[]> {
  const { events, findings } = await readIcs(content, query);
  const minute = (at: number): string => new Date(at).toISOString().slice(0, 16);
  return [
    ...events.map(({ startAt, endAt, text }) =>
      `${minute(startAt)} ${minute(endAt)} ${text.replaceAll('\n', '|')}`.trim(),
    ),
    ...findings.map(({ code }) => `! ${code}`),
  ];
}
