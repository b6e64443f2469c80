/** `Retry-After`, as API servers and calendars' hosts send it (RFC 9110, 10.2.3). */

/**
 * @param header as received: seconds, or a date
 * @param nowAt epoch milliseconds, for the date
 * @returns milliseconds from now; undefined when the header is absent or neither
 */
export function readRetryAfter(header: string | null | undefined, nowAt: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/u.test(text)) {
    return Number(text) * 1000;
  }
  // Date.parse alone would make a date of `-3` too.
  const at = /^[A-Za-z]{3},? /u.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowAt);
}
