/** Where an ICS file comes from: an address or a path. Bounded in size and time, whatever the other side does. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { CalendarError, type FailureKind } from '../errors.ts';
import { readRetryAfter } from '../retry-after.ts';
import { RetryBudget, type Attempt, type RetryPolicy } from './retry.ts';
import { fieldOf, textOf } from '../unknown-shape.ts';

/** Largest file that is read, in bytes. */
export const LARGEST_FILE_BYTES = 32 * 1024 * 1024;

/**
 * How a source is named in messages. A calendar's private address is a password, and where in the path it stands
 * differs from service to service: only the host is told, and a short digest keeps two calendars of one host apart.
 */
export function nameSource(source: string): string {
  const url = parseAddress(source);
  if (url === undefined) {
    return source;
  }
  const digest = createHash('sha256').update(url.href).digest('hex').slice(0, 8);
  return `${url.host}/… (${digest})`;
}

/** How messages speak of a source. */
export interface SourceName {
  readonly label: string;
  /** The setting or the flag that says where it is. */
  readonly setting: string;
}

export interface LoadOptions {
  readonly name: SourceName;
  readonly retry: RetryPolicy;
  readonly signal: AbortSignal;
}

/** @throws CalendarError */
export async function loadIcs(source: string, options: LoadOptions): Promise<Uint8Array> {
  const url = parseAddress(source);
  return url === undefined
    ? await loadFile(source, options.name)
    : await new RetryBudget(options.retry).run(() => request(url, options), options.signal);
}

/** The address to ask, or undefined when the source is a file. */
function parseAddress(source: string): URL | undefined {
  const address = source.replace(/^webcals?:/iu, 'https:');
  return /^https?:\/\//iu.test(address) && URL.canParse(address) ? new URL(address) : undefined;
}

// ---- files ----

async function loadFile(source: string, name: SourceName): Promise<Uint8Array> {
  try {
    await using file = await open(/^file:\/\//iu.test(source) ? fileURLToPath(source) : source, 'r');
    const { size } = await file.stat();
    if (size > LARGEST_FILE_BYTES) {
      throw tooLarge(name);
    }
    return await file.readFile();
  } catch (cause) {
    throw cause instanceof CalendarError ? cause : fileError(name, cause);
  }
}

function fileError({ label, setting }: SourceName, cause: unknown): CalendarError {
  const code = textOf(cause, 'code');
  const { kind, what, remedy } = FILE_ERRORS.get(code ?? '') ?? {
    kind: 'misconfigured',
    what: `the file cannot be read (${code ?? 'not a path'})`,
    remedy: `check that ${setting} is an address, or a path that this program may read`,
  };
  return new CalendarError(`calendar ${label}: ${what}`, {
    kind,
    remedy: remedy.replace('SETTING', setting),
    cause,
  });
}

interface FileErrorWords {
  readonly kind: FailureKind;
  readonly what: string;
  /** `SETTING` stands for what named the file. */
  readonly remedy: string;
}

const FILE_ERRORS: ReadonlyMap<string, FileErrorWords> = new Map([
  [
    'ENOENT',
    {
      kind: 'notFound',
      what: 'there is no such file',
      remedy:
        'give an address or a path as SETTING; a path in the config counts from the folder of the config',
    },
  ],
  [
    'EACCES',
    {
      kind: 'forbidden',
      what: 'this user may not read the file',
      remedy: 'check the permissions of the file that SETTING names',
    },
  ],
  ['EISDIR', { kind: 'misconfigured', what: 'it is a folder', remedy: 'name the ICS file in it as SETTING' }],
]);

// ---- addresses ----

async function request(url: URL, options: LoadOptions): Promise<Attempt<Uint8Array>> {
  const { name, retry, signal } = options;
  const timeout = AbortSignal.timeout(retry.requestTimeoutMs);
  try {
    const { address, authorization } = splitCredentials(url);
    const response = await fetch(address, {
      signal: AbortSignal.any([signal, timeout]),
      headers: {
        accept: 'text/calendar, */*;q=0.5',
        'user-agent': 'calendar-node-pool-autoscaler',
        ...(authorization === undefined ? {} : { authorization }),
      },
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return refusal(response, name);
    }
    return { kind: 'answered', value: await readBounded(response, name) };
  } catch (cause) {
    if (cause instanceof CalendarError) {
      throw cause;
    }
    const isEnded = signal.aborted || timeout.aborted;
    return (isEnded ? undefined : mistake(cause, name)) ?? silence(cause, options, timeout.aborted);
  }
}

/** fetch refuses an address with a user and a password in it, and leaves the header out when led to another host. */
function splitCredentials({ href, username, password }: URL): {
  readonly address: URL;
  readonly authorization: string | undefined;
} {
  const address = new URL(href);
  address.username = '';
  address.password = '';
  const pair = `${unescape(username)}:${unescape(password)}`;
  return {
    address,
    authorization: pair === ':' ? undefined : `Basic ${Buffer.from(pair).toString('base64')}`,
  };
}

/** A percent sign that escapes nothing stands for itself. */
function unescape(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function readBounded(response: Response, name: SourceName): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const body: AsyncIterable<unknown> | Iterable<unknown> = response.body ?? [];
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) {
      continue;
    }
    length += chunk.byteLength;
    if (length > LARGEST_FILE_BYTES) {
      throw tooLarge(name);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge({ label, setting }: SourceName): CalendarError {
  const megabytes = String(LARGEST_FILE_BYTES / 1024 / 1024);
  return new CalendarError(`calendar ${label}: larger than ${megabytes} MB`, {
    kind: 'malformed',
    remedy: `use a calendar of its own for capacity as ${setting}`,
  });
}

/** Undefined when asking again may help. */
function mistake(cause: unknown, { label, setting }: SourceName): Attempt<never> | undefined {
  const reason = fieldOf(cause, 'cause');
  const code = textOf(reason, 'code');
  if (code !== undefined && TLS_DISAGREEMENTS.has(code)) {
    return misconfigured(cause, {
      message: `calendar ${label}: no TLS that both the host of ${setting} and this program speak (${code})`,
      remedy: `check scheme and port of ${setting}: http: where the host has no TLS, else TLS 1.2 or later`,
    });
  }
  if (code === 'ERR_INVALID_URL' || isRefusedByFetch(reason)) {
    return misconfigured(cause, {
      message: `calendar ${label}: ${setting} does not lead to a file (${textOf(reason, 'message') ?? ''})`,
      remedy: `correct ${setting}: it must lead to the file by http or https, through a port that browsers allow, and not in a circle`,
    });
  }
  return undefined;
}

const TLS_DISAGREEMENTS: ReadonlySet<string> = new Set([
  // The other side does not speak TLS, at least not on this port.
  'ERR_SSL_WRONG_VERSION_NUMBER',
  // Its TLS is older than 1.2: it says so, or answers in the older one.
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
]);

/**
 * What fetch refuses by itself (a port that it blocks, more than 20 redirects, one to another scheme) comes as a plain
 * Error without a code; what the network, TLS and the other side do has a code or a class of its own.
 */
function isRefusedByFetch(reason: unknown): boolean {
  return textOf(reason, 'name') === 'Error' && fieldOf(reason, 'code') === undefined;
}

function misconfigured(
  cause: unknown,
  { message, remedy }: { readonly message: string; readonly remedy: string },
): Attempt<never> {
  const error = new CalendarError(message, { kind: 'misconfigured', remedy, cause });
  return { kind: 'failed', error, mayRetry: false, retryAfterMs: undefined };
}

function silence(cause: unknown, { name, signal }: LoadOptions, isTimedOut: boolean): Attempt<never> {
  const isStopped = signal.aborted;
  const kind: FailureKind = isStopped ? 'aborted' : isTimedOut ? 'timeout' : 'unavailable';
  const what = isStopped ? 'the reading was told to stop' : isTimedOut ? 'no answer in time' : 'no answer';
  return {
    kind: 'failed',
    error: new CalendarError(`calendar ${name.label}: ${what} from the host of ${name.setting}`, {
      kind,
      remedy: `check that the job can reach the host of ${name.setting}`,
      cause,
    }),
    mayRetry: !isStopped,
    retryAfterMs: undefined,
  };
}

const KINDS: ReadonlyMap<number, FailureKind> = new Map([
  [401, 'unauthenticated'],
  [403, 'forbidden'],
  [404, 'notFound'],
  [408, 'timeout'],
  [410, 'gone'],
  [429, 'throttled'],
]);

function refusal(response: Response, { label, setting }: SourceName): Attempt<never> {
  const { status } = response;
  const mayRetry = status === 408 || status === 429 || status >= 500;
  return {
    kind: 'failed',
    error: new CalendarError(`calendar ${label}: the host of ${setting} answers ${String(status)}`, {
      kind: KINDS.get(status) ?? (status >= 500 ? 'unavailable' : 'misconfigured'),
      remedy: mayRetry
        ? 'wait; when it lasts, ask whoever runs that host'
        : `copy the secret address in iCal format into ${setting} again; it is renewed when somebody resets it`,
      status,
    }),
    mayRetry,
    retryAfterMs: readRetryAfter(response.headers.get('retry-after'), Date.now()),
  };
}
