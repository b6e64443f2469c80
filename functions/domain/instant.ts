/** An instant: milliseconds since the Unix epoch, UTC. A pass reads the clock once and hands this down. */
export type Instant = number;

export const MILLISECONDS_PER_SECOND = 1000;

/** A half-open window `[startAt, endAt)`. */
export interface Window {
  readonly startAt: Instant;
  readonly endAt: Instant;
}

export function isWithin(window: Window, at: Instant): boolean {
  return window.startAt <= at && at < window.endAt;
}

/** Whole seconds from one instant to a later one; negative when `until` is the earlier. */
export function secondsBetween(from: Instant, until: Instant): number {
  return (until - from) / MILLISECONDS_PER_SECOND;
}

/** A timestamp as APIs write it (RFC 3339); undefined when it is missing or no timestamp. */
export function instantOf(text: string | undefined): Instant | undefined {
  const at = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
