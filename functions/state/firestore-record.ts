/** One cluster's record as Firestore documents: read whole or by its fence alone, written where it differs. */
import type { DocumentReference, DocumentSnapshot, FieldValue, Transaction } from '@google-cloud/firestore';
import * as z from 'zod';

import type { Instant } from '../domain/instant.ts';
import { StateError } from '../errors.ts';
import type { Fields, Whereabouts } from './document.ts';
import {
  SCHEMA_VERSION,
  assertReadable,
  decode,
  encodeLease,
  encodeState,
  leaseSchema,
  recordSchema,
} from './document.ts';
import { assemble, isFields, paginate } from './firestore-pages.ts';
import type { LeaseRecord } from './lease.ts';
import { NEVER_TAKEN } from './lease.ts';
import type { StoredCluster } from './stored-cluster.ts';
import { NEVER_STORED } from './stored-cluster.ts';

/** One document a cluster. */
export const CLUSTERS = 'placeholderClusters';
/** Subcollection of a cluster's document, for what does not fit of it. */
export const PAGES = 'placeholderPages';

const instant = z.custom<{ toMillis(): Instant }>(isTimestamp).transform((timestamp) => timestamp.toMillis());
const schema = recordSchema(instant);
const leaseOnly = z.object({ lease: leaseSchema(instant) });

/** A record as it is stored, and on how many further pages. */
export interface Known {
  readonly stored: StoredCluster;
  readonly pages: number;
  readonly exists: boolean;
}

/** Where a record is, and how documents are read: inside a transaction, or in one consistent batch. */
export interface Place {
  readonly cluster: string;
  readonly main: DocumentReference;
  read(
    references: readonly DocumentReference[],
    fieldMask?: readonly string[],
  ): Promise<readonly DocumentSnapshot[]>;
}

// ---- reading ----

export async function readRecord(place: Place): Promise<Known> {
  const [snapshot] = await place.read([place.main]);
  const pages = countPages(place, snapshot?.data());
  if (snapshot === undefined || pages === 0) return toKnown(place, snapshot?.data(), []);
  const references = Array.from({ length: pages }, (_, index) => pageReference(place.main, index));
  const [again, ...further] = await place.read([place.main, ...references]);
  // Outside a transaction a save may have come in between; the pages belong to the document read with them.
  if (countPages(place, again?.data()) !== pages) return readRecord(place);
  return toKnown(
    place,
    again?.data(),
    further.map((page) => page.data()),
  );
}

function countPages(place: Place, fields: Fields | undefined): number {
  if (fields === undefined) return 0;
  const where = locate(place);
  assertReadable(fields['schemaVersion'], where);
  return decode(z.int().nonnegative(), fields['pages'], where);
}

function toKnown(place: Place, fields: Fields | undefined, further: readonly (Fields | undefined)[]): Known {
  if (fields === undefined) return { stored: NEVER_STORED, pages: 0, exists: false };
  const where = locate(place);
  const whole = assemble(
    fields,
    further.map((page) => assertPresent(page, where)),
  );
  return { stored: decode(schema, whole, where), pages: further.length, exists: true };
}

function assertPresent(page: Fields | undefined, where: Whereabouts): Fields {
  if (page !== undefined) return page;
  throw new StateError(`${where.what}: a page of it is missing`, { kind: 'malformed', remedy: where.remedy });
}

/** The fence alone, without the node map: what a save must see before it writes. */
export async function readLease(place: Place): Promise<LeaseRecord> {
  const [snapshot] = await place.read([place.main], ['schemaVersion', 'lease']);
  const fields: Fields | undefined = snapshot?.data();
  if (fields === undefined) return NEVER_TAKEN;
  const where = locate(place);
  assertReadable(fields['schemaVersion'], where);
  return decode(leaseOnly, fields, where).lease;
}

function locate({ main, cluster }: Place): Whereabouts {
  return {
    what: `Firestore document ${main.path} (cluster ${cluster})`,
    remedy: `mend the document ${main.path} in the console, or delete it to start with an empty history`,
  };
}

function isTimestamp(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && 'toMillis' in value && typeof value.toMillis === 'function'
  );
}

// ---- writing ----

export interface Writer {
  readonly transaction: Transaction;
  readonly deletion: FieldValue;
}

/** Writes the fields that differ, and says what is stored afterwards. */
export function writeChanges(
  place: Place,
  writer: Writer,
  step: { before: Known; after: StoredCluster },
): Known {
  const { main } = place;
  const { transaction } = writer;
  const { before, after } = step;
  if (after === before.stored) return before;
  if (before.exists && after.state === before.stored.state) {
    transaction.set(main, { lease: encodeLease(after.lease, toDate) }, { mergeFields: ['lease'] });
    return { ...before, stored: after };
  }
  const old = before.exists ? layOut(before.stored, place.cluster).main : {};
  const { main: fields, further } = layOut(after, place.cluster);
  const isSplit = before.pages > 0 || further.length > 0;
  const changed = Object.keys(fields).filter(
    // How an older version split a record is not known: its long parts are written whole.
    (key) => (isSplit && LONG_PARTS.has(key)) || !isSame(old[key], fields[key]),
  );
  const paths = changed.flatMap((key) => (isSplit ? [key] : narrow(key, old[key], fields[key])));
  const data = changed.map((key) => [key, fields[key] ?? writer.deletion] as const);
  transaction.set(main, Object.fromEntries(data), { mergeFields: paths });
  further.forEach((page, index) => transaction.set(pageReference(main, index), { ...page }));
  for (let index = further.length; index < before.pages; index += 1) {
    transaction.delete(pageReference(main, index));
  }
  return { stored: after, pages: further.length, exists: true };
}

/** Of the kept events the instant of reading changes on every pass and the list hardly ever: only what does is sent. */
function narrow(key: string, old: unknown, current: unknown): readonly string[] {
  if (key !== 'keptEvents' || !isFields(old) || !isFields(current)) return [key];
  return Object.keys(current)
    .filter((part) => !isSame(old[part], current[part]))
    .map((part) => `${key}.${part}`);
}

const LONG_PARTS = new Set(['nodes', 'keptEvents', 'pages']);

function layOut(stored: StoredCluster, cluster: string): ReturnType<typeof paginate> {
  return paginate({
    schemaVersion: SCHEMA_VERSION,
    cluster,
    lease: encodeLease(stored.lease, toDate),
    ...encodeState(stored.state, toDate),
  });
}

/** The client writes a Date as a timestamp, which the console shows as one. */
function toDate(at: Instant): Date {
  return new Date(at);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function pageReference(main: DocumentReference, index: number): DocumentReference {
  return main.collection(PAGES).doc(String(index + 1).padStart(3, '0'));
}
