/**
 * People type descriptions on phones and paste them from word processors. Characters that look the same to
 * them are the same to us: every kind of space, dash, quotation mark, colon and decimal digit becomes the one
 * of ASCII, and marks that nobody can see go away. Fractions and raised digits stay as they are: `3²` is no 32.
 */

import { toOneLine } from './one-line.ts';

/** Longest description that is read, in characters; Google stores 8,192. */
export const LONGEST_DESCRIPTION = 20_000;

/** Most lines of a description that are read. */
export const MOST_LINES = 1_000;

/** Longest piece of a person's text that a finding carries, in characters. */
export const LONGEST_EXCERPT = 80;

/** Nearly every line: nothing to fold. */
const ORDINARY = /^[\x20-\x7E]*$/u;

const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u;

// Zero-width and soft marks, byte order mark, direction marks, and the variation selector and keycap of emoji.
const INVISIBLE =
  /[\u00AD\u034F\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\u20E3\uFE00-\uFE0F\uFEFF]/gu;
/** Control characters too: nobody types them, and `1` NUL `2` is no 12. */
const SPACE = /[\p{Cc}\p{Zs}\u2800]/gu;
const DASH = /[\u058A\u2010-\u2015\u2212\u2E3A\u2E3B\uFE58\uFE63\uFF0D]/gu;
const DOUBLE_QUOTE = /[\u00AB\u00BB\u201C-\u201F\u2033\u300C-\u300F\u301D-\u301F\uFF02]/gu;
const SINGLE_QUOTE = /[\u00B4\u2018-\u201B\u2032\u2039\u203A\uFF07]/gu;
const COLON = /[\u02D0\u02F8\u2236\uA789\uFE13\uFE30\uFE55]/gu;
const COMMA = /[\u060C\u3001\uFE10\uFE50]/gu;
const FULL_WIDTH = /[\uFF01-\uFF5E]/gu;
const FULL_WIDTH_OFFSET = 0xfee0;
const OTHER_DIGIT = /[\u0660-\u0669\u06F0-\u06F9\u0966-\u096F\u09E6-\u09EF\u0E50-\u0E59]/gu;
/** The zero of each of those scripts. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50];

/** One line with look-alike characters folded to ASCII; its length may shrink, its meaning may not change. */
export function foldLine(line: string): string {
  if (ORDINARY.test(line)) {
    return line;
  }
  return line
    .normalize('NFC')
    .replace(INVISIBLE, '')
    .replace(SPACE, ' ')
    .replace(DASH, '-')
    .replace(DOUBLE_QUOTE, '"')
    .replace(SINGLE_QUOTE, "'")
    .replace(COLON, ':')
    .replace(COMMA, ',')
    .replace(FULL_WIDTH, (mark) => String.fromCodePoint((mark.codePointAt(0) ?? 0) - FULL_WIDTH_OFFSET))
    .replace(OTHER_DIGIT, foldDigit);
}

function foldDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  const zero = ZEROS.findLast((candidate) => candidate <= code) ?? code;
  return String(code - zero);
}

/** A name as it is compared: look-alikes folded, letter case gone. */
export function foldName(name: string): string {
  return foldLine(name).trim().toLowerCase();
}

export interface BoundedLines {
  readonly lines: readonly string[];
  readonly isCut: boolean;
}

/**
 * The lines of a description within its bounds. A text that is too long is cut behind its last whole line:
 * cut inside a line, `base: 12` could become `base: 1`.
 */
export function splitLines(text: string): BoundedLines {
  const isLong = text.length > LONGEST_DESCRIPTION;
  const lines = text.slice(0, LONGEST_DESCRIPTION).split(LINE_BREAK);
  const whole = isLong ? lines.slice(0, -1) : lines;
  return { lines: whole.slice(0, MOST_LINES), isCut: isLong || whole.length > MOST_LINES };
}

/** A person's text as a finding may carry it: one line, cut to a bound. */
export function excerpt(text: string): string {
  // A line of thousands of pairs is quoted for each of them: only its beginning is looked at.
  const characters = Array.from(
    toOneLine(text.slice(0, LONGEST_EXCERPT * 10)).slice(0, (LONGEST_EXCERPT + 1) * 2),
  );
  return characters.length <= LONGEST_EXCERPT
    ? characters.join('')
    : `${characters.slice(0, LONGEST_EXCERPT - 1).join('')}…`;
}
