/** The zone that a calendar is written in: its times are told in it, and times that name no zone mean it. */
import type { CalendarSettings } from '../config/settings.ts';
import type { Instant } from '../domain/instant.ts';
import type { Calendar } from '../ports.ts';
import { MINUTE } from './civil-calendar.ts';
import { isZone } from './zone.ts';

/** Known before the calendar is read: `calendarTimezone`, which speaks of ICS calendars alone. */
export function configuredZone({ source, timeZone }: CalendarSettings): string | undefined {
  return source.kind === 'ics' ? timeZone : undefined;
}

/**
 * Reads the one minute from an instant on, for the zone that comes with it.
 *
 * @returns an IANA name; UTC for a zone that an ICS file defines and nobody else knows
 * @throws CalendarError
 */
export async function readZone(calendar: Calendar, at: Instant, signal: AbortSignal): Promise<string> {
  const { timeZone } = await calendar.read({ fromAt: at, toAt: at + MINUTE }, signal);
  return isZone(timeZone) ? timeZone : 'UTC';
}
