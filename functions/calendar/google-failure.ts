/**
 * What a refusal of the Calendar API means and what a person does about it. Decided by status, and where one
 * status means several things by the `reason` that the API sends beside it, never by its prose.
 * https://developers.google.com/workspace/calendar/api/guides/errors
 */
import type { Instant } from '../domain/instant.ts';
import { CalendarError, type FailureDetails, type FailureKind } from '../errors.ts';
import { readRetryAfter } from '../retry-after.ts';
import { TOKEN_OUTAGE_REMEDY, kindOfTokenFailure } from '../token-failure.ts';
import type { Attempt } from './retry.ts';
import { fieldOf } from '../unknown-shape.ts';

export interface CalendarPlace {
  readonly calendarId: string;
  /** The account to share the calendar with, when it is known. */
  readonly account: string | undefined;
}

/** The parts of a failed request that are looked at, whatever threw it. */
export interface Refusal {
  readonly status: number | undefined;
  readonly reasons: readonly string[];
  readonly retryAfter: string | null;
}

/** Reasons that turn a 403 into "too fast". */
const THROTTLING = new Set([
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'quotaExceeded',
  'RATE_LIMIT_EXCEEDED',
]);
const DISABLED_API = new Set(['accessNotConfigured', 'SERVICE_DISABLED']);
const MISSING_SCOPE = new Set(['insufficientPermissions', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT']);

/** Why a request has no answer. */
export interface Stop {
  readonly isStopped: boolean;
  readonly isTimedOut: boolean;
  readonly nowAt: Instant;
}

interface Meaning {
  readonly kind: FailureKind;
  readonly what: string;
  readonly remedy: string;
  readonly mayRetry: boolean;
}

/** The credentials gave no token, so the API was never asked. */
export function explainMissingToken(
  thrown: unknown,
  calendarId: string,
  stop: Stop,
): Attempt<never> & { readonly kind: 'failed' } {
  const { status } = readRefusal(thrown);
  const kind = kindOfTokenFailure(thrown);
  const details: FailureDetails = {
    kind: stop.isStopped ? 'aborted' : kind,
    remedy: kind === 'unauthenticated' ? LOG_IN : TOKEN_OUTAGE_REMEDY,
    status,
    cause: thrown,
  };
  return {
    kind: 'failed',
    error: new CalendarError(`calendar ${calendarId}: the credentials give no access token`, details),
    mayRetry: kind !== 'unauthenticated' && !stop.isStopped,
    retryAfterMs: undefined,
  };
}

/** Turns whatever a request threw into a verdict: the error, and whether asking again makes sense. */
export function explainFailure(
  thrown: unknown,
  place: CalendarPlace,
  stop: Stop,
): Attempt<never> & { readonly kind: 'failed' } {
  const refusal = readRefusal(thrown);
  const meaning = refusal.status === undefined ? meaningOfSilence(stop) : meaningOf(refusal, place);
  const details: FailureDetails = {
    kind: meaning.kind,
    remedy: meaning.remedy,
    status: refusal.status,
    cause: thrown,
  };
  return {
    kind: 'failed',
    error: new CalendarError(`calendar ${place.calendarId}: ${meaning.what}`, details),
    mayRetry: meaning.mayRetry,
    retryAfterMs: readRetryAfter(refusal.retryAfter, stop.nowAt),
  };
}

function meaningOfSilence(stop: Stop): Meaning {
  if (stop.isStopped) {
    return {
      kind: 'aborted',
      what: 'the reading was told to stop before an answer came',
      remedy: 'nothing, unless it happens on every pass: then look at the pass duration in the log',
      mayRetry: false,
    };
  }
  return stop.isTimedOut
    ? {
        kind: 'timeout',
        what: 'no answer in time from the Calendar API',
        remedy: 'check that the job can reach www.googleapis.com',
        mayRetry: true,
      }
    : {
        kind: 'unavailable',
        what: 'the Calendar API cannot be reached, or the connection was cut',
        remedy: 'check that the job can reach www.googleapis.com',
        mayRetry: true,
      };
}

function meaningOf(refusal: Refusal, place: CalendarPlace): Meaning {
  const status = refusal.status ?? 0;
  if (status === 401) {
    return {
      kind: 'unauthenticated',
      what: 'the Calendar API does not accept the credentials (401)',
      remedy: LOG_IN,
      mayRetry: false,
    };
  }
  if (status === 403) {
    return meaningOfForbidden(refusal.reasons, place);
  }
  if (status === 404 || status === 410) {
    return {
      kind: status === 404 ? 'notFound' : 'gone',
      what: `no such calendar, or it is not shared with ${accountOf(place)} (${String(status)})`,
      remedy: `check calendarId; ${share(place)}`,
      mayRetry: false,
    };
  }
  if (status === 429) {
    return throttled(status);
  }
  return status >= 500 || status === 408 ? failing(status) : refused(status);
}

function meaningOfForbidden(reasons: readonly string[], place: CalendarPlace): Meaning {
  if (reasons.some((reason) => THROTTLING.has(reason))) {
    return throttled(403);
  }
  if (reasons.some((reason) => DISABLED_API.has(reason))) {
    return {
      kind: 'forbidden',
      what: 'the Calendar API is not enabled in the project (403)',
      remedy: 'enable it: gcloud services enable calendar-json.googleapis.com',
      mayRetry: false,
    };
  }
  if (reasons.some((reason) => MISSING_SCOPE.has(reason))) {
    return {
      kind: 'forbidden',
      what: 'the credentials lack the calendar.events.readonly scope (403)',
      remedy: LOG_IN,
      mayRetry: false,
    };
  }
  return {
    kind: 'forbidden',
    what: `${accountOf(place)} may not read it (403)`,
    remedy: share(place),
    mayRetry: false,
  };
}

const LOG_IN =
  'in the cloud, give the job its service account; on a laptop: gcloud auth application-default login ' +
  '--scopes=https://www.googleapis.com/auth/calendar.events.readonly,https://www.googleapis.com/auth/cloud-platform';

function throttled(status: number): Meaning {
  return {
    kind: 'throttled',
    what: `the Calendar API asks to slow down (${String(status)}), and the pass has no time left to wait`,
    remedy: 'check the Calendar API quota of the project, and what else uses it',
    mayRetry: true,
  };
}

function failing(status: number): Meaning {
  return {
    kind: 'unavailable',
    what: `the Calendar API fails (${String(status)})`,
    remedy: 'wait; see status.cloud.google.com and www.google.com/appsstatus when it lasts',
    mayRetry: true,
  };
}

function refused(status: number): Meaning {
  return {
    kind: 'misconfigured',
    what: `the Calendar API refuses the request (${String(status)})`,
    remedy: 'check calendarId',
    mayRetry: false,
  };
}

function accountOf(place: CalendarPlace): string {
  return place.account ?? "the job's service account";
}

/** What to do so that the account can read a calendar's descriptions. */
export function share(place: CalendarPlace): string {
  return (
    `share the calendar ${place.calendarId} with ${accountOf(place)} as "See all event details" ` +
    '(Google Calendar, "Settings and sharing")'
  );
}

// ---- reading what was thrown ----

/** Status, reasons and Retry-After of a thrown GaxiosError; all undefined when no answer came. */
export function readRefusal(thrown: unknown): Refusal {
  const response = fieldOf(thrown, 'response');
  const status = fieldOf(response, 'status');
  return {
    status: typeof status === 'number' ? status : undefined,
    reasons: readReasons(fieldOf(response, 'data')),
    retryAfter: headerOf(response, 'retry-after'),
  };
}

function readReasons(body: unknown): readonly string[] {
  const error = fieldOf(body, 'error');
  const entries = [...listOf(fieldOf(error, 'errors')), ...listOf(fieldOf(error, 'details'))];
  return entries.map((entry) => fieldOf(entry, 'reason')).filter((reason) => typeof reason === 'string');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The header, whichever fetch made the response: the client's own `Headers` is not the global one. */
function headerOf(response: unknown, name: string): string | null {
  const headers = fieldOf(response, 'headers');
  return isHeaderBag(headers) ? headers.get(name) : null;
}

function isHeaderBag(value: unknown): value is Pick<Headers, 'get'> {
  return typeof fieldOf(value, 'get') === 'function';
}
