/**
 * A time on the command line. With a zone it is an instant; without one it is what clocks in the calendar's zone show,
 * never in the zone of the machine that the command runs on.
 */
import { InvalidArgumentError } from 'commander';
import type { WallMs } from '../calendar/civil-calendar.ts';
import { ianaZone, placeWall, wallOf } from '../calendar/zone.ts';
import type { Instant } from '../domain/instant.ts';

export type GivenTime =
  { readonly kind: 'instant'; readonly at: Instant } | { readonly kind: 'wall'; readonly wall: WallMs };

const DATE = '(\\d{4})-(\\d{2})-(\\d{2})';
const TIME = '([01]\\d|2[0-3]):([0-5]\\d)(?::([0-5]\\d)(?:\\.\\d+)?)?';
const OFFSET = 'Z|[+-]\\d{2}:\\d{2}';
const FORM = new RegExp(`^${DATE}(?:T${TIME}(${OFFSET})?)?$`);

/** @throws InvalidArgumentError with the forms that there are. */
export function parseGivenTime(text: string): GivenTime {
  const [, year, month, day, hour, minute, second, offset] = FORM.exec(text) ?? [];
  const wall = wallOf({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour ?? 0),
    minute: Number(minute ?? 0),
    second: Number(second ?? 0),
  });
  const at = offset === undefined ? wall : Date.parse(text);
  if (wall === undefined || at === undefined || Number.isNaN(at)) {
    throw new InvalidArgumentError(
      "It must be a date or a date and time, 2026-09-01 or 2026-09-01T08:00, in the calendar's zone, or one with an offset: 2026-09-01T08:00-07:00.",
    );
  }
  return offset === undefined ? { kind: 'wall', wall } : { kind: 'instant', at };
}

/** @param timeZone an IANA name */
export function placeTime(given: GivenTime, timeZone: string): Instant {
  return given.kind === 'instant' ? given.at : placeWall(given.wall, ianaZone(timeZone));
}
