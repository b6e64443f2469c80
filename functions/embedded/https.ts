/**
 * The model cluster as a Kubernetes API over HTTPS on loopback, for tests with the real client (and kubectl).
 *
 *     const api = await startEmbeddedApi({ model, tls: { key, cert }, users: { 'token-1': { name: 'job@…' } } });
 *     … api.url, api.inject(fault), api.requests …
 *     await api.close();
 *
 * Without `users` nobody is asked who he is; with them a token of theirs is needed (401), and what its user may do
 * is what Roles and bindings in the cluster say (403), `system:masters` aside. Each request lets `secondsPerRequest`
 * virtual seconds pass first, so that whoever polls sees the cluster move. Faults: `api/faults.ts`.
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { User, Users } from './api/access.ts';
import { authenticate, authorize } from './api/access.ts';
import { send, statusOf, suffer } from './api/answers.ts';
import { discover } from './api/discovery.ts';
import type { Fault, FaultEffect } from './api/faults.ts';
import { FaultPlan } from './api/faults.ts';
import { Lister } from './api/list.ts';
import { resourcesOf } from './api/resources.ts';
import type { Resource } from './api/resource.ts';
import type { Route } from './api/route.ts';
import { parseRoute } from './api/route.ts';
import type { ApiAnswer } from './api/service.ts';
import { ApiService } from './api/service.ts';
import { toTable, wantsTable } from './api/table.ts';
import type { ClusterModel } from './model.ts';
import { refuse, RefusalError } from './refusal.ts';

export interface EmbeddedApiOptions {
  readonly model: ClusterModel;
  readonly tls: { readonly key: string; readonly cert: string; readonly ca?: string };
  /** Users by bearer token. */
  readonly users?: Users;
  /** Virtual seconds that pass with each request; 1 unless told. */
  readonly secondsPerRequest?: number;
}

/** One request as the audit log of a real server would have it. */
export interface RequestRecord {
  readonly method: string;
  /** Path and query. */
  readonly uri: string;
  readonly user: string;
  /** 0 when no answer was sent. */
  readonly status: number;
}

export interface EmbeddedApi {
  readonly url: string;
  /** PEM of the authority that signed the certificate, where it was given. */
  readonly ca: string | undefined;
  readonly requests: readonly RequestRecord[];
  inject(fault: Fault): () => void;
  clearFaults(): void;
  /** Every continue token given out so far answers 410. */
  expireTokens(): void;
  close(): Promise<void>;
}

export async function startEmbeddedApi(options: EmbeddedApiOptions): Promise<EmbeddedApi> {
  const face = new Face(options);
  const server = createServer({ key: options.tls.key, cert: options.tls.cert }, (request, response) => {
    face.serve(request, response).catch((error: unknown) => {
      response.destroy(
        error instanceof Error ? error : new Error('the embedded API failed', { cause: error }),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `https://127.0.0.1:${String(port)}`,
    ca: options.tls.ca,
    requests: face.requests,
    inject: (fault) => face.faults.inject(fault),
    clearFaults: () => {
      face.faults.clear();
    },
    expireTokens: () => {
      face.lister.expireTokens();
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const NOT_CARRIED_OUT = { answer: { status: 0, body: {} }, user: '' };

function isCarriedOut(fault: FaultEffect | undefined): boolean {
  return fault === undefined || ['cut', 'truncate', 'loseAnswer'].includes(fault.kind);
}

class Face {
  readonly requests: RequestRecord[] = [];
  readonly faults = new FaultPlan();
  readonly lister: Lister;
  readonly #options: EmbeddedApiOptions;
  readonly #service: ApiService;
  readonly #resources: readonly Resource[];

  constructor(options: EmbeddedApiOptions) {
    const { model } = options;
    this.#options = options;
    this.lister = new Lister(model);
    this.#service = new ApiService(model, this.lister);
    this.#resources = resourcesOf(model);
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readAll(request);
    const { method, url } = lineOf(request);
    const fault = this.faults.next(`${method} ${url}`);
    if (fault?.kind === 'delay') await pause(fault.milliseconds);
    const planned = fault?.kind === 'delay' ? undefined : fault;
    const { answer, user } = isCarriedOut(planned) ? this.#carryOut(request, body) : NOT_CARRIED_OUT;
    const status = planned?.kind === 'status' ? planned.status : answer.status;
    this.requests.push({ method, uri: url, user, status });
    if (planned === undefined) send(request, response, answer);
    else suffer(planned, response, answer);
  }

  #carryOut(request: IncomingMessage, body: string): { readonly answer: ApiAnswer; readonly user: string } {
    const { model, secondsPerRequest = 1 } = this.#options;
    model.clock.runUntil(model.clock.now() + secondsPerRequest * 1000);
    let user: User | undefined;
    let answer: ApiAnswer;
    try {
      user = this.#options.users && authenticate(this.#options.users, request.headers.authorization);
      answer = this.#answer(request, body, user);
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      answer = { status: error.refusal.code, body: statusOf(error.refusal) };
    }
    model.clock.settle();
    return { answer, user: user?.name ?? '' };
  }

  /** @throws RefusalError */
  #answer(request: IncomingMessage, body: string, user: User | undefined): ApiAnswer {
    const { method } = lineOf(request);
    const url = new URL(lineOf(request).url, 'https://localhost');
    if (/^\/(healthz|livez|readyz)$/.test(url.pathname)) return { status: 200, body: {} };
    const found = discover(url.pathname, this.#resources);
    if (found !== undefined) return { status: 200, body: found };
    const route = parseRoute(url.pathname, this.#resources);
    if (route === undefined) refuse(404, 'NotFound', 'the server could not find the requested resource');
    if (user !== undefined) authorize(user, method, { route, resources: this.#resources });
    const contentType = request.headers['content-type']?.split(';')[0]?.trim() ?? '';
    const userAgent = request.headers['user-agent'] ?? '';
    const parameters = url.searchParams;
    const answer = this.#service.answer({ method, route, parameters, contentType, body, userAgent });
    return method === 'GET' ? this.#present(answer, request, { route, parameters }) : answer;
  }

  /** As rows and columns, where those are accepted first. */
  #present(
    answer: ApiAnswer,
    { headers }: IncomingMessage,
    { route, parameters }: { readonly route: Route; readonly parameters: URLSearchParams },
  ): ApiAnswer {
    if (!wantsTable(headers.accept ?? '')) return answer;
    const now = this.#options.model.clock.now();
    const include = parameters.get('includeObject');
    return { ...answer, body: toTable(answer.body, { resource: route.resource, now, include }) };
  }
}

/** Node's types allow for a message without a request line, which a server never sees. */
function lineOf(request: IncomingMessage): { readonly method: string; readonly url: string } {
  return { method: request.method ?? 'GET', url: request.url ?? '/' };
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
}

async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
