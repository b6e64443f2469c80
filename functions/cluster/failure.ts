/**
 * Turns what went wrong with a request into a ClusterError: its kind from the status code or the system's error
 * code, never from text, and the one thing that a person does about it.
 */
import { ClusterError } from '../errors.ts';
import type { FailureKind } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import { describeRight, describeTarget } from './request.ts';
import type { Target } from './request.ts';

const CLUSTER_YAML =
  'infra/cluster/autoscaler.yaml: `scripts/render-cluster-yaml.sh --service-account EMAIL --unique-id ID | kubectl apply --server-side -f -`';

/** An answer with a status that is not a success. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: number;
  /** From `Retry-After`; undefined when the server did not say. */
  readonly retryAfterMillis: number | undefined;

  constructor(status: number, message: string, retryAfterMillis: number | undefined) {
    super(message);
    this.status = status;
    this.retryAfterMillis = retryAfterMillis;
  }
}

/** An answer that is not what it should be. */
export class MalformedError extends Error {
  override readonly name = 'MalformedError';
}

/** A request without an answer, since it waited as long as the server had asked. */
export class PausedError extends Error {
  override readonly name = 'PausedError';
  readonly askedBy: StatusError;

  constructor(what: string, askedBy: StatusError) {
    super(what, { cause: askedBy });
    this.askedBy = askedBy;
  }
}

export interface Circumstances {
  /** How the cluster is named in messages. */
  readonly label: string;
  readonly endpoint: Endpoint;
  readonly target: Target;
  /** Of the pass. */
  readonly signal: AbortSignal;
}

const KIND_BY_STATUS: Readonly<Record<number, FailureKind>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'notFound',
  408: 'timeout',
  409: 'conflict',
  410: 'gone',
  429: 'throttled',
};

/** Of the system, OpenSSL, undici and zlib; what is not listed is a connection that could not be made or was cut. */
const KIND_BY_CODE: Readonly<Record<string, FailureKind>> = {
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ENOTFOUND: 'misconfigured',
  CERT_HAS_EXPIRED: 'misconfigured',
  CERT_SIGNATURE_FAILURE: 'misconfigured',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'misconfigured',
  SELF_SIGNED_CERT_IN_CHAIN: 'misconfigured',
  UNABLE_TO_GET_ISSUER_CERT: 'misconfigured',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'misconfigured',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'misconfigured',
  ERR_TLS_CERT_ALTNAME_INVALID: 'misconfigured',
  Z_BUF_ERROR: 'malformed',
  Z_DATA_ERROR: 'malformed',
};

export function toClusterError(cause: unknown, at: Circumstances): ClusterError {
  if (cause instanceof ClusterError) {
    return cause;
  }
  const kind = kindOf(cause, at.signal);
  const status = cause instanceof StatusError ? cause.status : undefined;
  return new ClusterError(`${describeTarget(at.target)} of ${at.label}: ${wordsFor(kind, cause, at)}`, {
    kind,
    status,
    remedy: remedyFor(kind, at),
    cause,
  });
}

function kindOf(cause: unknown, signal: AbortSignal): FailureKind {
  if (cause instanceof StatusError) {
    return kindOfStatus(cause.status);
  }
  if (cause instanceof MalformedError) {
    return 'malformed';
  }
  if (signal.aborted && !isTimeout(signal.reason)) {
    return 'aborted';
  }
  if (cause instanceof PausedError) {
    return kindOfStatus(cause.askedBy.status);
  }
  if (signal.aborted || isTimeout(cause)) {
    return 'timeout';
  }
  return KIND_BY_CODE[codeOf(cause)] ?? 'unavailable';
}

/** Of one request or one write. The end of the pass comes with a reason of its own. */
function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}

function kindOfStatus(status: number): FailureKind {
  if (status >= 500) {
    return 'unavailable';
  }
  return KIND_BY_STATUS[status] ?? (status >= 400 ? 'invalid' : 'malformed');
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
}

function wordsFor(kind: FailureKind, cause: unknown, at: Circumstances): string {
  if (cause instanceof StatusError) {
    return wordsOfAnswer(cause);
  }
  if (kind === 'aborted') {
    return 'stopped, since the pass was told to';
  }
  if (cause instanceof PausedError) {
    const seconds = Math.ceil((cause.askedBy.retryAfterMillis ?? 0) / 1000);
    return `${cause.message} of ${String(seconds)} s (${wordsOfAnswer(cause.askedBy)})`;
  }
  if (kind === 'timeout') {
    return `no answer in time from ${at.endpoint.server}`;
  }
  const words = cause instanceof Error ? cause.message : String(cause);
  const code = codeOf(cause);
  return `${at.endpoint.server}: ${code === '' || words.includes(code) ? words : `${words} (${code})`}`;
}

function wordsOfAnswer({ status, message }: StatusError): string {
  return `${String(status)} ${message}`.trim();
}

function remedyFor(kind: FailureKind, at: Circumstances): string {
  return (REMEDIES[kind] ?? nothingToDo)(at);
}

function nothingToDo(): string {
  return 'nothing: the next pass goes on';
}

const REMEDIES: Partial<Record<FailureKind, (at: Circumstances) => string>> = {
  unauthenticated: ({ endpoint }) => endpoint.advice.credentials,
  forbidden: ({ target }) =>
    `grant ${describeRight(target)} to the identity that the message names; it is part of ${CLUSTER_YAML}`,
  notFound: () => `check \`namespace\` in the config; what the cluster needs is in ${CLUSTER_YAML}`,
  conflict: () => 'nothing: somebody else changed the object meanwhile, and the next pass decides anew',
  gone: () =>
    'nothing at first: the list moved on under its pages; if every pass says so, the API server is overloaded',
  invalid: ({ target }) => invalidRemedy(target),
  throttled: () =>
    'the API server asks for fewer requests: see what else loads it (priority and fairness), or run the job less often',
  unavailable: ({ endpoint }) => endpoint.advice.reach,
  timeout: ({ endpoint }) => endpoint.advice.reach,
  malformed: ({ endpoint }) =>
    `something that is no API server may answer at ${endpoint.server} (a proxy, a login page): check \`cluster\``,
  misconfigured: ({ endpoint }) =>
    `check the address and the certificate authority that \`cluster\` leads to: ${endpoint.server}`,
};

/** A Deployment made by another tool under our name has another selector, and a selector cannot be changed. */
function invalidRemedy(target: Target): string {
  if (target.name === undefined) {
    return 'the API server refuses the request: check `nodePoolSelectorKey` and the names of the pools in the config';
  }
  if (target.namespace === undefined || target.resource.name !== 'deployments') {
    return 'the message names the field that the API server refuses: correct it in the config';
  }
  return `correct the field that the message names in the config; if it is the selector, another tool made this Deployment: \`kubectl -n ${target.namespace} delete deployment ${target.name}\``;
}
