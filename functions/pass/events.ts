/**
 * The events that a pass decides from. A calendar that cannot be read is not an empty one: the set kept from the
 * last good reading stands in for it while it is fresh enough; after that nothing is known, and the pass holds.
 */
import type { CalendarSettings } from '../config/settings.ts';
import { readDescription } from '../domain/description.ts';
import type { Finding, ReadEvent } from '../domain/event.ts';
import type { Instant } from '../domain/instant.ts';
import { secondsBetween } from '../domain/instant.ts';
import { CalendarError, OutsideError } from '../errors.ts';
import type { Calendar, KeptEvents } from '../ports.ts';
import { orStop } from '../stopping.ts';

/** How far ahead the calendar is read and kept. */
export const KEPT_HOURS = 48;
const KEPT_SECONDS = KEPT_HOURS * 3600;
/** Leaves most of the pass's time for acting on the kept set when the calendar does not answer. */
const CALENDAR_SECONDS = 20;
/** What an adapter says of its end, such as how often it was refused, is better than that it was told to. */
const LAST_WORDS_MILLIS = 500;

export type CalendarOutcome =
  | {
      readonly kind: 'read';
      readonly label: string;
      readonly timeZone: string;
      readonly events: readonly ReadEvent[];
      readonly findings: readonly Finding[];
    }
  | { readonly kind: 'unreadable'; readonly label: string; readonly error: OutsideError };

/** What stands for the calendar in this pass. */
export type EventSet =
  | { readonly standing: 'none'; readonly events: readonly ReadEvent[] }
  | {
      readonly standing: 'fresh';
      readonly events: readonly ReadEvent[];
      readonly findings: readonly Finding[];
      readonly keep: KeptEvents;
    }
  | {
      readonly standing: 'kept';
      readonly events: readonly ReadEvent[];
      readonly readAt: Instant;
      readonly error: OutsideError;
    }
  | {
      readonly standing: 'unknown';
      readonly events: readonly ReadEvent[];
      /** Of the kept set, when it is there and too old. */
      readonly readAt: Instant | undefined;
      readonly error: OutsideError;
    };

export interface CalendarQuery {
  /** Names the calendar in what is kept, so that a set of another calendar is not used. */
  readonly label: string;
  readonly now: Instant;
  /** Every pool that the calendar may speak to: only findings depend on it, no count does. */
  readonly poolNames: readonly string[];
  readonly stop: AbortSignal;
}

/** Reads the calendar once; a failure is a value, since the pass goes on without it. */
export async function readCalendar(
  open: () => Promise<Calendar>,
  { label, now, poolNames, stop }: CalendarQuery,
): Promise<CalendarOutcome> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(CALENDAR_SECONDS * 1000)]);
  let calendar: Calendar | undefined;
  try {
    calendar = await open();
    const window = { fromAt: now, toAt: now + KEPT_SECONDS * 1000 };
    const { label: name } = calendar;
    // Whatever an adapter or its library still waits for then, the pass does not.
    const reading = await orStop(calendar.read(window, signal), signal, {
      failure: () => stopped(name),
      graceMillis: LAST_WORDS_MILLIS,
    });
    const read = reading.events.map((event) => readDescription(event, poolNames));
    return {
      kind: 'read',
      label,
      timeZone: reading.timeZone,
      events: read.map(({ event }) => event),
      findings: [...reading.findings, ...read.flatMap(({ findings }) => findings)],
    };
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error;
    const name = calendar?.label ?? label;
    return { kind: 'unreadable', label, error: stop.aborted ? error : orTooSlow(error, name) };
  }
}

/**
 * Told to stop while the calendar was being read: nothing is wrong with the calendar, and what stands in for it was not
 * chosen for want of an answer. Such a pass has not read everything, whatever it decides.
 */
export function wasCutShort(events: EventSet): boolean {
  return 'error' in events && events.error.kind === 'aborted';
}

function stopped(name: string): CalendarError {
  return new CalendarError(`calendar ${name}: the reading was told to stop before an answer came`, {
    kind: 'aborted',
    remedy: 'nothing, unless it happens on every pass: then look at the pass duration in the log',
  });
}

/** An adapter cannot know which end it was that came: here it was the calendar's own, and not the pass's. */
function orTooSlow(error: OutsideError, name: string): OutsideError {
  if (error.kind !== 'aborted') return error;
  return new CalendarError(`calendar ${name}: no answer within ${CALENDAR_SECONDS} seconds`, {
    kind: 'timeout',
    remedy:
      'nothing if it passes; else check that calendarId or calendarUrl can be reached from where the job runs',
  });
}

/** The outcome, or what was kept of the same calendar, or nothing. */
export function chooseEvents(
  outcome: CalendarOutcome | undefined,
  kept: KeptEvents | undefined,
  { settings, now }: { readonly settings: CalendarSettings | undefined; readonly now: Instant },
): EventSet {
  if (outcome === undefined || settings === undefined) return { standing: 'none', events: [] };
  if (outcome.kind === 'read') {
    const { events, findings } = outcome;
    return { standing: 'fresh', events, findings, keep: keepOf(outcome, now) };
  }
  const { error } = outcome;
  const usable = kept !== undefined && kept.source === outcome.label ? kept : undefined;
  if (usable === undefined) return { standing: 'unknown', events: [], readAt: undefined, error };
  // Beyond the hours that were read, a kept set would be an empty calendar.
  const limitSeconds = Math.min(settings.staleAfterSeconds, KEPT_SECONDS);
  const ageSeconds = secondsBetween(usable.readAt, now);
  // Read by a clock that ran ahead, it lacks the events that were over by that clock.
  if (ageSeconds < 0 || ageSeconds > limitSeconds) {
    return { standing: 'unknown', events: [], readAt: usable.readAt, error };
  }
  return { standing: 'kept', events: usable.events, readAt: usable.readAt, error };
}

function keepOf(outcome: Extract<CalendarOutcome, { kind: 'read' }>, now: Instant): KeptEvents {
  return { readAt: now, source: outcome.label, timeZone: outcome.timeZone, events: outcome.events };
}
