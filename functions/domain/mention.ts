/** Pools that a line names without asking for them in a form that is read: never acted on, but reported. */
import { closestName } from './closest-name.ts';
import { foldName } from './description-text.ts';

/** Longest stretch of a line that is searched for a name alone, in characters: a long text holds many words. */
const LONGEST_SEARCHED = 400;
/** Longest line that may be nothing but a name and a number. */
const LONGEST_BARE = 100;

const NUMBER_WORD = /\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen)\b/iu;
const YAML_WORD = /^(?:yes|no|on|off|true|false|y|n|~|null|none|\.inf|\.nan)$/iu;

const LINK = /:\/\/|@/u;
/** `base: 3` or `base=3` anywhere in a text; `base: 3:30` and `base: 3.5` are something else. */
const REQUEST = /([\p{L}\p{N}_/.-]{1,60}) ?[:=] ?(\d{1,6})(?!\d|[.,:%]\d|%)/gu;
const EDGES = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;
const NAME_AND_NUMBER = /^(\p{L}[\p{L}\p{N}_/.-]*?)[^\p{L}\p{N}]*(?:\bx ?)?(\d{1,6})$/iu;
const NUMBER_AND_NAME = /^(\d{1,6}) ?(?:[x×] )?(\p{L}[\p{L}\p{N}_/.-]*)$/iu;

/** A request as it should have been written. */
export interface Guess {
  readonly name: string;
  readonly count: number;
}

/** The pool that a text names as a word of its own, if any. */
export function findMention(text: string, poolNames: readonly string[]): string | undefined {
  const words = new Set(
    foldName(text.slice(0, LONGEST_SEARCHED))
      .split(/[^\p{L}\p{N}_/.-]+/u)
      .map((word) => word.replace(/^[./-]+|[./-]+$/gu, '')),
  );
  return poolNames.find((name) => words.has(foldName(name)));
}

/** Requests inside a longer text, by the pools' own names; links aside, which hold many an equals sign. */
export function findRequests(text: string, poolNames: readonly string[]): readonly Guess[] {
  const words = text.split(' ').filter((word) => !LINK.test(word));
  return [...words.join(' ').matchAll(REQUEST)].flatMap(([, name, count]) => {
    const pool = poolNames.find((known) => foldName(known) === foldName(name ?? ''));
    return pool === undefined ? [] : [{ name: pool, count: Number(count) }];
  });
}

/** A line that is a name and a number and no more, whatever stands between: `base 3`, `base → 3`, `3 x base`. */
export function guessBareRequest(text: string, poolNames: readonly string[]): Guess | undefined {
  if (text.length > LONGEST_BARE) {
    return undefined;
  }
  const bare = text.replace(EDGES, '');
  const [, first, behind] = NAME_AND_NUMBER.exec(bare) ?? [];
  const [, before, last] = NUMBER_AND_NAME.exec(bare) ?? [];
  const name = first ?? last;
  const pool = name === undefined ? undefined : nearestPool(name, poolNames);
  return pool === undefined ? undefined : { name: pool, count: Number(behind ?? before) };
}

/** The pool of that very name, letter case aside, else one that is a slip away. */
export function nearestPool(name: string, poolNames: readonly string[]): string | undefined {
  const folded = foldName(name);
  return poolNames.find((known) => foldName(known) === folded) ?? closestName(folded, poolNames);
}

/** Whether a trimmed text holds anything that may stand for a number. */
export function looksLikeCount(text: string): boolean {
  return /\d/u.test(text) || NUMBER_WORD.test(text) || YAML_WORD.test(text);
}

/** Whether a trimmed text begins as a number does: `2.5`, `~3`, `-1`, `50%`; not `Data 8`. */
export function startsLikeCount(text: string): boolean {
  return /^[-+~<>=≈.(["']{0,3} ?\d/u.test(text);
}
