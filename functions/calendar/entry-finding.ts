/** Findings about a calendar entry as a whole, made where its source is read. */
import type { Finding } from '../domain/event.ts';
import { excerpt } from '../domain/description-text.ts';
import type { Instant } from '../domain/instant.ts';

export interface EntryName {
  readonly id: string;
  readonly title: string;
  readonly startAt: Instant | undefined;
}

export function entryFinding(entry: EntryName, code: string, message: string): Finding {
  return {
    code,
    severity: 'warning',
    eventId: entry.id,
    eventTitle: excerpt(entry.title),
    eventStartAt: entry.startAt,
    line: undefined,
    text: '',
    message,
  };
}

export function cutFinding(entry: EntryName): Finding {
  return entryFinding(
    entry,
    'text-cut',
    'the description is too long or nested too deep, and part of it was not read; put the counts first',
  );
}
