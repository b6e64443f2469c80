import type { FieldValue, Firestore } from '@google-cloud/firestore';
import type { AuthClient } from 'google-auth-library';

export interface FirestoreOptions {
  /** Undefined: the project of the credentials. */
  readonly projectId: string | undefined;
  /** `(default)` or the id of a named database. */
  readonly databaseId: string;
  /** Undefined: application-default credentials. */
  readonly authClient?: AuthClient | undefined;
  /** `HOST:PORT` of an emulator, which is spoken to without credentials. */
  readonly emulatorHost?: string | undefined;
  /** REST starts faster than gRPC and carries transactions just as well. */
  readonly preferRest?: boolean | undefined;
  /** For one transaction, retries included. */
  readonly timeoutSeconds?: number | undefined;
}

export interface Connection {
  readonly firestore: Firestore;
  readonly projectId: string;
  readonly deletion: FieldValue;
}

const SCOPES = ['https://www.googleapis.com/auth/datastore'];
const EMULATOR_PROJECT = 'emulated';

/**
 * The libraries are loaded here and not at the top: they cost more than a pass with file state altogether.
 *
 * Credentials and project are found out before the client is made. Left to itself the client asks for them in the
 * background too, and where there are none that second question ends the process with an unhandled rejection.
 * It asks even when it talks to an emulator, unless it is handed a client that has nothing to ask for.
 */
export async function connect(options: FirestoreOptions): Promise<Connection> {
  const [{ FieldValue, Firestore }, { GoogleAuth, PassThroughClient }] = await Promise.all([
    import('@google-cloud/firestore'),
    import('google-auth-library'),
  ]);
  const isEmulated = options.emulatorHost !== undefined;
  const authClient =
    options.authClient ??
    (isEmulated ? new PassThroughClient() : await new GoogleAuth({ scopes: SCOPES }).getClient());
  const auth = new GoogleAuth({ authClient });
  const projectId = options.projectId ?? (isEmulated ? EMULATOR_PROJECT : await auth.getProjectId());
  const firestore = new Firestore({
    projectId,
    databaseId: options.databaseId,
    preferRest: options.preferRest ?? true,
    ignoreUndefinedProperties: true,
    authClient,
    auth,
    ...(isEmulated && { host: options.emulatorHost, ssl: false }),
  });
  return { firestore, projectId, deletion: FieldValue.delete() };
}
