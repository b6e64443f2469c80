/**
 * One line of a description, taken apart: `key: value` pairs wherever they are plain (behind a list marker,
 * in braces, several between commas, bold, quoted), and for every other line what sort of line it is.
 */
import { DECORATION } from './decoration.ts';
import { foldLine } from './description-text.ts';

export interface Pair {
  readonly key: string;
  /** The text behind the separator, unread. */
  readonly value: string;
  readonly separator: ':' | '=';
  /** No space behind the colon: YAML would not call this a mapping. */
  readonly isTight: boolean;
}

/** What YAML would expand: a value given a name (`&a`), that name (`*a`), a mapping merged in (`<<`). */
export type YamlMark = 'anchor' | 'alias' | 'merge';

export type DescriptionLine =
  /** Nothing to read: empty, a comment, a rule, a code fence, a lone bracket. */
  | { readonly kind: 'blank' }
  /** The rest is a mail signature. */
  | { readonly kind: 'signature' }
  /** Edge of the block that Google Meet writes into descriptions. */
  | { readonly kind: 'meetingEdge' }
  | {
      readonly kind: 'pairs';
      readonly text: string;
      readonly pairs: readonly Pair[];
      readonly yamlMarks: readonly YamlMark[];
      readonly hasLink: boolean;
    }
  | {
      readonly kind: 'other';
      readonly text: string;
      readonly hasLink: boolean;
    };

/** Longest name on the left of a colon, in characters; a longer text is a sentence. */
const LONGEST_KEY = 100;

const MEETING_EDGE = /^-::~:~::~/u;
const RULE = /^[-=*_~.·•:<>|+#\s]+$/u;
const FENCE = /^(?:`{3,}|~{3,})\s*[\w-]*$/u;
const BRACKETS = /^[{}[\](),;\s]+$/u;
const LINK =
  /[a-z][a-z\d+.-]{1,20}:\/\/\S|\b(?:mailto|tel|sip|callto):\S|\bwww\.\S|[\w.+-]{1,64}@[\w-]{1,64}\.\w/iu;
const COMMENT = /\s#.*$/u;

// Bullets, arrows, ticks and emoji, `[ ]`, `1.`, `(2)`, `a)`; an asterisk only with a space, else it may be emphasis.
const MARKERS = [
  '[-+>•‣⁃·∙◦]+\\s*',
  '\\*\\s+',
  `${DECORATION}+\\s*`,
  '[→⇒➔]\\s*',
  '\\[[ x]?\\]\\s+',
  '\\(?\\d{1,2}[.)]\\s+',
  '\\(?[a-z][.)]\\s+',
];
const MARKER = new RegExp(`^(?:${MARKERS.join('|')})+`, 'iu');
const TRAILING_DECORATION = new RegExp(`(?:\\s|${DECORATION})+$`, 'u');
const EMPHASISED = /^(\*{1,3}|`{1,3})(?=\S)(.+?)\1/u;
// Inside a word an underscore is part of it: `my_pool`.
const UNDERSCORED = /^(_{1,3})(?=[^\s_])(.+?)\1(?!\w)/u;
// A bracket that is still open at the colon: `(base: 3)`, but not `(hub) base: 3`.
const WRAPPED = /^[{[(<](?=[^{}[\]()<>:=]{0,100}[:=])/u;
const QUOTED_KEY = /^(["'])(.{1,100}?)\1\s*([:=])(.*)$/u;
const QUOTED_LINE = /^(["'])(.*)\1$/u;

const ANCHOR_VALUE = /^(?:[&*][\w-]+(?:\s*[,\]}].*)?$|&[\w-]+\s|\[\s*[*&][\w-])/u;
const ANCHOR = /(?:^|[\s[,{])&[\w-]/u;
const ALIAS = /(?:^|[\s[,{])\*[\w-]/u;
const EMPHASISED_VALUE = /^\*{1,3}[^*]+\*/u;

export function readLine(raw: string): DescriptionLine {
  const trimmed = foldLine(raw).trim();
  const structural = readStructure(trimmed);
  if (structural !== undefined) {
    return structural;
  }
  const text = trimmed.replace(COMMENT, '').trimEnd();
  const place = { text, hasLink: LINK.test(text) };
  // `https://example.edu/?week=3` has an equals sign and asks for nothing.
  const pairs = splitPairs(stripBrackets(stripMarkers(text))).filter(({ key }) => !LINK.test(key));
  const yamlMarks = pairs.flatMap(marksOf);
  return pairs.length === 0 ? { kind: 'other', ...place } : { kind: 'pairs', pairs, yamlMarks, ...place };
}

function readStructure(trimmed: string): DescriptionLine | undefined {
  if (trimmed === '--') {
    return { kind: 'signature' };
  }
  if (MEETING_EDGE.test(trimmed)) {
    return { kind: 'meetingEdge' };
  }
  const isBlank =
    trimmed.startsWith('#') ||
    RULE.test(trimmed) ||
    FENCE.test(trimmed) ||
    BRACKETS.test(trimmed) ||
    trimmed === '';
  return isBlank ? { kind: 'blank' } : undefined;
}

function stripMarkers(text: string): string {
  const bare = text.replace(MARKER, '');
  const plain = bare.replace(EMPHASISED, '$2').replace(UNDERSCORED, '$2');
  return plain.replace(/^\*+\s*/u, '');
}

const OPENERS: ReadonlyMap<string, string> = new Map([
  ['}', '{'],
  [']', '['],
  [')', '('],
  ['>', '<'],
]);

/** Brackets around a line or around several: `{base: 3,` on one line and `workshop: 1}` on the next. */
function stripBrackets(text: string): string {
  const opened = text.replace(WRAPPED, '');
  const closed = opened.replace(/[,;]$/u, '').trimEnd();
  const opener = OPENERS.get(closed.slice(-1));
  // In `base: 3 (lab)` the last bracket belongs to the one before it.
  const isLoose = opener !== undefined && !closed.includes(opener);
  return (isLoose ? closed.slice(0, -1) : opened).trim();
}

/** The pairs of a line: several when commas or semicolons part them and every part is one; none for prose. */
function splitPairs(text: string): readonly Pair[] {
  const parts = text
    .split(/[,;]/u)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const pairs = parts.map(splitPair);
  // `base: 1,000` is no base of 1: one part that is not a pair, and the line stays whole.
  if (pairs.every((pair) => pair !== undefined)) {
    return pairs;
  }
  const single = splitPair(text);
  return single === undefined ? [] : [single];
}

function splitPair(text: string): Pair | undefined {
  const [, , quotedKey, mark, behind] = QUOTED_KEY.exec(text) ?? [];
  if (quotedKey !== undefined && behind !== undefined) {
    return { key: quotedKey.trim(), value: behind.trim(), separator: separatorOf(mark), isTight: false };
  }
  const line = QUOTED_LINE.exec(text)?.[2] ?? text;
  const at = findSeparator(line);
  if (at < 0) {
    return undefined;
  }
  const key = line.slice(0, at).replace(/\*+$/u, '').replace(TRAILING_DECORATION, '').trim();
  const value = line.slice(at + 1);
  const separator = separatorOf(line[at]);
  return {
    key: key.replace(QUOTED_LINE, '$2'),
    value: value.trim(),
    separator,
    isTight: separator === ':' && /^\S/u.test(value),
  };
}

/** The hour of a time, also of the second of two: `9:00-10:30`. */
const HOUR = /(?:^|[^\w-])(?:\d{1,2}(?:[:.]\d\d)? ?(?:[ap]m)? ?- ?)?\d{1,2}$/iu;

function separatorOf(mark: string | undefined): ':' | '=' {
  return mark === '=' ? '=' : ':';
}

/** Where the first colon or equals sign is that parts a name from a value; a time or a link has none. */
function findSeparator(line: string): number {
  const head = line.slice(0, LONGEST_KEY + 1);
  for (const { index } of head.matchAll(/[:=]/gu)) {
    const before = line.slice(0, index);
    const behind = line.slice(index + 1, index + 3);
    const isLink = behind === '//';
    const isTime = HOUR.test(before) && /^\d\d/u.test(behind);
    if (!isLink && !isTime) {
      return index;
    }
  }
  return -1;
}

function marksOf({ key, value }: Pair): readonly YamlMark[] {
  if (key === '<<') {
    return ['merge'];
  }
  if (!ANCHOR_VALUE.test(value) || EMPHASISED_VALUE.test(value)) {
    return [];
  }
  return [
    ...(ANCHOR.test(value) ? ['anchor' as const] : []),
    ...(ALIAS.test(value) ? ['alias' as const] : []),
  ];
}
