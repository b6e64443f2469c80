/** What the bench tells the synthetic API server, a process of its own, and what that answers. */

export interface SyntheticSpec {
  readonly certificate: { readonly key: string; readonly cert: string };
  /** One port each; all clusters are alike. */
  readonly clusters: number;
  readonly nodes: number;
  readonly podsPerNode: number;
  /** Of the nodes, those that bear the pool's label; the others are somebody else's. All, unless told. */
  readonly managedNodes?: number;
  /** Whether it compresses when asked to, as API servers do from 128 KiB up. */
  readonly gzip: boolean;
  readonly protocols: readonly ('h2' | 'http/1.1')[];
}

/** How one cluster misbehaves. */
export type Trouble =
  /** Takes connections and requests, and never answers. */
  | { readonly kind: 'silent' }
  /** Answers so much later. */
  | { readonly kind: 'slow'; readonly millis: number }
  /** Refuses the first requests with 429 and this Retry-After. */
  | {
      readonly kind: 'throttled';
      readonly requests: number;
      readonly retryAfterSeconds: number;
      /** Of those whose path has this in it; of all, unless told. */
      readonly path?: string;
    };

export type Command =
  | { readonly kind: 'stats' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'trouble'; readonly cluster: number; readonly trouble: Trouble | undefined };

export interface VerbCount {
  readonly requests: number;
  /** Of the answers, before TLS. */
  readonly bytes: number;
}

export interface ClusterStats {
  /** By `list pods`, `apply deployments` and so on; `refused` for 429. */
  readonly byVerb: Readonly<Record<string, VerbCount>>;
  readonly connections: number;
  /** Requests that came over HTTP/1.1; the others came over HTTP/2. */
  readonly overHttp1: number;
  /** Requests that came before the moment that a refusal had asked for. */
  readonly early: number;
  /** Epoch milliseconds of the first request since the last reset, and of the last answer sent. */
  readonly firstRequestAt: number | undefined;
  readonly lastAnswerAt: number | undefined;
}

export type Reply =
  | { readonly kind: 'listening'; readonly ports: readonly number[] }
  | { readonly kind: 'stats'; readonly clusters: readonly ClusterStats[] }
  | { readonly kind: 'done' };
