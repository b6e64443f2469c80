/**
 * What the calendar asks of a pool: of the events that are active, the largest count that names it. An event
 * speaks to `pool` in every cluster that has it, or to `cluster/pool` in one; letter case matters only when two
 * pools differ in nothing else. A key that names no pool is dropped and reported with the one that was meant.
 */
import { isBoilerplate } from './boilerplate.ts';
import { closestName } from './closest-name.ts';
import { excerpt, foldName } from './description-text.ts';
import type { CountRequest, Finding, ReadEvent } from './event.ts';
import type { Instant, Window } from './instant.ts';
import { isWithin } from './instant.ts';

/** What the calendar asks of one pool at one instant. */
export interface EventDemand {
  readonly count: number;
  /** The event whose count won. */
  readonly eventId: string;
  readonly eventTitle: string;
  /** End of the winning event, for saying until when. */
  readonly endAt: number;
}

/** A pool by its place: calendar keys are `pool`, or `cluster/pool` for one cluster of a fleet. */
export interface PoolAddress {
  readonly cluster: string;
  readonly pool: string;
}

/** One event's count for one pool, over the event's window. */
export interface PoolAsk extends Window {
  readonly address: PoolAddress;
  readonly count: number;
  readonly eventId: string;
  readonly eventTitle: string;
}

export interface MatchedRequests {
  readonly asks: readonly PoolAsk[];
  readonly findings: readonly Finding[];
}

/** Turns what events ask for, by name, into what is asked of each pool. */
export function matchRequests(events: readonly ReadEvent[], pools: readonly PoolAddress[]): MatchedRequests {
  const book = buildBook(pools);
  const asks: PoolAsk[] = [];
  const findings: Finding[] = [];
  for (const event of events) {
    for (const request of event.requests) {
      const match = lookUp(book, request.key);
      asks.push(...match.addresses.map((address) => askFor(event, request, address)));
      const finding = match.addresses.length > 0 ? undefined : unmatched({ event, request, book, match });
      findings.push(...(finding === undefined ? [] : [finding]));
    }
  }
  return { asks, findings };
}

/** What the calendar asks of one pool at an instant; undefined when no active event names it. */
export function demandAt(
  asks: readonly PoolAsk[],
  address: PoolAddress,
  at: Instant,
): EventDemand | undefined {
  return strongest(asks.filter((ask) => isSamePool(ask.address, address) && isWithin(ask, at)));
}

/** The demand of asks that are all active and all of one pool; undefined when there are none. */
export function strongest(active: Iterable<PoolAsk>): EventDemand | undefined {
  let winner: PoolAsk | undefined;
  for (const ask of active) {
    winner = winner === undefined || beats(ask, winner) ? ask : winner;
  }
  return winner === undefined
    ? undefined
    : { count: winner.count, eventId: winner.eventId, eventTitle: winner.eventTitle, endAt: winner.endAt };
}

/** A larger count wins; of equal ones the one that lasts longest, so that "until" is said once. */
export function beats(ask: PoolAsk, other: PoolAsk): boolean {
  if (ask.count !== other.count) {
    return ask.count > other.count;
  }
  if (ask.endAt !== other.endAt) {
    return ask.endAt > other.endAt;
  }
  return ask.startAt === other.startAt ? ask.eventId < other.eventId : ask.startAt < other.startAt;
}

export function isSamePool(left: PoolAddress, right: PoolAddress): boolean {
  return left.cluster === right.cluster && left.pool === right.pool;
}

function askFor(event: ReadEvent, request: CountRequest, address: PoolAddress): PoolAsk {
  return {
    address,
    count: request.count,
    eventId: event.id,
    eventTitle: event.title,
    startAt: event.startAt,
    endAt: event.endAt,
  };
}

// ---- names ----

type Index = ReadonlyMap<string, readonly PoolAddress[]>;

interface Book {
  /** By what may be typed: the pool's name, and the cluster's and the pool's. */
  readonly exact: { readonly byPool: Index; readonly byPlace: Index };
  readonly folded: { readonly byPool: Index; readonly byPlace: Index };
  readonly names: readonly string[];
}

interface Match {
  readonly addresses: readonly PoolAddress[];
  /** Names that differ in letter case only, when that is why nothing matched. */
  readonly ambiguous: readonly string[];
}

const NO_MATCH: Match = { addresses: [], ambiguous: [] };

function buildBook(pools: readonly PoolAddress[]): Book {
  const place = ({ cluster, pool }: PoolAddress): string => `${cluster}/${pool}`;
  const name = ({ pool }: PoolAddress): string => pool;
  return {
    exact: { byPool: indexBy(pools, name), byPlace: indexBy(pools, place) },
    folded: {
      byPool: indexBy(pools, (pool) => foldName(name(pool))),
      byPlace: indexBy(pools, (pool) => foldName(place(pool))),
    },
    names: [...new Set([...pools.map(name), ...pools.map(place)])],
  };
}

function indexBy(pools: readonly PoolAddress[], keyOf: (pool: PoolAddress) => string): Index {
  return Map.groupBy(pools, keyOf);
}

/** The pool's own name first, even one with a slash in it; then its place; then both without letter case. */
function lookUp(book: Book, key: string): Match {
  const exact = book.exact.byPool.get(key) ?? book.exact.byPlace.get(key);
  if (exact !== undefined) {
    return { addresses: exact, ambiguous: [] };
  }
  const folded = foldName(key);
  const byPool = book.folded.byPool.get(folded);
  if (byPool !== undefined) {
    return soleSpelling(byPool, ({ pool }) => pool);
  }
  const byPlace = book.folded.byPlace.get(folded);
  return byPlace === undefined
    ? NO_MATCH
    : soleSpelling(byPlace, ({ cluster, pool }) => `${cluster}/${pool}`);
}

function soleSpelling(found: readonly PoolAddress[], nameOf: (pool: PoolAddress) => string): Match {
  const spellings = [...new Set(found.map(nameOf))];
  return spellings.length === 1
    ? { addresses: found, ambiguous: [] }
    : { addresses: [], ambiguous: spellings };
}

interface Unmatched {
  readonly event: ReadEvent;
  readonly request: CountRequest;
  readonly book: Book;
  readonly match: Match;
}

function unmatched({ event, request, book, match }: Unmatched): Finding | undefined {
  const key = excerpt(request.key);
  const about = {
    severity: 'warning' as const,
    eventId: event.id,
    eventTitle: excerpt(event.title),
    eventStartAt: event.startAt,
    line: request.line,
    text: excerpt(`${request.key}: ${String(request.count)}`),
  };
  if (match.ambiguous.length > 0) {
    const names = match.ambiguous.map((name) => `\`${name}\``).join(' or ');
    return { ...about, code: 'ambiguous-pool', message: `\`${key}\` may be ${names}; write it exactly so` };
  }
  const near = suggestPools(request.key, book.names);
  if (near.length === 0 && isBoilerplate(request.key)) {
    return undefined;
  }
  const hint = near.length === 0 ? knownPools(book) : offerNames(near);
  return { ...about, code: 'unknown-pool', message: `\`${key}\`: no such pool; ${hint}` };
}

/** The name a slip away from a key, or those among its words: `Base pool` means `base`. */
function suggestPools(key: string, names: readonly string[]): readonly string[] {
  const near = closestName(key, names);
  if (near !== undefined) {
    return [near];
  }
  const words = new Set([...key.split(/[^\p{L}\p{N}_/.-]+/u), ...key.split(/[^\p{L}\p{N}]+/u)].map(foldName));
  return names.filter((name) => words.has(foldName(name)));
}

function offerNames(names: readonly string[]): string {
  const quoted = names.slice(0, MOST_LISTED).map((name) => `\`${name}\``);
  return quoted.length === 1
    ? `did you mean ${quoted.join('')}?`
    : `did you mean ${quoted.join(' and ')}? Write each on a line of its own`;
}

/** Most pool names that a message lists. */
const MOST_LISTED = 8;

function knownPools(book: Book): string {
  const names = [...book.exact.byPool.keys()];
  if (names.length === 0) {
    return 'the config has no pools';
  }
  const listed = names.slice(0, MOST_LISTED).map((name) => `\`${name}\``);
  const rest = names.length - listed.length;
  return `the pools are ${listed.join(', ')}${rest > 0 ? ` and ${String(rest)} more` : ''}`;
}
