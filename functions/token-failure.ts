/** Why Google's credentials gave no token: a service that fails just now is no missing permission. */
import type { FailureKind } from './errors.ts';
import { fieldOf, textOf } from './unknown-shape.ts';

export type TokenFailureKind = Extract<FailureKind, 'throttled' | 'unavailable' | 'unauthenticated'>;

export const TOKEN_OUTAGE_REMEDY =
  'wait, each pass tries again; when it lasts, check that oauth2.googleapis.com, or in the cloud the metadata server, can be reached from here';

/** Of the system and of fetch; a key file that is not there has a code as well. */
const CONNECTION_CODE =
  /^(?:ECONN\w+|EPIPE|EPROTO|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_\w+)$/;
const MOST_CAUSES = 5;

/** @param thrown by google-auth-library, which passes on what its requests throw, or wraps it */
export function kindOfTokenFailure(thrown: unknown): TokenFailureKind {
  const errors = [...causesOf(thrown)];
  const status = errors.map(statusOf).find((one) => typeof one === 'number');
  if (status === 429) return 'throttled';
  const isOutage = status === undefined ? errors.some(isOfConnection) : status >= 500 || status === 408;
  return isOutage ? 'unavailable' : 'unauthenticated';
}

function* causesOf(thrown: unknown): Generator<Error> {
  let error = thrown;
  for (let depth = 0; error instanceof Error && depth < MOST_CAUSES; depth += 1) {
    yield error;
    error = error.cause;
  }
}

function statusOf(error: Error): unknown {
  return fieldOf(fieldOf(error, 'response') ?? error, 'status');
}

function isOfConnection(error: Error): boolean {
  return (
    CONNECTION_CODE.test(textOf(error, 'code') ?? '') ||
    error.name === 'TimeoutError' ||
    error.name === 'AbortError'
  );
}
