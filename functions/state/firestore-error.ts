import type { FailureKind } from '../errors.ts';
import { StateError } from '../errors.ts';

/** Where the state is, for remedies that can be pasted. */
export interface DatabaseAddress {
  readonly projectId: string | undefined;
  readonly databaseId: string;
}

interface Verdict {
  readonly kind: FailureKind;
  readonly remedy: string;
}

const OUTAGE: Verdict = {
  kind: 'unavailable',
  remedy: 'wait: each pass tries again; if it lasts, see status.cloud.google.com for Firestore',
};

export const CREDENTIALS_REMEDY =
  'run as a service account, or run `gcloud auth application-default login` on a laptop, and name the project: --state firestore:PROJECT/DATABASE';

/** By gRPC status code, which the client also makes of HTTP answers. */
const VERDICTS: Readonly<Record<number, (project: string, database: string) => Verdict>> = {
  1: () => OUTAGE,
  2: () => OUTAGE,
  3: () => ({ kind: 'invalid', remedy: 'report this: Firestore refused the request' }),
  4: () => ({ ...OUTAGE, kind: 'timeout' }),
  5: (project, database) => ({
    kind: 'notFound',
    remedy: `create the database: gcloud firestore databases create --project=${project} --database='${database}' --location=LOCATION; or correct --state`,
  }),
  7: (project, database) => ({
    kind: 'forbidden',
    remedy: `grant roles/datastore.user on database ${database} of project ${project} to the service account of this job, and enable firestore.googleapis.com`,
  }),
  8: (project) => ({ kind: 'throttled', remedy: `look at the Firestore quotas of project ${project}` }),
  9: (_, database) => ({
    kind: 'misconfigured',
    remedy: `name a database in Firestore Native mode in --state; ${database} may be in Datastore mode`,
  }),
  10: () => ({
    kind: 'conflict',
    remedy: 'nothing: another pass wrote at the same time; the next one goes on',
  }),
  13: () => OUTAGE,
  14: () => OUTAGE,
  16: () => ({ kind: 'unauthenticated', remedy: CREDENTIALS_REMEDY }),
};

export function classifyFirestoreError(error: unknown, doing: string, address: DatabaseAddress): StateError {
  const status = statusOf(error);
  const judge = status === undefined ? undefined : VERDICTS[status];
  // Without a status nothing was answered: the connection was cut in the middle.
  const { kind, remedy } = judge?.(address.projectId ?? 'PROJECT', address.databaseId) ?? OUTAGE;
  const text = error instanceof Error ? firstLine(error.message) : '';
  return new StateError(`${doing}: ${text === '' ? 'no reason given' : text}`, {
    kind,
    remedy,
    status,
    cause: error,
  });
}

export const INVALID_ARGUMENT = 3;

/** The gRPC status code of an answer. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
}

/** A proxy may answer with a page of HTML; a log line wants the first of it. */
function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 300) ?? '';
}
