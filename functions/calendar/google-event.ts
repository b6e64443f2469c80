/** One item of the Calendar API's `events.list`, checked and turned into an event of ours. */
import type { CalendarEvent, Finding } from '../domain/event.ts';
import type { Instant } from '../domain/instant.ts';
import { toPlainText } from './description-text.ts';
import { cutFinding, entryFinding } from './entry-finding.ts';
import { fieldOf, textOf } from '../unknown-shape.ts';
import { ianaZone, isZone, placeWall, wallOf } from './zone.ts';

export interface EntryReading {
  /** Undefined: cancelled, or not readable (then there is a finding). */
  readonly event: CalendarEvent | undefined;
  readonly findings: readonly Finding[];
}

const NOTHING: EntryReading = { event: undefined, findings: [] };

/** @param timeZone The calendar's own: where its all-day events begin and end. */
export function readGoogleEvent(item: unknown, timeZone: string): EntryReading {
  // A cancelled instance of a series comes with an id and little else.
  if (textOf(item, 'status') === 'cancelled') {
    return NOTHING;
  }
  const id = textOf(item, 'id') ?? '';
  const title = textOf(item, 'summary') ?? '';
  const startAt = readTime(fieldOf(item, 'start'), timeZone);
  const endAt = readTime(fieldOf(item, 'end'), timeZone);
  const entry = { id, title, startAt };
  if (startAt === undefined || endAt === undefined) {
    return {
      event: undefined,
      findings: [
        entryFinding(entry, 'unreadable-event', 'its start or end cannot be read; it does not count'),
      ],
    };
  }
  const { text, isCut } = toPlainText(textOf(item, 'description') ?? '');
  return {
    event: { id, title, text, startAt, endAt },
    findings: [
      ...(isCut ? [cutFinding(entry)] : []),
      ...(endAt > startAt
        ? []
        : [entryFinding(entry, 'no-duration', 'it ends when it starts, so it is never active')]),
      ...(isHidden(item) ? [entryFinding(entry, 'hidden-event', HIDDEN)] : []),
    ],
  };
}

const HIDDEN =
  'it is private and its description hidden, so it asks for nothing; set its visibility to public, ' +
  'or give the service account the right to make changes to events';

function isHidden(item: unknown): boolean {
  return (
    textOf(item, 'visibility') === 'private' &&
    textOf(item, 'summary') === undefined &&
    textOf(item, 'description') === undefined
  );
}

/** `dateTime` carries its offset (RFC 3339); without one, and for a `date`, a zone places it. */
function readTime(value: unknown, timeZone: string): Instant | undefined {
  const dateTime = textOf(value, 'dateTime');
  if (dateTime !== undefined && /(?:Z|[-+]\d\d:\d\d)$/iu.test(dateTime)) {
    const at = Date.parse(dateTime);
    return Number.isNaN(at) ? undefined : at;
  }
  const own = textOf(value, 'timeZone') ?? timeZone;
  return dateTime === undefined
    ? placeText(`${textOf(value, 'date') ?? ''}T00:00:00`, timeZone)
    : placeText(dateTime, own);
}

const WALL = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/u;

function placeText(wall: string, zoneName: string): Instant | undefined {
  const [year, month, day, hour, minute, second] = (WALL.exec(wall) ?? []).slice(1).map(Number);
  if (year === undefined || month === undefined || day === undefined || !isZone(zoneName)) {
    return undefined;
  }
  const at = wallOf({ year, month, day, hour: hour ?? 0, minute: minute ?? 0, second: second ?? 0 });
  return at === undefined ? undefined : placeWall(at, ianaZone(zoneName));
}
