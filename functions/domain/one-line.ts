/**
 * Titles and descriptions are somebody's text and end up on terminals, in logs and in annotations: as one line, in
 * which nothing starts another, moves a cursor, or turns the direction of writing.
 */

const BREAKING = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;
const TURNING = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

export function toOneLine(text: string): string {
  return text.replace(TURNING, '').replace(BREAKING, ' ').trim();
}
