import type { DocumentReference, Transaction } from '@google-cloud/firestore';
import { z } from 'zod';

import type { Instant } from '../domain/instant.ts';
import { StateError } from '../errors.ts';
import type { Acquisition, ClusterState, StateStore } from '../ports.ts';
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
import type { Connection, FirestoreOptions } from './firestore-connection.ts';
import { connect } from './firestore-connection.ts';
import { classifyFirestoreError } from './firestore-error.ts';
import { assemble, paginate } from './firestore-pages.ts';
import { interruption, untilInterrupted } from './interruption.ts';
import type { Claim, LeaseRecord } from './lease.ts';
import { NEVER_TAKEN } from './lease.ts';
import type { Change, StoredCluster } from './stored-cluster.ts';
import { NEVER_STORED, acquireFrom, saveInto } from './stored-cluster.ts';

/** One document a cluster; what does not fit of it is in its subcollection `placeholderPages`. */
export const CLUSTERS = 'placeholderClusters';
export const PAGES = 'placeholderPages';

/**
 * The client takes no AbortSignal and retries outages for up to ten minutes, so a transaction is given up after
 * this. Given up is not undone: it may still commit, which the fencing number makes harmless.
 */
const DEFAULT_TIMEOUT_SECONDS = 10;
const CONTENTION_ATTEMPTS = 3;

const instant = z.custom<{ toMillis(): Instant }>(isTimestamp).transform((timestamp) => timestamp.toMillis());
const schema = recordSchema(instant);
const leaseOnly = z.object({ lease: leaseSchema(instant) });

/** A record as it is stored, and on how many further pages. */
interface Known {
  readonly stored: StoredCluster;
  readonly pages: number;
  readonly exists: boolean;
}

interface Session {
  readonly transaction: Transaction;
  readonly main: DocumentReference;
  readonly connection: Connection;
  readonly cluster: string;
}

/** State in Firestore: the store of the job in the cloud. */
export class FirestoreStateStore implements StateStore {
  readonly label: string;
  readonly #options: FirestoreOptions;
  #connection: Promise<Connection> | undefined;
  /** What this pass read or wrote: as long as its fence is the newest, that is what is stored. */
  readonly #known = new Map<string, Known>();

  constructor(options: FirestoreOptions) {
    this.#options = options;
    this.label = `firestore ${options.projectId === undefined ? '' : `${options.projectId}/`}${options.databaseId}`;
  }

  peek(cluster: string, signal: AbortSignal): Promise<ClusterState> {
    const work = async (session: Session): Promise<ClusterState> => (await readAll(session)).stored.state;
    return this.#transact({ doing: 'reading', cluster, isReadOnly: true }, signal, work);
  }

  async acquire(cluster: string, claim: Claim, signal: AbortSignal): Promise<Acquisition> {
    const { answer, known } = await this.#transact(
      { doing: 'taking the lease and reading', cluster },
      signal,
      async (session) => {
        const before = await readAll(session);
        const claimed = acquireFrom(before.stored, claim);
        return { answer: claimed.answer, known: writeChanges(session, before, claimed.stored) };
      },
    );
    this.#known.set(cluster, known);
    return answer;
  }

  async save(cluster: string, change: Change, signal: AbortSignal): Promise<void> {
    const known = this.#known.get(cluster);
    // Until this save has succeeded nobody knows what is stored.
    this.#known.delete(cluster);
    const saved = await this.#transact({ doing: 'saving', cluster }, signal, async (session) => {
      const before =
        known?.stored.lease.fence === change.lease.fence
          ? { ...known, stored: { ...known.stored, lease: await readLease(session) } }
          : await readAll(session);
      return writeChanges(session, before, saveInto(before.stored, cluster, change));
    });
    this.#known.set(cluster, saved);
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.firestore.terminate();
  }

  async #transact<T>(
    task: { readonly doing: string; readonly cluster: string; readonly isReadOnly?: boolean },
    signal: AbortSignal,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const doing = `${task.doing} the state of cluster ${task.cluster} in ${this.label}`;
    const seconds = this.#options.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
    const attempt = async (): Promise<T> => {
      const connection = await (this.#connection ??= connect(this.#options));
      const main = connection.firestore.collection(CLUSTERS).doc(documentId(task.cluster));
      return connection.firestore.runTransaction(
        (transaction) => {
          // The client's next try after this pass gave up: end here.
          if (limit.aborted) return Promise.reject(interruption(doing, limit));
          return work({ transaction, main, connection, cluster: task.cluster });
        },
        task.isReadOnly === true ? { readOnly: true } : { maxAttempts: CONTENTION_ATTEMPTS },
      );
    };
    try {
      return await untilInterrupted(attempt, doing, limit);
    } catch (error) {
      if (error instanceof StateError) throw error;
      throw classifyFirestoreError(error, doing, this.#options);
    }
  }
}

// ---- reading ----

async function readAll({ transaction, main, cluster }: Session): Promise<Known> {
  const snapshot = await transaction.get(main);
  const fields: Fields | undefined = snapshot.data();
  if (fields === undefined) return { stored: NEVER_STORED, pages: 0, exists: false };
  const where = locate(main, cluster);
  assertReadable(fields['schemaVersion'], where);
  const pages = decode(z.int().nonnegative(), fields['pages'], where);
  const refs = Array.from({ length: pages }, (_, index) => pageReference(main, index));
  const further = refs.length === 0 ? [] : await transaction.getAll(...refs);
  const whole = assemble(
    fields,
    further.map((page) => readPage(page.data(), where)),
  );
  return { stored: decode(schema, whole, where), pages, exists: true };
}

function readPage(page: Fields | undefined, where: Whereabouts): Fields {
  if (page !== undefined) return page;
  throw new StateError(`${where.what}: a page of it is missing`, { kind: 'malformed', remedy: where.remedy });
}

/** The fence alone, without the node map: what a save must see before it writes. */
async function readLease({ transaction, main, cluster }: Session): Promise<LeaseRecord> {
  const [snapshot] = await transaction.getAll(main, { fieldMask: ['schemaVersion', 'lease'] });
  const fields: Fields | undefined = snapshot?.data();
  if (fields === undefined) return NEVER_TAKEN;
  const where = locate(main, cluster);
  assertReadable(fields['schemaVersion'], where);
  return decode(leaseOnly, fields, where).lease;
}

function locate(main: DocumentReference, cluster: string): Whereabouts {
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

/** Writes the fields that differ, and says what is stored afterwards. */
function writeChanges(session: Session, before: Known, stored: StoredCluster): Known {
  const { transaction, main, connection, cluster } = session;
  if (stored === before.stored) return before;
  if (before.exists && stored.state === before.stored.state) {
    transaction.set(main, { lease: encodeLease(stored.lease, toDate) }, { mergeFields: ['lease'] });
    return { ...before, stored };
  }
  const old = before.exists ? layOut(before.stored, cluster).main : {};
  const { main: fields, further } = layOut(stored, cluster);
  const isSplit = before.pages > 0 || further.length > 0;
  const changed = Object.keys(fields).filter(
    // How an older version split a record is not known: its long parts are written whole.
    (key) => (isSplit && LONG_PARTS.has(key)) || !isSame(old[key], fields[key]),
  );
  const data = changed.map((key) => [key, fields[key] ?? connection.deletion] as const);
  transaction.set(main, Object.fromEntries(data), { mergeFields: changed });
  further.forEach((page, index) => transaction.set(pageReference(main, index), { ...page }));
  for (let index = further.length; index < before.pages; index += 1) {
    transaction.delete(pageReference(main, index));
  }
  return { stored, pages: further.length, exists: true };
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

// ---- names ----

/** Any cluster name as a document id: no slash, and neither `.` nor `..` nor `__…__`, which Firestore reserves. */
export function documentId(cluster: string): string {
  return `c-${encodeURIComponent(cluster)}`;
}

function pageReference(main: DocumentReference, index: number): DocumentReference {
  return main.collection(PAGES).doc(String(index + 1).padStart(3, '0'));
}
