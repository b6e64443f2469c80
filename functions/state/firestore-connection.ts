import type { FieldValue, Firestore } from '@google-cloud/firestore';
import type { AuthClient, GoogleAuth } from 'google-auth-library';

import { StateError } from '../errors.ts';
import { TOKEN_OUTAGE_REMEDY, kindOfTokenFailure } from '../token-failure.ts';
import { CREDENTIALS_REMEDY } from './firestore-error.ts';

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
  readonly deletion: FieldValue;
}

const SCOPES = ['https://www.googleapis.com/auth/datastore'];
const EMULATOR_PROJECT = 'emulated';

interface Identity {
  readonly authClient: AuthClient;
  readonly auth: GoogleAuth;
  readonly projectId: string;
}

/**
 * The libraries are loaded here and not at the top: they cost more than a pass with file state altogether.
 *
 * Credentials and project are found out before the client is made. Left to itself the client asks for them in the
 * background too, and where there are none that second question ends the process with an unhandled rejection.
 * It asks even when it talks to an emulator, unless it is handed a client that has nothing to ask for.
 * @throws StateError, kind `unauthenticated`, or an outage of whoever gives the token.
 */
export async function connect(options: FirestoreOptions): Promise<Connection> {
  const [{ FieldValue, Firestore }, library] = await Promise.all([
    import('@google-cloud/firestore'),
    import('google-auth-library'),
  ]);
  const identity = await identify(options, library).catch((error: unknown) => {
    const kind = kindOfTokenFailure(error);
    throw new StateError(`signing in to Firestore: ${error instanceof Error ? error.message : 'unknown'}`, {
      kind,
      remedy: kind === 'unauthenticated' ? CREDENTIALS_REMEDY : TOKEN_OUTAGE_REMEDY,
      cause: error,
    });
  });
  const firestore = new Firestore({
    ...identity,
    databaseId: options.databaseId,
    preferRest: options.preferRest ?? true,
    ignoreUndefinedProperties: true,
    ...(options.emulatorHost !== undefined && { host: options.emulatorHost, ssl: false }),
  });
  return { firestore, deletion: FieldValue.delete() };
}

/** The token is fetched here too, where its failure can be told from an answer of Firestore; it is kept for later. */
async function identify(
  options: FirestoreOptions,
  { GoogleAuth, PassThroughClient }: typeof import('google-auth-library'),
): Promise<Identity> {
  const isEmulated = options.emulatorHost !== undefined;
  const authClient =
    options.authClient ??
    (isEmulated ? new PassThroughClient() : await new GoogleAuth({ scopes: SCOPES }).getClient());
  const auth = new GoogleAuth({ authClient });
  await authClient.getAccessToken();
  const projectId = options.projectId ?? (isEmulated ? EMULATOR_PROJECT : await auth.getProjectId());
  return { authClient, auth, projectId };
}
