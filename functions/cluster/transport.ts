/**
 * Carries requests to one API server over one TLS connection: HTTP/2 where the server speaks it, so that lists run side
 * by side; else one after the other. Counts them, limits each in time, repeats those that are worth it, and holds all of
 * them back while the server asks for it.
 */
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Agent, ProxyAgent } from 'undici';
import type { Dispatcher } from 'undici';
import type { ClusterError } from '../errors.ts';
import { readRetryAfter } from '../retry-after.ts';
import type { Endpoint } from './endpoint.ts';
import { PausedError, StatusError, toClusterError } from './failure.ts';
import { Pause, Turn } from './pause.ts';
import type { ApiRequest, Verb } from './request.ts';
import { DEFAULT_RETRY, waitBeforeRetry } from './retry.ts';
import type { RetryPolicy } from './retry.ts';

/** In milliseconds. */
export interface TimeLimits {
  readonly connect: number;
  /** From the request to the answer's first byte. */
  readonly headers: number;
  /** Between two pieces of an answer. */
  readonly silence: number;
  /** For one request from start to end. */
  readonly whole: number;
}

/** Four of them fit, one after the other, into the pass's own deadline of 50 s. */
export const DEFAULT_LIMITS: TimeLimits = {
  connect: 10_000,
  headers: 10_000,
  silence: 10_000,
  whole: 30_000,
};

export interface TransportOptions {
  /** How the cluster is named in messages. */
  readonly label: string;
  readonly endpoint: Endpoint;
  readonly limits?: TimeLimits | undefined;
  readonly retry?: RetryPolicy | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Read to its end, or given up by leaving the loop. */
  readonly body: AsyncIterable<Buffer>;
}

const USER_AGENT = 'calendar-node-pool-autoscaler';
const GUNZIP_CHUNK_BYTES = 65_536;
/** An error's text is for people; a login page of a proxy is not. */
const ERROR_TEXT_BYTES = 65_536;
const ERROR_TEXT_CHARACTERS = 400;

export class Transport {
  readonly #label: string;
  readonly #endpoint: Endpoint;
  readonly #base: URL;
  readonly #limits: TimeLimits;
  readonly #retry: RetryPolicy;
  readonly #dispatcher: Dispatcher;
  readonly #pause: Pause;
  readonly #counts = new Map<Verb, number>();

  constructor(options: TransportOptions) {
    this.#label = options.label;
    this.#endpoint = options.endpoint;
    this.#base = new URL(options.endpoint.server);
    this.#limits = options.limits ?? DEFAULT_LIMITS;
    this.#retry = options.retry ?? DEFAULT_RETRY;
    this.#dispatcher = createDispatcher(options.endpoint, this.#limits);
    this.#pause = new Pause(this.#retry);
  }

  /**
   * Sends a request, again where that is worth it, and hands the answer to `read`, which must read it to its end.
   * A `read` that fails half-way is run anew with a new answer, so it must start from nothing each time.
   *
   * @throws ClusterError
   */
  async exchange<T>(
    request: ApiRequest,
    signal: AbortSignal,
    read: (answer: Answer, attempt: number) => Promise<T>,
  ): Promise<T> {
    const turn = new Turn(this.#pause, signal);
    for (let attempt = 1; ; attempt += 1) {
      try {
        // Before the request's own time limits begin.
        await turn.come();
        return await this.#attempt(request, signal, (answer) => read(answer, attempt));
      } catch (cause) {
        const error = this.toError(turn.judge(cause), request, signal);
        if (!(await this.#waitsFor(error, attempt, signal))) {
          throw error;
        }
      }
    }
  }

  toError(cause: unknown, target: ApiRequest, signal: AbortSignal): ClusterError {
    return toClusterError(cause, { label: this.#label, endpoint: this.#endpoint, target, signal });
  }

  /** Requests sent so far, by verb. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** Ends the connection without waiting for answers that nobody reads any more. */
  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  async #attempt<T>(
    request: ApiRequest,
    signal: AbortSignal,
    read: (answer: Answer) => Promise<T>,
  ): Promise<T> {
    this.#counts.set(request.verb, (this.#counts.get(request.verb) ?? 0) + 1);
    const response = await this.#dispatcher.request({
      origin: this.#base.origin,
      path: `${this.#base.pathname.replace(/\/+$/, '')}${request.path}`,
      method: request.method,
      headers: { 'user-agent': USER_AGENT, ...this.#endpoint.headers, ...request.headers },
      body: request.body ?? null,
      signal: AbortSignal.any([signal, AbortSignal.timeout(this.#limits.whole)]),
    });
    const { statusCode: status, headers } = response;
    const body = decode(response.body, headers['content-encoding']);
    if (status < 200 || status > 299) {
      throw new StatusError(status, await readErrorText(body), retryAfterOf(headers));
    }
    return read({ status, headers, body });
  }

  async #waitsFor(error: ClusterError, attempt: number, signal: AbortSignal): Promise<boolean> {
    const { kind, cause } = error;
    if (cause instanceof PausedError) {
      return false;
    }
    const retryAfterMillis = cause instanceof StatusError ? cause.retryAfterMillis : undefined;
    const millis = waitBeforeRetry({ kind, attempt, retryAfterMillis }, this.#retry);
    return millis !== undefined && (await this.#retry.wait(millis, signal));
  }
}

function createDispatcher(endpoint: Endpoint, limits: TimeLimits): Dispatcher {
  const { ca, clientCertificate, serverName, proxyUrl } = endpoint;
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(clientCertificate ?? {}),
    ...(serverName === undefined ? {} : { servername: serverName }),
    // Verification stays on whatever NODE_TLS_REJECT_UNAUTHORIZED says.
    rejectUnauthorized: true,
    timeout: limits.connect,
    keepAlive: true,
  };
  const options = {
    connections: 1,
    allowH2: true,
    headersTimeout: limits.headers,
    bodyTimeout: limits.silence,
    keepAliveTimeout: limits.whole,
  };
  return proxyUrl === undefined
    ? new Agent({ ...options, connect: tls })
    : new ProxyAgent({ ...options, uri: proxyUrl, requestTls: tls });
}

/** API servers compress an answer of more than 128 KiB when asked to. */
function decode(
  body: Dispatcher.ResponseData['body'],
  encoding: string | string[] | undefined,
): AsyncIterable<Buffer> {
  if (encoding !== 'gzip') {
    return body;
  }
  // The callback does nothing, since whoever reads the pipeline's end meets its error there.
  return pipeline(body, createGunzip({ chunkSize: GUNZIP_CHUNK_BYTES }), () => undefined);
}

export async function readText(body: AsyncIterable<Buffer>, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limitBytes) {
      break;
    }
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The message of the Status object that API servers answer with; of anything else, its beginning. */
async function readErrorText(body: AsyncIterable<Buffer>): Promise<string> {
  const text = await readText(body, ERROR_TEXT_BYTES);
  return (statusMessage(text) ?? text).replace(/\s+/g, ' ').trim().slice(0, ERROR_TEXT_CHARACTERS);
}

function statusMessage(text: string): string | undefined {
  try {
    const status: unknown = JSON.parse(text);
    const isStatus = typeof status === 'object' && status !== null && 'message' in status;
    return isStatus && typeof status.message === 'string' ? status.message : undefined;
  } catch {
    return undefined;
  }
}

function retryAfterOf(headers: Answer['headers']): number | undefined {
  const header = headers['retry-after'];
  return readRetryAfter(Array.isArray(header) ? header[0] : header, Date.now());
}
