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

/** First match wins; the last one always matches. */
const NOT_COUNTS: readonly NotCount[] = [
  { pattern: /~~/u, problem: 'struck out' },
  { pattern: /^(?:~|null|none|nil)?$/iu, problem: 'no number' },
  { pattern: /^(?:yes|no|on|off|true|false|y|n)$/iu, problem: 'yes or no, not a number' },
  { pattern: /^-\d+$/u, problem: 'less than zero', likely: (value) => safe(value.slice(1)) },
  { pattern: /^[-+]?\d+(?:\.\d+)? ?%$/u, problem: 'a share, not a number of nodes' },
  { pattern: /^\d+:\d+(?::\d+)?(?: ?[ap]m)?$/iu, problem: 'a time' },
  { pattern: /^\d{1,2} ?[ap]m$/iu, problem: 'a time' },
  { pattern: /^\d+ ?(?:-|to|\.\.+) ?\d+$/iu, problem: 'a range' },
  { pattern: /^\d+ ?(?:or|\/|and|&) ?\d+$/iu, problem: 'two numbers' },
  {
    pattern: /^\d{1,3}(?:[_,. '’]\d{3})+$/u,
    problem: 'a number with separators',
    likely: (value) => safe(value.replace(/\D/gu, '')),
  },
  { pattern: /^[-+]?\d*[.,]\d+$/u, problem: 'not a whole number' },
  {
    pattern: /^0x[\da-f]+$/iu,
    problem: 'a hexadecimal number',
    likely: (value) => safeNumber(Number(value)),
  },
  { pattern: /^[-+]?\d+(?:\.\d*)?e[-+]?\d+$/iu, problem: 'not a plain number' },
  { pattern: /^[-+]?\.?(?:inf|infinity|nan)$/iu, problem: 'not a plain number' },
  {
    pattern: /^(?:x|×|~|≈|<=?|>=?|ca\.?|about|approx\.?) ?\d+$|^\d+ ?(?:x|×|\+|\?)$/iu,
    problem: 'not a plain number',
    likely: (value) => safe(value.replace(/\D/gu, '')),
  },
  {
    pattern: /^[a-z]+$/iu,
    problem: 'a word, not a number',
    likely: (value) => wordValue(value),
  },
  { pattern: /^\D*$/u, problem: 'no number' },
  { pattern: /\d\D+\d/u, problem: 'more than one number' },
  { pattern: /^/u, problem: 'more than a number', likely: (value) => safe(/\d+/u.exec(value)?.[0] ?? '') },
];

/** Reads the text behind the colon; look-alike characters are folded already (description-text.ts). */
export function readCount(text: string): CountReading {
  const bare = text.replace(COMMENT, '').trim();
  if (bare.length > LONGEST_VALUE) {
    return { kind: 'notCount', problem: 'more than a number', likely: undefined };
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
  const match = NOT_COUNTS.find(({ pattern }) => pattern.test(value));
  return {
    kind: 'notCount',
    problem: match?.problem ?? 'not a number',
    likely: match?.likely?.(value),
  };
}

/** Whether the text behind a colon is nothing at all, comments aside. */
export function isEmptyValue(text: string): boolean {
  return text.replace(COMMENT, '').trim() === '';
}

/** Takes off closing marks, quotation marks and emphasis, as often as they are put on. */
function unwrap(bare: string): string {
  let value = bare;
  for (let layer = 0; layer < 4; layer += 1) {
    const marked = value.length > 1 ? value.replace(CLOSING_MARKS, '') : value;
    const inner = (QUOTED.exec(marked) ?? EMPHASIS.exec(marked))?.[2] ?? marked;
    if (inner === value) {
      return value;
    }
    value = inner.trim();
  }
  return value;
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

function safe(digits: string): number | undefined {
  return digits === '' ? undefined : safeNumber(Number(digits));
}

function safeNumber(value: number): number | undefined {
  return Number.isSafeInteger(value) ? value : undefined;
}

function wordValue(word: string): number | undefined {
  const value = WORDS.indexOf(word.toLowerCase());
  return value < 0 ? undefined : value;
}
