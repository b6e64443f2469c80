/**
 * A count is a whole number, zero or more, written any plain way: `3`, `"3"`, `03`, `2.0`, `0o10`, `3 nodes`.
 * Nothing is guessed: `2.5`, `yes`, `50%`, `1:30`, a range or two numbers are not counts, and the answer says
 * what to write instead.
 */

import { PICTURE } from './decoration.ts';

export type CountReading =
  | { readonly kind: 'count'; readonly count: number; readonly remark: string | undefined }
  | {
      readonly kind: 'notCount';
      /** What it is instead, in words that complete "… is". */
      readonly problem: string;
      /** A whole number that may have been meant; undefined when none suggests itself. */
      readonly likely: number | undefined;
    };

/** No count takes more characters; a bound also keeps every pattern below linear. */
const LONGEST_VALUE = 64;

const COMMENT = /(?:^|\s)#.*$/u;
const CLOSING_MARKS = /[\s.,;!…]+$/u;
const EMPHASIS = /^(\*{1,3}|_{1,3}|`{1,3})(.*)\1$/u;
const QUOTED = /^(["'])(.*)\1$/u;

const DECIMAL = /^\+?\d+$/u;
const OCTAL = /^0o[0-7]+$/u;
// `2.0` is what a spreadsheet makes of 2; `2.000` is two thousand in half of Europe.
const WHOLE_FLOAT = /^\+?(\d+)\.0{0,2}$/u;
const UNITS =
  '(?:spare )?(?:node|spare|placeholder|replica|machine|server|vm|pod)s?|knoten|n(?:œ|oe)uds?|nodos?|nodi';
const REMARKS = ['\\([^()\\d]*\\)', '\\[[^[\\]\\d]*\\]', `${PICTURE}(?: ?${PICTURE})*`];
/** A number, and what plainly says what it counts or is set apart as a remark without digits. */
const WITH_UNIT = new RegExp(`^(\\+?\\d+) ?(${[UNITS, ...REMARKS].join('|')})$`, 'iu');

const WORDS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

interface NotCount {
  readonly pattern: RegExp;
  readonly problem: string;
  readonly likely?: (value: string) => number | undefined;
}

/** First match wins; what matches none is a number with something else. */
const NOT_COUNTS: readonly NotCount[] = [
  { pattern: /~~/u, problem: 'struck out' },
  { pattern: /^(?:~|null|none|nil)?$/iu, problem: 'no number' },
  { pattern: /^(?:yes|no|on|off|true|false|y|n)$/iu, problem: 'yes or no, not a number' },
  { pattern: /^-\d+$/u, problem: 'less than zero', likely: digitsOf },
  { pattern: /^[-+]?\d+(?:\.\d+)? ?%$/u, problem: 'a share, not a number of nodes' },
  { pattern: /^\d+:\d+(?::\d+)?(?: ?[ap]m)?$/iu, problem: 'a time' },
  { pattern: /^\d{1,2} ?[ap]m$/iu, problem: 'a time' },
  { pattern: /^\d+ ?(?:-|to|\.\.+) ?\d+$/iu, problem: 'a range' },
  { pattern: /^\d+ ?(?:or|\/|and|&) ?\d+$/iu, problem: 'two numbers' },
  {
    pattern: /^\d{1,3}(?:[_,. '’]\d{3})+$/u,
    problem: 'a number with separators',
    likely: digitsOf,
  },
  { pattern: /^[-+]?\d*[.,]\d+$/u, problem: 'not a whole number' },
  {
    pattern: /^0x[\da-f]+$/iu,
    problem: 'a hexadecimal number',
    likely: (value) => safe(Number(value)),
  },
  { pattern: /^[-+]?\d+(?:\.\d*)?e[-+]?\d+$/iu, problem: 'not a plain number' },
  { pattern: /^[-+]?\.?(?:inf|infinity|nan)$/iu, problem: 'not a plain number' },
  {
    pattern: /^(?:x|×|~|≈|<=?|>=?|ca\.?|about|approx\.?) ?\d+$|^\d+ ?(?:x|×|\+|\?)$/iu,
    problem: 'not a plain number',
    likely: digitsOf,
  },
  {
    pattern: /^[a-z]+$/iu,
    problem: 'a word, not a number',
    likely: (value) => wordValue(value),
  },
  { pattern: /^\D*$/u, problem: 'no number' },
  { pattern: /\d\D+\d/u, problem: 'more than one number' },
];

const MORE_THAN_NUMBER: Omit<NotCount, 'pattern'> = { problem: 'more than a number', likely: digitsOf };

/** Reads the text behind the colon, trimmed; look-alike characters are folded already (description-text.ts). */
export function readCount(text: string): CountReading {
  const bare = text.replace(COMMENT, '');
  if (bare.length > LONGEST_VALUE) {
    return { kind: 'notCount', problem: MORE_THAN_NUMBER.problem, likely: undefined };
  }
  const value = unwrap(bare);
  const digits = plainDigits(value);
  if (digits !== undefined) {
    return { kind: 'count', count: saturate(digits), remark: undefined };
  }
  const [, counted, remark] = WITH_UNIT.exec(value) ?? [];
  if (counted !== undefined) {
    return { kind: 'count', count: saturate(Number(counted)), remark };
  }
  const { problem, likely } = NOT_COUNTS.find(({ pattern }) => pattern.test(value)) ?? MORE_THAN_NUMBER;
  return { kind: 'notCount', problem, likely: likely?.(value) };
}

/** Whether the text behind a colon, trimmed, is nothing at all, comments aside. */
export function isEmptyValue(text: string): boolean {
  return text.replace(COMMENT, '') === '';
}

/** Takes off closing marks, quotation marks and emphasis, as often as they are put on. */
function unwrap(value: string): string {
  const marked = value.replace(CLOSING_MARKS, '');
  const inner = (QUOTED.exec(marked) ?? EMPHASIS.exec(marked))?.[2] ?? marked;
  return inner === value ? value : unwrap(inner.trim());
}

function plainDigits(value: string): number | undefined {
  if (DECIMAL.test(value) || OCTAL.test(value)) {
    return Number(value);
  }
  const whole = WHOLE_FLOAT.exec(value)?.[1];
  return whole === undefined ? undefined : Number(whole);
}

/** A count too large to be exact is still a request for more than any pool allows, and is clamped later. */
function saturate(count: number): number {
  return Math.min(count, Number.MAX_SAFE_INTEGER);
}

/** The only number in a text. */
function digitsOf(value: string): number | undefined {
  return safe(Number(value.replace(/\D/gu, '')));
}

function safe(value: number): number | undefined {
  return Number.isSafeInteger(value) ? value : undefined;
}

function wordValue(word: string): number | undefined {
  const value = WORDS.indexOf(word.toLowerCase());
  return value < 0 ? undefined : value;
}
