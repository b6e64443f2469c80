/**
 * The stored form of one cluster's record, shared by the file and the Firestore store: flat, readable by a person,
 * instants written as each store shows them best. What is absent is undefined.
 */
import * as z from 'zod';

import type { NodeHistory } from '../domain/history.ts';
import type { Instant } from '../domain/instant.ts';
import { StateError } from '../errors.ts';
import { EMPTY_STATE } from '../ports.ts';
import type { ClusterState, KeptEvents } from '../ports.ts';
import type { LeaseRecord } from './lease.ts';
import type { StoredCluster } from './stored-cluster.ts';

/** Raised whenever an older program would misread what a newer one wrote. */
export const SCHEMA_VERSION = 1;

export type Fields = Readonly<Record<string, unknown>>;
/** How a store writes an instant. */
export type WriteInstant = (at: Instant) => unknown;

// ---- writing ----

export function encodeLease(lease: LeaseRecord, write: WriteInstant): Fields {
  return { ...lease, takenAt: write(lease.takenAt), expiresAt: write(lease.expiresAt) };
}

/** Every field of the state, undefined where there is nothing to say. */
export function encodeState(state: ClusterState, write: WriteInstant): Fields {
  const { history, keptEvents, degradedSinceAt, checkedAt, lastPass, ...plain } = state;
  return {
    ...plain,
    observedAt: writeMaybe(history.observedAt, write),
    nodes: encodeNodes(history.nodes, write),
    keptEvents: keptEvents && encodeKeptEvents(keptEvents, write),
    degradedSinceAt: writeMaybe(degradedSinceAt, write),
    checkedAt: writeMaybe(checkedAt, write),
    lastPass: lastPass && { ...lastPass, at: write(lastPass.at) },
  };
}

function encodeNodes(nodes: NodeHistory['nodes'], write: WriteInstant): Fields {
  const entries = Array.from(nodes, ([uid, node]) => [
    uid,
    {
      name: node.name,
      firstSeenAt: write(node.firstSeenAt),
      lastBusyAt: writeMaybe(node.lastBusyAt, write),
    },
  ]);
  // Not by assignment: a key `__proto__` must be a key.
  return Object.fromEntries(entries) as Fields;
}

function encodeKeptEvents(kept: KeptEvents, write: WriteInstant): Fields {
  return {
    ...kept,
    readAt: write(kept.readAt),
    events: kept.events.map((event) => ({
      ...event,
      startAt: write(event.startAt),
      endAt: write(event.endAt),
    })),
  };
}

function writeMaybe(at: Instant | undefined, write: WriteInstant): unknown {
  return at === undefined ? undefined : write(at);
}

// ---- reading ----

export type RecordSchema = z.ZodType<StoredCluster>;

/** @param instant reads what the store's `WriteInstant` wrote. */
export function recordSchema(instant: z.ZodType<Instant>): RecordSchema {
  return z
    .object({
      lease: leaseSchema(instant),
      observedAt: maybe(instant),
      nodes: mapOf(nodeSchema(instant)),
      keptEvents: maybe(keptEventsSchema(instant)),
      reported: z.array(z.string()),
      degradedSinceAt: maybe(instant),
      checkedAt: maybe(instant),
      objects: maybe(objectsSchema),
      podsSeen: maybe(z.int().nonnegative()),
      lastPass: maybe(lastPassSchema(instant)),
    })
    .transform(({ lease, observedAt, nodes, ...rest }) => ({
      lease,
      state: { ...EMPTY_STATE, ...rest, history: { observedAt, nodes } },
    }));
}

export function leaseSchema(instant: z.ZodType<Instant>): z.ZodType<LeaseRecord> {
  return z.object({
    fence: z.int().nonnegative(),
    owner: z.string(),
    takenAt: instant,
    expiresAt: instant,
    isReleased: z.boolean(),
  });
}

const nodeSchema = (instant: z.ZodType<Instant>) =>
  z
    .object({ name: z.string(), firstSeenAt: instant, lastBusyAt: maybe(instant) })
    .transform(({ name, firstSeenAt, lastBusyAt }) => ({ name, firstSeenAt, lastBusyAt }));

const keptEventsSchema = (instant: z.ZodType<Instant>) =>
  z.object({
    readAt: instant,
    source: z.string(),
    timeZone: z.string(),
    events: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        startAt: instant,
        endAt: instant,
        requests: z.array(z.object({ key: z.string(), count: z.int(), line: z.int() })),
      }),
    ),
  });

const lastPassSchema = (instant: z.ZodType<Instant>) =>
  z.object({ at: instant, owner: z.string(), exitCode: z.int(), summary: z.string() });

const objectsSchema = z.object({
  priorityClass: z.union([
    z.object({ kind: z.literal('present'), value: z.int(), preemptionPolicy: z.string() }),
    z.object({ kind: z.enum(['missing', 'forbidden']) }),
  ]),
  warmBudget: z.enum(['present', 'missing', 'forbidden']),
});

function maybe<T>(schema: z.ZodType<T>) {
  return z.optional(schema).transform((value) => value);
}

/** Not z.record: keys come from outside and one of them may be `__proto__`. */
export function mapOf<T>(value: z.ZodType<T>) {
  return z.preprocess(
    (input) => (typeof input === 'object' && input !== null ? new Map(Object.entries(input)) : input),
    z.map(z.string(), value),
  );
}

/**
 * Reads a record or a part of one.
 * @throws StateError, kind `malformed`: what is stored is never silently replaced by nothing.
 */
export function decode<T>(schema: z.ZodType<T>, stored: unknown, where: Whereabouts): T {
  const parsed = schema.safeParse(stored);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new StateError(
    `${where.what}: ${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'unreadable'}`,
    { kind: 'malformed', remedy: where.remedy, cause: parsed.error },
  );
}

export interface Whereabouts {
  /** Names the file or the document. */
  readonly what: string;
  /** How a person starts over; the program does not do it on its own. */
  readonly remedy: string;
}

/** @throws StateError, kind `newerSchema` or `malformed`. */
export function assertReadable(version: unknown, where: Whereabouts): void {
  if (version === SCHEMA_VERSION) return;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < SCHEMA_VERSION) {
    throw new StateError(`${where.what}: no schemaVersion that this program knows`, {
      kind: 'malformed',
      remedy: where.remedy,
    });
  }
  throw new StateError(
    `${where.what}: written with schemaVersion ${version}; this program reads ${SCHEMA_VERSION}`,
    {
      kind: 'newerSchema',
      remedy: 'run the newer version of this program again, or point --state at another place',
    },
  );
}
