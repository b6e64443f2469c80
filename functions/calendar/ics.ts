/** A calendar as an ICS file or address, read whole or not at all. */
import { setImmediate } from 'node:timers/promises';
import { excerpt } from '../domain/description-text.ts';
import type { CalendarEvent, Finding } from '../domain/event.ts';
import type { Instant } from '../domain/instant.ts';
import { CalendarError } from '../errors.ts';
import type { Calendar, CalendarReading } from '../ports.ts';
import { cutFinding, entryFinding, type EntryName } from './entry-finding.ts';
import { NotIcsError, readDocument, type IcsDocument, type IcsEntry } from './ics-document.ts';
import { readEvent, type IcsEvent } from './ics-event.ts';
import { parseComponent } from './ics-property.ts';
import { expandSeries, type Occurrence, type Placement, type Series } from './ics-series.ts';
import { loadIcs, nameSource, type SourceName } from './ics-source.ts';
import { defineZone, findZone } from './ics-zone.ts';
import type { Budget } from './recurrence.ts';
import { RETRY_POLICY, type RetryPolicy } from './retry.ts';
import { UTC, type Zone } from './zone.ts';

/** Days that the rules of a file may look at together: some seconds of work. */
const DAYS_OF_FILE = 5_000_000;
/** And those of one series: a daily rule with a COUNT may begin centuries ago, one of every second may not. */
const DAYS_OF_SERIES = 300_000;
/** Instances within the window; a calendar of people has hundreds. */
const MOST_OCCURRENCES = 200_000;
/** Series between two looks at the signal. */
const BATCH = 2_000;
/** Findings about entries that cannot be read; a file of nothing else says so once more. */
const MOST_FINDINGS = 200;

export interface IcsCalendarOptions {
  /** An `http(s)://`, `webcal://` or `file://` address, or a path. */
  readonly url: string;
  /** Where whole days and floating times are; undefined: the file's X-WR-TIMEZONE, else UTC. */
  readonly timeZone?: string | undefined;
  /** The setting or the flag that has `url`, for messages; undefined: `calendarUrl`. */
  readonly setting?: string | undefined;
  readonly retry?: RetryPolicy | undefined;
}

export class IcsCalendar implements Calendar {
  readonly label: string;
  readonly #options: IcsCalendarOptions;

  constructor(options: IcsCalendarOptions) {
    this.label = nameSource(options.url);
    this.#options = options;
  }

  /** @throws CalendarError when the file cannot be had, or is none, or breaks off. */
  async read(
    window: { readonly fromAt: Instant; readonly toAt: Instant },
    signal: AbortSignal,
  ): Promise<CalendarReading> {
    const { url, timeZone, setting, retry = RETRY_POLICY } = this.#options;
    const name = nameOf({ label: this.label, setting });
    const bytes = await loadIcs(url, { name, retry, signal });
    return await readIcsBytes(bytes, { ...name, window, timeZone, signal });
  }
}

export interface IcsQuery {
  /** How the file is named in messages. */
  readonly label: string;
  /** As of IcsCalendarOptions. */
  readonly setting?: string | undefined;
  readonly window: { readonly fromAt: Instant; readonly toAt: Instant };
  readonly timeZone: string | undefined;
  readonly signal: AbortSignal;
}

/** @throws CalendarError when the bytes are no whole ICS file. */
export async function readIcsBytes(bytes: Uint8Array, query: IcsQuery): Promise<CalendarReading> {
  const name = nameOf(query);
  const document = parseDocument(bytes, name);
  return await new IcsReading(document, query.window, query.timeZone).run(name, query.signal);
}

function nameOf({ label, setting = 'calendarUrl' }: Pick<IcsQuery, 'label' | 'setting'>): SourceName {
  return { label, setting };
}

function parseDocument(bytes: Uint8Array, { label, setting }: SourceName): IcsDocument {
  try {
    return readDocument(bytes);
  } catch (cause) {
    if (cause instanceof NotIcsError) {
      throw new CalendarError(`calendar ${label}: no ICS file: ${cause.message}`, {
        kind: 'malformed',
        remedy: `an address must give the file itself without signing in: open ${setting} in a private browser window; a file on disk must be whole: export it anew`,
        cause,
      });
    }
    throw cause;
  }
}

/** One reading of one file. */
class IcsReading {
  readonly #document: IcsDocument;
  readonly #window: { readonly fromAt: Instant; readonly toAt: Instant };
  readonly #home: Zone;
  #daysLeft = DAYS_OF_FILE;
  readonly #findings: Finding[] = [];
  readonly #zones = new Map<string, Zone>();

  constructor(
    document: IcsDocument,
    window: { readonly fromAt: Instant; readonly toAt: Instant },
    timeZone: string | undefined,
  ) {
    this.#document = document;
    this.#window = { fromAt: window.fromAt, toAt: Math.max(window.toAt, window.fromAt + 1) };
    for (const text of document.zones) {
      this.#define(text);
    }
    this.#home = this.#findHome(timeZone ?? document.timeZone ?? '');
  }

  #findHome(name: string): Zone {
    const found = findZone(name)?.zone ?? this.#zones.get(name);
    if (found === undefined && name !== '') {
      // No event names it, and every whole day and floating time depends on it.
      const problem = `the calendar's time zone \`${excerpt(name)}\` is unknown; read as UTC: set calendarTimezone`;
      this.#report({ id: 'X-WR-TIMEZONE', title: '', startAt: undefined }, 'unknown-zone', problem);
    }
    return found ?? UTC;
  }

  async run(name: SourceName, signal: AbortSignal): Promise<CalendarReading> {
    const events: CalendarEvent[] = [];
    const zoneOf = this.#zoneFinder();
    let done = 0;
    for (const series of this.#series()) {
      events.push(...this.#eventsOf(series, zoneOf));
      done += 1;
      if (done % BATCH === 0) {
        await pause(name, signal);
      }
      // Leaving out the rest would make it a smaller calendar, and lower counts.
      if (events.length > MOST_OCCURRENCES || this.#daysLeft <= 0) {
        throw tooMuch(name);
      }
    }
    return {
      events: events.sort((left, right) => left.startAt - right.startAt),
      timeZone: this.#home.name,
      findings: bounded(this.#findings, name.label),
    };
  }

  #define(text: string): void {
    try {
      const component = parseComponent(text);
      const name = component.properties.find((property) => property.name === 'tzid')?.values[0];
      if (typeof name === 'string') {
        const limits = { toAt: this.#window.toAt, budget: { daysLeft: DAYS_OF_SERIES } };
        this.#zones.set(
          name,
          defineZone(
            name,
            component.children.map(({ properties }) => properties),
            limits,
          ),
        );
      }
    } catch {
      // Its events fall back on the name; when that says nothing either, each of them is reported.
    }
  }

  #zoneFinder(): Placement['zoneOf'] {
    return (tzid, event) => {
      const known = this.#zones.get(tzid);
      if (known !== undefined) {
        return known;
      }
      const found = findZone(tzid);
      const zone = found?.zone ?? this.#home;
      // Remembered, so that it is reported once and not for each event.
      this.#zones.set(tzid, zone);
      if (found?.isGuess !== false) {
        const name = excerpt(tzid);
        this.#report(
          entryOf(event),
          'unknown-zone',
          `time zone \`${name}\` is unknown; read as ${zone.name}`,
        );
      }
      return zone;
    };
  }

  /** Events by UID, in the order of the file. */
  *#series(): Generator<Series> {
    const byUid = new Map<string, { masters: IcsEvent[]; replacements: IcsEvent[] }>();
    for (const entry of this.#document.events) {
      const event = this.#readEntry(entry);
      if (event !== undefined) {
        const series = byUid.get(event.uid) ?? { masters: [], replacements: [] };
        byUid.set(event.uid, series);
        (event.recurrenceId === undefined ? series.masters : series.replacements).push(event);
      }
    }
    for (const { masters, replacements } of byUid.values()) {
      yield {
        masters: latest(masters, () => ''),
        replacements: latest(replacements, ({ recurrenceId }) => JSON.stringify(recurrenceId)),
      };
    }
  }

  #readEntry(entry: IcsEntry): IcsEvent | undefined {
    try {
      if (entry.isBroken) {
        throw new Error('no END:VEVENT');
      }
      return readEvent(entry.text);
    } catch (problem) {
      this.#report(roughName(entry), 'unreadable-event', unreadable(problem));
      return undefined;
    }
  }

  #eventsOf(series: Series, zoneOf: Placement['zoneOf']): readonly CalendarEvent[] {
    const budget: Budget = { daysLeft: DAYS_OF_SERIES };
    try {
      return expandSeries(series, { window: this.#window, home: this.#home, zoneOf, budget }).map(
        (occurrence) => this.#eventOf(occurrence),
      );
    } catch (problem) {
      const [event] = [...series.masters, ...series.replacements];
      if (event !== undefined) {
        this.#report(entryOf(event), 'unreadable-event', unreadable(problem));
      }
      return [];
    } finally {
      this.#daysLeft -= DAYS_OF_SERIES - budget.daysLeft;
    }
  }

  #eventOf({ id, event, startAt, endAt }: Occurrence): CalendarEvent {
    const { text, isCut } = event.describe();
    const entry = { id, title: event.title, startAt };
    if (isCut) {
      this.#findings.push(cutFinding(entry));
    }
    if (endAt <= startAt) {
      this.#report(
        entry,
        'no-duration',
        'it has no end after its start, so it is never active; give it an end or a duration',
      );
    }
    return { id, title: event.title, text, startAt, endAt: Math.max(startAt, endAt) };
  }

  #report(entry: EntryName, code: string, message: string): void {
    this.#findings.push(entryFinding(entry, code, message));
  }
}

/** Of several versions of one event, the one with the highest SEQUENCE; equals are kept, and the larger count wins. */
function latest(events: readonly IcsEvent[], keyOf: (event: IcsEvent) => string): readonly IcsEvent[] {
  const highest = new Map<string, number>();
  for (const event of events) {
    const key = keyOf(event);
    highest.set(key, Math.max(highest.get(key) ?? 0, event.sequence));
  }
  return events.filter((event) => event.sequence >= (highest.get(keyOf(event)) ?? 0));
}

function entryOf(event: IcsEvent): EntryName {
  return { id: event.uid, title: event.title, startAt: undefined };
}

/** What to call an event that cannot be read. */
function roughName(entry: IcsEntry): EntryName {
  const field = (name: string): string =>
    new RegExp(`^${name}(?:;[^:\\r\\n]*)?:(.{0,200})`, 'imu').exec(entry.text)?.[1]?.trim() ?? '';
  return {
    id: field('UID') || field('SUMMARY') || 'an event without a name',
    title: field('SUMMARY'),
    startAt: undefined,
  };
}

function bounded(findings: readonly Finding[], label: string): readonly Finding[] {
  const rest = findings.length - MOST_FINDINGS;
  if (rest <= 0) {
    return findings;
  }
  const entry = { id: label, title: label, startAt: undefined };
  const message = `${String(rest)} more entries cannot be read or are odd`;
  return [...findings.slice(0, MOST_FINDINGS), entryFinding(entry, 'more-findings', message)];
}

function unreadable(problem: unknown): string {
  const why = problem instanceof Error ? excerpt(problem.message) : 'unknown';
  return `it cannot be read (${why}) and does not count`;
}

function tooMuch({ label, setting }: SourceName): CalendarError {
  return new CalendarError(`calendar ${label}: more events and repetitions than can be read in time`, {
    kind: 'malformed',
    remedy: `use a calendar of its own for capacity as ${setting}`,
  });
}

async function pause({ label, setting }: SourceName, signal: AbortSignal): Promise<void> {
  await setImmediate();
  if (signal.aborted) {
    throw new CalendarError(`calendar ${label}: the reading was told to stop`, {
      kind: 'aborted',
      remedy: `nothing, unless it happens on every pass: then use a smaller calendar as ${setting}`,
    });
  }
}
