/** The zone that a plan is written in, for a start that names none: that of the first calendar that can be read. */
import { configuredZone, readZone } from '../calendar/own-zone.ts';
import type { CalendarSettings, Settings } from '../config/settings.ts';
import type { Instant } from '../domain/instant.ts';
import { OutsideError } from '../errors.ts';
import type { Calendar } from '../ports.ts';

export interface HomeZoneQuery {
  readonly settings: Settings;
  readonly openCalendar: (settings: CalendarSettings) => Promise<Calendar>;
  /** Where calendars are looked at. */
  readonly at: Instant;
  readonly signal: AbortSignal;
}

/**
 * @returns an IANA name; UTC where there is no calendar, or none can be read, which the plan itself reports
 * @throws whatever is no failure of the outside
 */
export async function findHomeZone({ settings, ...query }: HomeZoneQuery): Promise<string> {
  const calendars = settings.clusters.flatMap(({ calendar }) => (calendar === undefined ? [] : [calendar]));
  const distinct = new Map(calendars.map((calendar) => [JSON.stringify(calendar), calendar]));
  const zones = await Promise.all([...distinct.values()].map((calendar) => zoneOf(calendar, query)));
  return zones.find((zone) => zone !== undefined) ?? 'UTC';
}

async function zoneOf(
  calendar: CalendarSettings,
  { openCalendar, at, signal }: Omit<HomeZoneQuery, 'settings'>,
): Promise<string | undefined> {
  const configured = configuredZone(calendar);
  if (configured !== undefined) return configured;
  try {
    return await readZone(await openCalendar(calendar), at, signal);
  } catch (error) {
    if (error instanceof OutsideError) return undefined;
    throw error;
  }
}
