/**
 * The coming windows of each pool: from when to when, which count, which event wins over which. It is the pass's own
 * rule (demand.ts) asked at every instant at which its answer can change, so a plan and a pass cannot disagree.
 */
import { type Cap, type CapName, type Cut, layCaps } from './cap.ts';
import { beats, isSamePool, strongest, type EventDemand, type PoolAddress, type PoolAsk } from './demand.ts';
import type { Instant, Window } from './instant.ts';

export interface TimelinePool extends PoolAddress {
  readonly baseline: number;
  readonly maxReplicas: number;
}

/** What can make a count less than was asked. */
export type Bound = 'maxReplicas' | CapName;

/** Between two changes of one pool. */
export interface Segment extends Window {
  /** What the calendar asks, exactly as a pass takes it; undefined: nothing, so the baseline holds. */
  readonly demand: EventDemand | undefined;
  /** Events that are active too and lost, the strongest first, a few of them. */
  readonly overruled: readonly PoolAsk[];
  /** The target: the event count, else the baseline, within every bound. Nodes with room come off it later. */
  readonly count: number;
  /** Which bound made the count less than was asked, the tightest where several did; undefined: none did. */
  readonly bound: Bound | undefined;
}

export interface PoolTimeline {
  readonly pool: TimelinePool;
  /** In order, without gaps, over the whole window. */
  readonly segments: readonly Segment[];
  /** Placeholders times hours, if no node ever had room: the most that the window can hold in reserve. */
  readonly placeholderHours: number;
  /** Whether any event of the window names the pool. */
  readonly isNamed: boolean;
}

export interface TimelineInput {
  readonly asks: readonly PoolAsk[];
  readonly pools: readonly TimelinePool[];
  readonly window: Window;
  /** Bounds over several pools together, in the order in which they apply. */
  readonly caps: readonly Cap[];
}

/** Most losing events that a segment lists. */
const MOST_OVERRULED = 5;

const MILLISECONDS_PER_HOUR = 3_600_000;

export function buildTimeline(input: TimelineInput): readonly PoolTimeline[] {
  const raw = input.pools.map((pool) => {
    const asks = input.asks.filter(
      (ask) => isSamePool(ask.address, pool) && overlaps(ask, input.window) && ask.endAt > ask.startAt,
    );
    return { pool, isNamed: asks.length > 0, stretches: sweep(asks, input.window) };
  });
  const cut = input.caps.length === 0 ? raw : cutToCaps(raw, input.caps);
  return cut.map(({ pool, isNamed, stretches }) => {
    const segments = mergeEqual(stretches.map((stretch) => boundSegment(pool, stretch)));
    return { pool, isNamed, segments, placeholderHours: sum(segments.map(hoursOf)) };
  });
}

/** Placeholders times hours of one segment. */
export function hoursOf(segment: Segment): number {
  return (segment.count * (segment.endAt - segment.startAt)) / MILLISECONDS_PER_HOUR;
}

export function overlaps(left: Window, right: Window): boolean {
  return left.startAt < right.endAt && left.endAt > right.startAt;
}

// ---- one pool ----

interface Stretch extends Window {
  readonly demand: EventDemand | undefined;
  readonly overruled: readonly PoolAsk[];
  /** What is left of the demand under the caps over several pools; undefined: all of it. */
  readonly cut?: Cut | undefined;
}

/** Goes from change to change with the active events at hand, the strongest first. */
function sweep(asks: readonly PoolAsk[], window: Window): readonly Stretch[] {
  const starting = asks.toSorted((left, right) => left.startAt - right.startAt);
  const ending = asks.toSorted((left, right) => left.endAt - right.endAt);
  const active: PoolAsk[] = [];
  const stretches: Stretch[] = [];
  const cuts = changesOf(asks, window);
  let started = 0;
  let ended = 0;
  for (const [index, startAt] of cuts.slice(0, -1).entries()) {
    for (; (starting[started]?.startAt ?? Number.POSITIVE_INFINITY) <= startAt; started += 1) {
      insert(active, starting[started]);
    }
    for (; (ending[ended]?.endAt ?? Number.POSITIVE_INFINITY) <= startAt; ended += 1) {
      remove(active, ending[ended]);
    }
    stretches.push({
      startAt,
      endAt: cuts[index + 1] ?? window.endAt,
      demand: strongest(active.slice(0, 1)),
      overruled: active.slice(1, 1 + MOST_OVERRULED),
    });
  }
  return stretches;
}

/** Every instant within a window at which an answer may change, its two ends included. */
function changesOf(windows: readonly Window[], window: Window): readonly Instant[] {
  const edges = windows.flatMap(({ startAt, endAt }) => [startAt, endAt]);
  const inner = edges.filter((at) => at > window.startAt && at < window.endAt);
  return [...new Set([window.startAt, ...inner, window.endAt])].sort((left, right) => left - right);
}

function insert(active: PoolAsk[], ask: PoolAsk | undefined): void {
  if (ask !== undefined) {
    active.splice(placeOf(active, ask), 0, ask);
  }
}

function remove(active: PoolAsk[], ask: PoolAsk | undefined): void {
  const index = ask === undefined ? -1 : active.indexOf(ask);
  if (index >= 0) {
    active.splice(index, 1);
  }
}

/** Where an event stands among the active ones, by the order in which events win. */
function placeOf(active: readonly PoolAsk[], ask: PoolAsk): number {
  let low = 0;
  let high = active.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = active[middle];
    if (other !== undefined && beats(other, ask)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

function boundSegment(pool: TimelinePool, { cut, ...stretch }: Stretch): Segment {
  const asked = stretch.demand?.count ?? pool.baseline;
  const count = cut?.left ?? Math.min(asked, pool.maxReplicas);
  return { ...stretch, count, bound: count < asked ? (cut?.by ?? 'maxReplicas') : undefined };
}

/** A change that changes nothing a person would see is none. */
function mergeEqual(segments: readonly Segment[]): readonly Segment[] {
  const merged: Segment[] = [];
  for (const segment of segments) {
    const last = merged.at(-1);
    if (last !== undefined && isSameAnswer(last, segment)) {
      merged[merged.length - 1] = { ...last, endAt: segment.endAt };
    } else {
      merged.push(segment);
    }
  }
  return merged;
}

function isSameAnswer(left: Segment, right: Segment): boolean {
  return (
    left.count === right.count &&
    left.bound === right.bound &&
    isSameDemand(left.demand, right.demand) &&
    left.overruled.length === right.overruled.length &&
    left.overruled.every((ask, index) => ask === right.overruled[index])
  );
}

function isSameDemand(left: EventDemand | undefined, right: EventDemand | undefined): boolean {
  return left?.eventId === right?.eventId && left?.endAt === right?.endAt && left?.count === right?.count;
}

// ---- all pools together ----

interface PoolStretches {
  readonly pool: TimelinePool;
  readonly isNamed: boolean;
  readonly stretches: readonly Stretch[];
}

/** Cuts every pool's stretches where any pool's demand changes, since the share of each depends on all. */
function cutToCaps(pools: readonly PoolStretches[], caps: readonly Cap[]): readonly PoolStretches[] {
  const changes = pools.flatMap(({ stretches }) => stretches.map(({ startAt }) => startAt));
  const starts = [...new Set(changes)].sort((left, right) => left - right);
  const aligned = pools.map(({ stretches }) => alignTo(starts, stretches));
  const shareOut = layCaps(
    caps,
    pools.map(({ pool }) => pool),
  );
  const shares = starts.map(
    (_, at) => shareOut(aligned.map((stretches) => stretches[at]?.demand?.count)).cuts,
  );
  return pools.map((entry, index) => ({
    ...entry,
    stretches: (aligned[index] ?? []).map((stretch, at) => ({
      ...stretch,
      cut: shares[at]?.[index]?.at(-1),
    })),
  }));
}

/** The same stretches, one for every start. */
function alignTo(starts: readonly Instant[], stretches: readonly Stretch[]): readonly Stretch[] {
  const aligned: Stretch[] = [];
  let index = 0;
  for (const [at, startAt] of starts.entries()) {
    while ((stretches[index]?.endAt ?? Number.POSITIVE_INFINITY) <= startAt) {
      index += 1;
    }
    const stretch = stretches[index];
    if (stretch !== undefined) {
      aligned.push({ ...stretch, startAt, endAt: starts[at + 1] ?? stretch.endAt });
    }
  }
  return aligned;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
