/** The two sides of the matrix: where it can break, and how. */
export const SOURCES = ['calendar', 'nodes', 'pods', 'deployments', 'apply', 'lease', 'save'] as const;
export type Source = (typeof SOURCES)[number];

export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds?: number }
  /** The connection ends in the middle of the answer; what was asked has been done. */
  | { readonly kind: 'cut' }
  /** The request is taken and never answered. */
  | { readonly kind: 'silence' }
  /** Answered rightly, after everybody has given up. */
  | { readonly kind: 'slow' }
  | { readonly kind: 'garbage' }
  /** Valid, and most of it missing. */
  | { readonly kind: 'truncatedList' }
  | { readonly kind: 'emptyList' };

export const FAULTS: Readonly<Record<string, Fault>> = {
  '401': { kind: 'status', status: 401 },
  '403': { kind: 'status', status: 403 },
  '404': { kind: 'status', status: 404 },
  '409': { kind: 'status', status: 409 },
  '410': { kind: 'status', status: 410 },
  '422': { kind: 'status', status: 422 },
  '429': { kind: 'status', status: 429 },
  '429 with Retry-After': { kind: 'status', status: 429, retryAfterSeconds: 1 },
  '500': { kind: 'status', status: 500 },
  '503': { kind: 'status', status: 503 },
  'a connection cut in the body': { kind: 'cut' },
  'no answer': { kind: 'silence' },
  'an answer after the deadline': { kind: 'slow' },
  garbage: { kind: 'garbage' },
  'a truncated but valid list': { kind: 'truncatedList' },
  'an empty list': { kind: 'emptyList' },
};
