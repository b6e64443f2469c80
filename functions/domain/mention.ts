/** A sentence that names a pool may have been meant as a request: it is never acted on, but it is reported. */
import { foldName } from './description-text.ts';

/** Longest stretch of a line that is searched, in characters. */
const LONGEST_SEARCHED = 400;

const NUMBER_WORD = /\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen)\b/iu;
const YAML_WORD = /^(?:yes|no|on|off|true|false|y|n|~|null|none|\.inf|\.nan)$/iu;

/** The pool that a text names as a word of its own, if any. */
export function findMention(text: string, poolNames: readonly string[]): string | undefined {
  const words = new Set(
    foldName(text.slice(0, LONGEST_SEARCHED))
      .split(/[^\p{L}\p{N}_/.-]+/u)
      .map((word) => word.replace(/^[./-]+|[./-]+$/gu, '')),
  );
  return poolNames.find((name) => words.has(foldName(name)));
}

/** Whether a text holds anything that may stand for a number. */
export function looksLikeCount(text: string): boolean {
  return /\d/u.test(text) || NUMBER_WORD.test(text) || YAML_WORD.test(text.trim());
}
