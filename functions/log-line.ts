/** A log line for a person: `12:00:01Z WARNING message: sentence  key=value`. One line, never a control character. */
import { styleText } from 'node:util';
import { type ErrorLike, errorWords, isErrorLike, wordFields } from './log-words.ts';

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
  const { sentence, rest } = wordFields(typeof fields === 'object' && fields !== null ? { ...fields } : {});
  const said = escapeControls(sentence === undefined ? message : `${message}: ${sentence}`);
  const pairs = Object.entries(rest)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}=${formatValue(value)}`);
  return `${time.slice(11, 19)}Z ${colored} ${said}${pairs.length > 0 ? ' ' : ''}${pairs.join('')}`;
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') {
    return /^[\w.:/@+-]+$/.test(value) ? value : escapeControls(JSON.stringify(value));
  }
  return escapeControls(isErrorLike(value) ? formatError(value) : JSON.stringify(value));
}

/** An error that nobody foresaw says where in the code it arose. */
function formatError(error: ErrorLike): string {
  const stack = typeof error.stack === 'string' ? ` (${error.stack})` : '';
  return JSON.stringify(`${error.name}: ${errorWords(error)}${stack}`);
}

/** Escapes what could move the cursor, fake another line or turn the text around. */
function escapeControls(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
