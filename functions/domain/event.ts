import type { Instant, Window } from './instant.ts';

/** One instance of a calendar event, whatever the source: recurrences expanded, zones resolved. */
export interface CalendarEvent extends Window {
  /** Stable for one instance of one event. */
  readonly id: string;
  /** Empty when the calendar hides it. */
  readonly title: string;
  /** The description as plain text: an adapter has turned HTML to text. Untrusted; never logged whole. */
  readonly text: string;
}

/** One count that an event plainly asks for. The key is what the person typed; it may name no pool. */
export interface CountRequest {
  readonly key: string;
  readonly count: number;
  /** Line of the description, from 1. */
  readonly line: number;
}

/** An event after its description was read: this, and no description, is what is kept between passes. */
export interface ReadEvent extends Window {
  readonly id: string;
  readonly title: string;
  readonly requests: readonly CountRequest[];
}

/** Something in a calendar entry that did not do what its writer may have meant. */
export interface Finding {
  /** Constant identifier, for filters and tests: `unknown-pool`, `not-a-count`, `unreadable-line` and so on. */
  readonly code: string;
  /** A notice was understood; a warning was dropped. */
  readonly severity: 'notice' | 'warning';
  readonly eventId: string;
  readonly eventTitle: string;
  readonly eventStartAt: Instant | undefined;
  /** Line of the description, from 1; undefined when the finding is about the whole event. */
  readonly line: number | undefined;
  /** The text in question, cut to a bound. */
  readonly text: string;
  /** What happened and the likely fix, one sentence. */
  readonly message: string;
}
