/**
 * What is said about a line that asks for nothing: loudly when its writer may have meant a count, quietly when it
 * only resembles a request, and not at all when it is prose or what calendars append. Always with the likely fix.
 */
import { isBoilerplate, isPhoneNumber } from './boilerplate.ts';
import { isEmptyValue } from './count-text.ts';
import type { DescriptionLine, Pair } from './description-line.ts';
import { excerpt, foldName } from './description-text.ts';
import type { Finding } from './event.ts';
import {
  findMention,
  findRequests,
  guessBareRequest,
  looksLikeCount,
  nearestPool,
  startsLikeCount,
  type Guess,
} from './mention.ts';

export type Note = Pick<Finding, 'code' | 'severity' | 'line' | 'text' | 'message'>;

export interface Surroundings {
  /** Undefined: not known here, so any name may be one. */
  readonly poolNames: readonly string[] | undefined;
  /** Inside a mail signature, or what a meeting's program wrote. */
  readonly isAppended: boolean;
}

export interface DroppedPair {
  readonly pair: Pair;
  readonly reading: { readonly problem: string; readonly likely: number | undefined };
  readonly line: DescriptionLine & { readonly kind: 'pairs' };
  readonly number: number;
  readonly around: Surroundings;
}

/** At most one note. */
export function droppedNote(dropped: DroppedPair): readonly Note[] {
  const { pair, line, number, around } = dropped;
  const swapped = readSwapped(pair, around.poolNames ?? []);
  if (swapped !== undefined) {
    return [unreadableNote(line.text, number, [swapped])];
  }
  const weight = weigh(dropped);
  if (weight === 'none') {
    return [];
  }
  const text = excerpt(line.text);
  return weight === 'warning'
    ? [{ code: 'not-a-count', severity: weight, line: number, text, message: explain(dropped) }]
    : [{ code: 'ignored-line', severity: weight, line: number, text, message: sayIgnored(pair) }];
}

/** `3: base`. */
function readSwapped({ key, value }: Pair, poolNames: readonly string[]): Guess | undefined {
  return /^\d{1,6}$/u.test(key) ? guessBareRequest(`${key} ${value}`, poolNames) : undefined;
}

function sayIgnored({ key, value }: Pair): string {
  return `line ignored: \`${excerpt(key)}\` is no pool and \`${excerpt(value)}\` is no count`;
}

function explain({ pair, reading, around }: DroppedPair): string {
  const { problem, likely } = reading;
  const known = around.poolNames ?? [];
  const isNotCount = `\`${excerpt(pair.value)}\` behind \`${excerpt(pair.key)}\` is ${problem}`;
  // A second separator: `base: 3 workshop: 1`, or `Nodes: base: 3`. The pair alone: a line may hold thousands.
  const inside = /[:=]/u.test(pair.value) ? findRequests(`${pair.key}: ${pair.value}`, known) : [];
  if (inside.length > 0) {
    return `${isNotCount}; ${offer(inside)}`;
  }
  const pool = nearestPool(pair.key, known) ?? findMention(`${pair.key} ${pair.value}`, known) ?? pair.key;
  const hint =
    likely === undefined
      ? `write a whole number, such as \`${excerpt(pool)}: 3\``
      : offer([{ name: pool, count: likely }]);
  return isEmptyValue(pair.value)
    ? `there is nothing behind \`${excerpt(pair.key)}\`; ${hint}`
    : `${isNotCount}; ${hint}`;
}

function offer(guesses: readonly Guess[]): string {
  const texts = guesses.map(({ name, count }) => `\`${excerpt(name)}: ${String(count)}\``);
  return texts.length === 1
    ? `did you mean ${texts.join('')}?`
    : `write each on a line of its own: ${texts.slice(0, 5).join(', ')}`;
}

/** How loudly a dropped pair is reported: could its writer have meant a count? */
function weigh({ pair, line, around }: DroppedPair): 'warning' | 'notice' | 'none' {
  const { poolNames, isAppended } = around;
  if (poolNames !== undefined && concernsPool(pair, poolNames)) {
    return 'warning';
  }
  if (line.hasLink || isAppended || isBoilerplate(pair.key) || isPhoneNumber(pair.value)) {
    return 'none';
  }
  return poolNames === undefined ? weighUnknown(pair) : weighStranger(pair);
}

function concernsPool({ key, value }: Pair, poolNames: readonly string[]): boolean {
  return (
    nearestPool(key, poolNames) !== undefined ||
    findMention(key, poolNames) !== undefined ||
    findRequests(value, poolNames).length > 0 ||
    (findMention(value, poolNames) !== undefined && looksLikeCount(value))
  );
}

/** Any key may be a pool, unless it is a sentence. */
function weighUnknown({ key, value }: Pair): 'warning' | 'none' {
  return looksLikeCount(value) || !key.includes(' ') ? 'warning' : 'none';
}

/** `gpu: 2.5` of a pool that is gone is worth a warning, `Course: Data 8` a word; a heading or prose is not. */
function weighStranger({ key, value }: Pair): 'warning' | 'notice' | 'none' {
  if (startsLikeCount(value)) {
    return 'warning';
  }
  return isEmptyValue(value) || (key.includes(' ') && !looksLikeCount(value)) ? 'none' : 'notice';
}

// ---- lines without a pair ----

export function proseNotes(
  line: DescriptionLine & { readonly kind: 'other' },
  number: number,
  { poolNames, isAppended }: Surroundings,
): readonly Note[] {
  const { text, hasLink } = line;
  const inside = findRequests(text, poolNames ?? []);
  if (inside.length > 0) {
    return [unreadableNote(text, number, inside)];
  }
  if (isAppended || hasLink) {
    return [];
  }
  if (/^[{}]/u.test(text) || /^\d{1,6}$/u.test(text)) {
    return [unreadableNote(text, number)];
  }
  return poolNames === undefined ? looseNotes(text, number) : mentionNotes(text, number, poolNames);
}

/** Without pool names only the plainest slip is told from prose. */
function looseNotes(text: string, number: number): readonly Note[] {
  const [, name, count] = /^([\w/.-]+) (\d{1,6})$/u.exec(text) ?? [];
  return name === undefined ? [] : [unreadableNote(text, number, [{ name, count: Number(count) }])];
}

function mentionNotes(text: string, number: number, poolNames: readonly string[]): readonly Note[] {
  const named = findMention(text, poolNames);
  const isNameAlone = named !== undefined && foldName(text) === foldName(named);
  const guess = isNameAlone ? undefined : guessBareRequest(text, poolNames);
  if (guess !== undefined) {
    return [unreadableNote(text, number, [guess])];
  }
  if (named === undefined) {
    return [];
  }
  return [
    !isNameAlone && looksLikeCount(text) ? unreadableNote(text, number) : mentionNote(text, named, number),
  ];
}

export function unreadableNote(text: string, line: number, guesses: readonly Guess[] = []): Note {
  const hint =
    guesses.length === 0 ? 'write `POOL: NUMBER` on a line of its own, such as `base: 3`' : offer(guesses);
  return {
    code: 'unreadable-line',
    severity: 'warning',
    line,
    text: excerpt(text),
    message: `\`${excerpt(text)}\` is no count for a pool; ${hint}`,
  };
}

function mentionNote(text: string, poolName: string, line: number): Note {
  return {
    code: 'ignored-line',
    severity: 'notice',
    line,
    text: excerpt(text),
    message: `line ignored: it names \`${poolName}\` but no number; to ask for nodes, write \`${poolName}: 3\``,
  };
}
