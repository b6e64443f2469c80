/**
 * What deserves a look before a class week: events that lose, cool-offs that something defeats, counts that a bound
 * cuts, what each event holds in reserve. None of it is an error; all of it is what people ask about afterwards.
 */
import { isSamePool, type PoolAddress, type PoolAsk } from './demand.ts';
import type { Instant, Window } from './instant.ts';
import { type Bound, hoursOf, overlaps, type PoolTimeline, type Segment } from './timeline.ts';

export type Concern =
  /** An event asks for 0, and a larger count is active at the same time. */
  | { readonly kind: 'coolOffBeaten'; readonly ask: PoolAsk; readonly by: PoolAsk }
  /** An event asks for 0, and while a placeholder is Pending the baseline holds instead (rule 2). */
  | { readonly kind: 'coolOffHeld'; readonly ask: PoolAsk; readonly baseline: number }
  /** An event is beaten from its first minute in the window to its last: it changes nothing. */
  | { readonly kind: 'neverWins'; readonly ask: PoolAsk; readonly by: PoolAsk }
  /** An event asks for more than a bound allows. */
  | {
      readonly kind: 'bounded';
      readonly ask: PoolAsk;
      readonly count: number;
      readonly bound: Bound;
    };

/** What one event holds in one pool while its count is the one that counts. */
export interface EventHours {
  readonly eventId: string;
  readonly eventTitle: string;
  readonly address: PoolAddress;
  readonly count: number;
  readonly window: Window;
  readonly placeholderHours: number;
}

export interface Review {
  readonly concerns: readonly Concern[];
  readonly hours: readonly EventHours[];
}

export function reviewTimeline(timelines: readonly PoolTimeline[], asks: readonly PoolAsk[]): Review {
  const reviews = timelines.map((timeline) =>
    reviewPool(
      timeline,
      asks.filter((ask) => isSamePool(ask.address, timeline.pool) && isInside(ask, timeline)),
    ),
  );
  return {
    concerns: reviews.flatMap(({ concerns }) => concerns),
    hours: reviews.flatMap(({ hours }) => hours),
  };
}

function isInside(ask: PoolAsk, { segments }: PoolTimeline): boolean {
  const startAt = segments.at(0)?.startAt ?? 0;
  const endAt = segments.at(-1)?.endAt ?? 0;
  return ask.endAt > ask.startAt && overlaps(ask, { startAt, endAt });
}

/** What the segments say about one event. */
interface Standing {
  readonly ask: PoolAsk;
  placeholderHours: number;
  hasWon: boolean;
  beatenBy: PoolAsk | undefined;
  cut: { readonly count: number; readonly bound: Bound } | undefined;
}

function reviewPool(timeline: PoolTimeline, asks: readonly PoolAsk[]): Review {
  const standings = new Map(asks.map((ask) => [keyOf(ask.eventId, ask.endAt), newStanding(ask)]));
  for (const segment of timeline.segments) {
    tally(segment, standings);
  }
  const judged = [...standings.values()];
  return {
    concerns: judged.flatMap((standing) => concernsOf(standing, timeline.pool.baseline)),
    hours: judged.map(({ ask, placeholderHours }) => ({
      eventId: ask.eventId,
      eventTitle: ask.eventTitle,
      address: ask.address,
      count: ask.count,
      window: { startAt: ask.startAt, endAt: ask.endAt },
      placeholderHours,
    })),
  };
}

function newStanding(ask: PoolAsk): Standing {
  return { ask, placeholderHours: 0, hasWon: false, beatenBy: undefined, cut: undefined };
}

/** One instance of one event. */
function keyOf(eventId: string, endAt: Instant): string {
  return `${eventId} ${String(endAt)}`;
}

function tally(segment: Segment, standings: ReadonlyMap<string, Standing>): void {
  const { demand, bound, count, overruled } = segment;
  const winner = demand === undefined ? undefined : standings.get(keyOf(demand.eventId, demand.endAt));
  if (winner === undefined) {
    return;
  }
  winner.hasWon = true;
  winner.placeholderHours += hoursOf(segment);
  winner.cut ??= bound === undefined ? undefined : { count, bound };
  for (const { eventId, endAt } of overruled) {
    const loser = standings.get(keyOf(eventId, endAt));
    if (loser !== undefined) {
      loser.beatenBy ??= winner.ask;
    }
  }
}

function concernsOf(standing: Standing, baseline: number): readonly Concern[] {
  const { ask, cut } = standing;
  const concerns: readonly (Concern | undefined)[] = [
    beatenConcern(standing),
    ask.count === 0 && standing.hasWon && baseline > 0 ? { kind: 'coolOffHeld', ask, baseline } : undefined,
    cut === undefined ? undefined : { kind: 'bounded', ask, ...cut },
  ];
  return concerns.filter((concern) => concern !== undefined);
}

function beatenConcern({ ask, beatenBy, hasWon }: Standing): Concern | undefined {
  if (beatenBy === undefined) {
    return undefined;
  }
  if (ask.count === 0) {
    return { kind: 'coolOffBeaten', ask, by: beatenBy };
  }
  return hasWon ? undefined : { kind: 'neverWins', ask, by: beatenBy };
}
