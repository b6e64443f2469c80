/**
 * Errors that say what happens next. `kind` is decided from status codes, never from text; `remedy` is the one
 * thing a person can do about it, naming the setting or the command.
 */

export type FailureKind =
  /** 401: credentials missing or expired. */
  | 'unauthenticated'
  /** 403: not allowed. */
  | 'forbidden'
  | 'notFound'
  /** 409: decided on an older reading. */
  | 'conflict'
  /** 410 twice: the list moved on under its pages. */
  | 'gone'
  /** 422: the server refuses the object. */
  | 'invalid'
  /** 429 past the time budget. */
  | 'throttled'
  /** 5xx, connection refused or cut. */
  | 'unavailable'
  /** No answer in time: ours, not the server's. */
  | 'timeout'
  /** An answer that is not what it should be: not JSON, a truncated list, an impossible one. */
  | 'malformed'
  /** A later pass holds the lease. */
  | 'fenced'
  /** Written by a newer version of this program. */
  | 'newerSchema'
  /** The settings themselves are wrong: a path, a context, an address. */
  | 'misconfigured'
  /** The pass was told to stop (SIGTERM or its own deadline). */
  | 'aborted';

export interface FailureDetails {
  readonly kind: FailureKind;
  readonly remedy: string;
  readonly status?: number | undefined;
  readonly cause?: unknown;
}

export class OutsideError extends Error {
  readonly kind: FailureKind;
  readonly remedy: string;
  readonly status: number | undefined;

  constructor(message: string, details: FailureDetails) {
    super(message, { cause: details.cause });
    this.kind = details.kind;
    this.remedy = details.remedy;
    this.status = details.status;
  }
}

export class CalendarError extends OutsideError {
  override readonly name = 'CalendarError';
}

export class ClusterError extends OutsideError {
  override readonly name = 'ClusterError';
}

export class StateError extends OutsideError {
  override readonly name = 'StateError';
}

/** One thing that is wrong with the configuration, a flag or a scenario. */
export interface ConfigFinding {
  /** Dotted path of the setting, such as `nodePools.base.replicas`. */
  readonly path: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** What is wrong and how to fix it. */
  readonly message: string;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly source: string;
  readonly findings: readonly ConfigFinding[];

  constructor(source: string, findings: readonly ConfigFinding[]) {
    super(`${source}: ${String(findings.length)} problem(s)`);
    this.source = source;
    this.findings = findings;
  }
}

/** The process's exit codes (README, "When something fails"). */
export const EXIT = { ok: 0, failed: 1, invalid: 2 } as const;
