/**
 * A Google calendar, read whole or not at all: all pages, recurrences expanded by the API (`singleEvents`), with
 * application-default credentials and a read-only scope.
 */
import { calendar, type calendar_v3 } from 'googleapis/build/src/apis/calendar/index.js';
import type { CalendarEvent, Finding } from '../domain/event.ts';
import type { Instant } from '../domain/instant.ts';
import { CalendarError } from '../errors.ts';
import type { Calendar, CalendarReading } from '../ports.ts';
import { orStop } from '../stopping.ts';
import { readGoogleEvent } from './google-event.ts';
import {
  explainFailure,
  explainMissingToken,
  share,
  type CalendarPlace,
  type Stop,
} from './google-failure.ts';
import { RETRY_POLICY, RetryBudget, type Attempt, type RetryPolicy } from './retry.ts';
import { fieldOf } from '../unknown-shape.ts';
import { isZone } from './zone.ts';

/** All that the calendar's token asks for. */
export const CALENDAR_SCOPE = 'https://www.googleapis.com/auth/calendar.events.readonly';

/** Only what is looked at: an event with its attendees is ten times as long. */
const FIELDS =
  'kind,accessRole,timeZone,nextPageToken,' + 'items(id,status,summary,description,start,end,visibility)';

const PAGE_SIZE = 2500;
/** 50,000 events in the window are twenty full pages; the API may send shorter ones. */
const MOST_PAGES = 200;
const MOST_EVENTS = 50_000;
const LARGEST_PAGE_BYTES = 64 * 1024 * 1024;
const SECOND = 1000;
/** The account's name only makes a message better, and whoever tells it may be what has failed. */
const ACCOUNT_MILLIS = 1000;

type Auth = NonNullable<calendar_v3.Options['auth']>;

export interface GoogleCalendarOptions {
  readonly calendarId: string;
  /** Credentials with CALENDAR_SCOPE, such as a GoogleAuth. */
  readonly auth: Exclude<Auth, string>;
  /** E-mail of the account behind them, for messages; asked only when something fails. */
  readonly accountEmail?: (() => Promise<string | undefined>) | undefined;
  /** Another server than Google's, for tests. */
  readonly rootUrl?: string | undefined;
  readonly retry?: RetryPolicy | undefined;
}

interface Page {
  readonly items: readonly unknown[];
  readonly timeZone: string;
  readonly nextPageToken: string | undefined;
}

interface Request {
  readonly query: calendar_v3.Params$Resource$Events$List;
  readonly signal: AbortSignal;
}

export class GoogleCalendar implements Calendar {
  readonly label: string;
  readonly #options: GoogleCalendarOptions;
  readonly #retry: RetryPolicy;
  readonly #api: calendar_v3.Calendar;

  constructor(options: GoogleCalendarOptions) {
    this.label = options.calendarId;
    this.#options = options;
    this.#retry = options.retry ?? RETRY_POLICY;
    const root = options.rootUrl === undefined ? {} : { rootUrl: options.rootUrl };
    this.#api = calendar({ version: 'v3', auth: options.auth, ...root });
  }

  /** @throws CalendarError when any page cannot be read: half a calendar would lower counts. */
  async read(
    window: { readonly fromAt: Instant; readonly toAt: Instant },
    signal: AbortSignal,
  ): Promise<CalendarReading> {
    const budget = new RetryBudget(this.#retry);
    const events: CalendarEvent[] = [];
    const findings: Finding[] = [];
    let timeZone = 'UTC';
    for await (const page of this.#pages({ query: this.#query(window), signal }, budget)) {
      timeZone = page.timeZone;
      for (const item of page.items) {
        const reading = readGoogleEvent(item, timeZone);
        events.push(...(isIn(window, reading.event) ? [reading.event] : []));
        findings.push(...reading.findings);
      }
      if (events.length > MOST_EVENTS) {
        throw this.#malformed(
          `more than ${String(MOST_EVENTS)} events in the window`,
          'use a calendar of its own for capacity',
        );
      }
    }
    return { events: events.sort((left, right) => left.startAt - right.startAt), timeZone, findings };
  }

  #query(window: {
    readonly fromAt: Instant;
    readonly toAt: Instant;
  }): calendar_v3.Params$Resource$Events$List {
    // The API ignores milliseconds, and refuses an end that equals the start with 400.
    const from = Math.floor(window.fromAt / SECOND) * SECOND;
    const to = Math.max(Math.ceil(window.toAt / SECOND) * SECOND, from + SECOND);
    return {
      calendarId: this.#options.calendarId,
      singleEvents: true,
      orderBy: 'startTime',
      timeMin: new Date(from).toISOString(),
      timeMax: new Date(to).toISOString(),
      maxResults: PAGE_SIZE,
      fields: FIELDS,
    };
  }

  async *#pages(request: Request, budget: RetryBudget): AsyncGenerator<Page> {
    const seen = new Set<string>();
    let pageToken: string | undefined;
    do {
      const query = pageToken === undefined ? request.query : { ...request.query, pageToken };
      const page = await budget.run(() => this.#attempt({ ...request, query }), request.signal);
      yield page;
      pageToken = page.nextPageToken;
      if (pageToken !== undefined && (seen.has(pageToken) || seen.size >= MOST_PAGES)) {
        throw this.#malformed('its pages never end', 'nothing on your side; report it when it lasts');
      }
      seen.add(pageToken ?? '');
    } while (pageToken !== undefined);
  }

  async #attempt({ query, signal }: Request): Promise<Attempt<Page>> {
    const timeout = AbortSignal.timeout(this.#retry.requestTimeoutMs);
    const either = AbortSignal.any([signal, timeout]);
    const stop = (): Stop => ({ isStopped: signal.aborted, isTimedOut: timeout.aborted, nowAt: Date.now() });
    try {
      // Asked for by itself: a missing key file and a refusal of the API are mended in different places.
      await orStop<unknown>(this.#options.auth.getAccessToken(), either);
    } catch (thrown) {
      return explainMissingToken(thrown, this.label, stop());
    }
    try {
      const response = await this.#api.events.list(query, {
        signal: either,
        retry: false,
        responseType: 'json',
        maxContentLength: LARGEST_PAGE_BYTES,
      });
      return { kind: 'answered', value: await this.#check(response.data, signal) };
    } catch (thrown) {
      if (thrown instanceof CalendarError) {
        throw thrown;
      }
      return explainFailure(thrown, await this.#place(signal), stop());
    }
  }

  /** A page as the API documents it. A proxy's sign-in page, or half an answer, is no empty calendar. */
  async #check(body: unknown, signal: AbortSignal): Promise<Page> {
    const items = fieldOf(body, 'items') ?? [];
    const timeZone = fieldOf(body, 'timeZone');
    const token = fieldOf(body, 'nextPageToken');
    if (fieldOf(body, 'kind') !== 'calendar#events' || !Array.isArray(items)) {
      throw this.#malformed(
        'the answer is not a list of events',
        'check for a proxy between the job and Google',
      );
    }
    if (typeof timeZone !== 'string' || !isZone(timeZone)) {
      throw this.#malformed('its time zone is unknown', 'set the time zone in the settings of the calendar');
    }
    if (['freeBusyReader', 'none'].includes(String(fieldOf(body, 'accessRole')))) {
      const place = await this.#place(signal);
      throw new CalendarError(
        `calendar ${this.label}: descriptions are hidden from ${place.account ?? "the job's service account"}, which may see free and busy times only`,
        { kind: 'forbidden', remedy: share(place) },
      );
    }
    return { items, timeZone, nextPageToken: typeof token === 'string' && token !== '' ? token : undefined };
  }

  #malformed(what: string, remedy: string): CalendarError {
    return new CalendarError(`calendar ${this.label}: ${what}`, { kind: 'malformed', remedy });
  }

  async #place(signal: AbortSignal): Promise<CalendarPlace> {
    const either = AbortSignal.any([signal, AbortSignal.timeout(ACCOUNT_MILLIS)]);
    const asking = Promise.resolve(this.#options.accountEmail?.());
    const account = await orStop(asking, either).catch(() => undefined);
    return { calendarId: this.#options.calendarId, account };
  }
}

function isIn(
  window: { readonly fromAt: Instant; readonly toAt: Instant },
  event: CalendarEvent | undefined,
): event is CalendarEvent {
  return (
    event !== undefined &&
    event.startAt < Math.max(window.toAt, window.fromAt + 1) &&
    event.endAt > window.fromAt
  );
}
