import { StateError } from '../errors.ts';
import type { Acquisition, ClusterState, StateStore } from '../ports.ts';
import { orStop } from '../stopping.ts';
import type { Connection, FirestoreOptions } from './firestore-connection.ts';
import { connect } from './firestore-connection.ts';
import { INVALID_ARGUMENT, classifyFirestoreError, statusOf } from './firestore-error.ts';
import type { Known, Place, Writer } from './firestore-record.ts';
import { CLUSTERS, readLease, readRecord, writeChanges } from './firestore-record.ts';
import { interruption } from './interruption.ts';
import type { Claim } from './lease.ts';
import type { Change } from './stored-cluster.ts';
import { acquireFrom, saveInto } from './stored-cluster.ts';

/** Where Terraform sets the index exemptions. */
export { CLUSTERS, PAGES } from './firestore-record.ts';

/**
 * The client takes no AbortSignal and retries outages for up to ten minutes, so an operation is given up after
 * this. Given up is not undone: it may still commit, which the fencing number makes harmless.
 */
const DEFAULT_TIMEOUT_SECONDS = 10;
const CONTENTION_ATTEMPTS = 3;

interface Task {
  /** What is being done to the state, for messages. */
  readonly doing: string;
  readonly cluster: string;
  readonly signal: AbortSignal;
}

/** One operation while it runs. */
interface Attempt {
  readonly limit: AbortSignal;
  readonly doing: string;
  lastError: unknown;
}

/** State in Firestore: the store of the job in the cloud. */
export class FirestoreStateStore implements StateStore {
  readonly label: string;
  readonly #options: FirestoreOptions;
  #connection: Promise<Connection> | undefined;
  #inFlight = 0;
  /** What this pass read or wrote: as long as its fence is the newest, that is what is stored. */
  readonly #known = new Map<string, Known>();

  constructor(options: FirestoreOptions) {
    this.#options = options;
    this.label = `firestore ${options.projectId === undefined ? '' : `${options.projectId}/`}${options.databaseId}`;
  }

  /** Not in a transaction: that of a dry run would lock the document against a pass that acts. */
  peek(cluster: string, signal: AbortSignal): Promise<ClusterState> {
    return this.#attempt({ doing: 'reading', cluster, signal }, async ({ firestore }) => {
      const main = firestore.collection(CLUSTERS).doc(documentId(cluster));
      const place: Place = { cluster, main, read: (references) => firestore.getAll(...references) };
      return (await readRecord(place)).stored.state;
    });
  }

  async acquire(cluster: string, claim: Claim, signal: AbortSignal): Promise<Acquisition> {
    const task = { doing: 'taking the lease and reading', cluster, signal };
    const { answer, known } = await this.#transact(task, async (place, writer) => {
      const before = await readRecord(place);
      const claimed = acquireFrom(before.stored, claim);
      return {
        answer: claimed.answer,
        known: writeChanges(place, writer, { before, after: claimed.stored }),
      };
    });
    this.#known.set(cluster, known);
    return answer;
  }

  async save(cluster: string, change: Change, signal: AbortSignal): Promise<void> {
    const known = this.#known.get(cluster);
    // Until this save has succeeded nobody knows what is stored.
    this.#known.delete(cluster);
    const saved = await this.#transact({ doing: 'saving', cluster, signal }, async (place, writer) => {
      const before =
        known?.stored.lease.fence === change.lease.fence
          ? { ...known, stored: { ...known.stored, lease: await readLease(place) } }
          : await readRecord(place);
      return writeChanges(place, writer, { before, after: saveInto(before.stored, cluster, change) });
    });
    this.#known.set(cluster, saved);
  }

  /**
   * Leaves the client alone while it still tries something that this pass gave up: terminated under its own
   * retries it ends the process with an unhandled rejection. Such a process has to be ended by its caller.
   */
  async close(): Promise<void> {
    // It may be a sign-in, and never end.
    if (this.#inFlight > 0) return;
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.firestore.terminate();
  }

  #transact<T>(task: Task, work: (place: Place, writer: Writer) => Promise<T>): Promise<T> {
    return this.#attempt(task, async ({ firestore, deletion }, attempt) => {
      const main = firestore.collection(CLUSTERS).doc(documentId(task.cluster));
      const run = (): Promise<T> =>
        firestore.runTransaction(
          async (transaction) => {
            // The client's next try after this pass gave up: end here.
            if (attempt.limit.aborted) throw interruption(attempt.doing, attempt.limit);
            const read: Place['read'] = (references, fieldMask) =>
              fieldMask === undefined
                ? transaction.getAll(...references)
                : transaction.getAll(...references, { fieldMask: [...fieldMask] });
            return noting(attempt, work({ cluster: task.cluster, main, read }, { transaction, deletion }));
          },
          { maxAttempts: CONTENTION_ATTEMPTS },
        );
      try {
        return await run();
      } catch (error) {
        // Also the answer to a commit that was sent again because the answer to the first was lost. Whether it
        // counted is found out by doing it once more: the same owner may, with the same result.
        if (statusOf(error) !== INVALID_ARGUMENT) throw error;
        return run();
      }
    });
  }

  async #attempt<T>(task: Task, work: (connection: Connection, attempt: Attempt) => Promise<T>): Promise<T> {
    const doing = `${task.doing} the state of cluster ${task.cluster} in ${this.label}`;
    const seconds = this.#options.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
    const limit = AbortSignal.any([task.signal, AbortSignal.timeout(seconds * 1000)]);
    const attempt: Attempt = { limit, doing, lastError: undefined };
    const start = async (): Promise<T> => {
      this.#inFlight += 1;
      try {
        return await work(await (this.#connection ??= connect(this.#options)), attempt);
      } finally {
        this.#inFlight -= 1;
      }
    };
    try {
      if (limit.aborted) throw interruption(doing, limit);
      return await orStop(start(), limit, { failure: () => interruption(doing, limit) });
    } catch (error) {
      throw this.#classify(error, attempt);
    }
  }

  #classify(error: unknown, { doing, lastError }: Attempt): StateError {
    // A refusal that the client kept trying against (429 for a minute) tells more than that time ran out.
    const isTimeout = error instanceof StateError && error.kind === 'timeout';
    const told = isTimeout ? (lastError ?? error) : error;
    return told instanceof StateError ? told : classifyFirestoreError(told, doing, this.#options);
  }
}

async function noting<T>(attempt: Attempt, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    attempt.lastError = error;
    throw error;
  }
}

/** Any cluster name as a document id: no slash, and neither `.` nor `..` nor `__…__`, which Firestore reserves. */
export function documentId(cluster: string): string {
  return `c-${encodeURIComponent(cluster)}`;
}
