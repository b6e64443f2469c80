/** A log line for a person: `12:00:01Z WARNING message  key=value`. Always one line, never a control character. */
import { styleText } from 'node:util';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  /** ISO 8601. */
  readonly time: string;
  /** A mapping of printable values. */
  readonly fields: unknown;
}

const SEVERITIES: ReadonlyMap<string, string> = new Map([
  ['debug', 'DEBUG'],
  ['info', 'INFO'],
  ['warn', 'WARNING'],
  ['error', 'ERROR'],
]);

const COLORS: ReadonlyMap<string, 'gray' | 'yellow' | 'red'> = new Map([
  ['debug', 'gray'],
  ['warn', 'yellow'],
  ['error', 'red'],
]);

export function formatLine({ level, message, time, fields }: LogLine, hasColors: boolean): string {
  const severity = (SEVERITIES.get(level) ?? level).padEnd('WARNING'.length);
  const color = COLORS.get(level);
  const colored =
    hasColors && color !== undefined ? styleText(color, severity, { validateStream: false }) : severity;
  const pairs = entriesOf(fields).map(([key, value]) => ` ${key}=${formatValue(value)}`);
  return `${time.slice(11, 19)}Z ${colored} ${escapeControls(message)}${pairs.length > 0 ? ' ' : ''}${pairs.join('')}`;
}

function entriesOf(fields: unknown): readonly (readonly [string, unknown])[] {
  return typeof fields === 'object' && fields !== null ? Object.entries(fields) : [];
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') {
    return /^[\w.:/@+-]+$/.test(value) ? value : escapeControls(JSON.stringify(value));
  }
  return escapeControls(isErrorLike(value) ? formatError(value) : JSON.stringify(value));
}

interface ErrorLike {
  readonly name: string;
  readonly message: string;
  readonly remedy?: unknown;
  readonly cause?: unknown;
  readonly stack?: unknown;
}

function isErrorLike(value: unknown): value is ErrorLike {
  return typeof value === 'object' && value !== null && 'name' in value && 'message' in value;
}

/** An error as a sentence: what happened, why, and what to do about it. */
function formatError(error: ErrorLike): string {
  const causes: string[] = [];
  for (let cause = error.cause; isErrorLike(cause); cause = cause.cause) {
    causes.push(cause.message);
  }
  const remedy = typeof error.remedy === 'string' ? ` -> ${error.remedy}` : '';
  const stack = typeof error.stack === 'string' ? ` (${error.stack})` : '';
  const because = causes.length === 0 ? '' : `: ${causes.join(': ')}`;
  return JSON.stringify(`${error.name}: ${error.message}${because}${remedy}${stack}`);
}

/** Escapes what could move the cursor, fake another line or turn the text around. */
function escapeControls(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
