/**
 * Fields of a log line as plain values: safe to write as JSON, bounded, and without secrets. What a calendar or
 * an API server says ends up here, so nothing about a value is taken for granted.
 */
import { format } from 'node:util';
import { ConfigError, OutsideError } from './errors.ts';

const MAX_DEPTH = 6;
const MAX_ENTRIES = 200;
const MAX_TEXT_LENGTH = 4000;
const MAX_CAUSES = 5;

const REDACTED = '[redacted]';
const SECRET_KEYS =
  /^(authorization|proxy-authorization|cookie|set-cookie|(access|refresh|id)?_?token|password|private_?key|client_?secret)$/i;
const SECRET_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/-]+=*/gi, `$1 ${REDACTED}`],
  [/\bya29\.[\w.-]+/g, REDACTED],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, REDACTED],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  // The private address of a Google calendar: whoever has it reads the calendar.
  [/\/private-[0-9a-f]{8,}\//gi, `/private-${REDACTED}/`],
  // User and password in an address.
  [/([a-z][\w+.-]*:\/\/)[^\s/@"']+@/gi, `$1${REDACTED}@`],
  [/([?&](?:access_token|token|key|sig|signature)=)[^&\s"']+/gi, `$1${REDACTED}`],
];

/** Every field printable; fields that stand for nothing are left out. */
export function toPrintableFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return printMapping(Object.entries(fields), { depth: 0, above: [] });
}

export function redactText(text: string): string {
  const bounded =
    text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}… (${text.length} characters)` : text;
  return SECRET_TEXTS.reduce(
    (redacted, [secret, replacement]) => redacted.replace(secret, replacement),
    bounded,
  );
}

interface Place {
  readonly depth: number;
  /** The objects that this value stands in, to stop at one that contains itself. */
  readonly above: readonly object[];
}

function toPrintable(value: unknown, place: Place): unknown {
  if (typeof value === 'string') {
    return redactText(value);
  }
  if (typeof value === 'object' && value !== null) {
    return printObject(value, place);
  }
  const isPlain =
    value === null || value === undefined || typeof value === 'boolean' || Number.isFinite(value);
  if (isPlain) {
    return value;
  }
  return typeof value === 'bigint' ? value.toString() : format(value);
}

function printObject(value: object, { depth, above }: Place): unknown {
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
  }
  if (depth >= MAX_DEPTH || above.includes(value)) {
    return above.includes(value) ? '[circular]' : '[deeper]';
  }
  const inside: Place = { depth: depth + 1, above: [...above, value] };
  if (value instanceof Error) {
    return printError(value, inside);
  }
  if (Array.isArray(value) || value instanceof Set) {
    return [...value].slice(0, MAX_ENTRIES).map((entry) => toPrintable(entry, inside));
  }
  if (value instanceof Map) {
    return printMapping(
      [...value].map(([key, entry]) => [String(key), entry] as const),
      inside,
    );
  }
  return printMapping(Object.entries(value), inside);
}

function printMapping(
  entries: readonly (readonly [string, unknown])[],
  inside: Place,
): Record<string, unknown> {
  // A key such as __proto__ must become a key of its own, which assignment would not do.
  return Object.fromEntries(
    entries
      .slice(0, MAX_ENTRIES)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, SECRET_KEYS.test(key) ? REDACTED : toPrintable(value, inside)]),
  );
}

/** What happened and what to do. Only an error that nobody foresaw shows where in the code it arose. */
function printError(error: Error, inside: Place): Record<string, unknown> {
  const isForeseen = error instanceof OutsideError || error instanceof ConfigError;
  return printMapping(
    Object.entries({
      name: error.name,
      message: error.message,
      kind: error instanceof OutsideError ? error.kind : undefined,
      status: error instanceof OutsideError ? error.status : undefined,
      code: codeOf(error),
      remedy: error instanceof OutsideError ? error.remedy : undefined,
      findings: error instanceof ConfigError ? error.findings : undefined,
      errors: error instanceof AggregateError ? error.errors : undefined,
      stack: isForeseen || inside.depth > 1 ? undefined : error.stack,
      cause: inside.depth > MAX_CAUSES ? undefined : error.cause,
    }),
    inside,
  );
}

function codeOf(error: Error): string | number | undefined {
  const code: unknown = 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? code : undefined;
}
