/** A server on loopback that passes requests on, writes down what passed, and can answer or cut in their place. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

export interface Passed {
  /** The part of the path after the last colon, such as `commit`. */
  readonly verb: string;
  readonly body: unknown;
}

/**
 * What to do instead of passing a request on. `cutAfter` passes it on and loses the answer, `slow` passes it on after
 * so long, `body` answers 200 with that text.
 */
export type Fault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly text?: string;
      readonly retryAfterSeconds?: number;
    }
  | { readonly kind: 'slow'; readonly milliseconds: number }
  | { readonly kind: 'body'; readonly text: string }
  | { readonly kind: 'cutAfter' }
  | { readonly kind: 'cut' | 'silence' | 'garbage' };

export class HttpRelay {
  readonly passed: Passed[] = [];
  readonly host: string;
  /** Asked for every request. */
  fault: (verb: string) => Fault | undefined = () => undefined;
  readonly #stopping = new AbortController();
  readonly #server: ReturnType<typeof createServer>;

  private constructor(server: ReturnType<typeof createServer>, host: string) {
    this.#server = server;
    this.host = host;
  }

  /** @param target `HOST:PORT`; undefined when every request will be answered here. */
  static async start(target?: string): Promise<HttpRelay> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port on loopback');
    const relay = new HttpRelay(server, `127.0.0.1:${address.port}`);
    server.on('request', (request, response) => {
      relay.#handle(request, response, target).catch(() => response.destroy());
    });
    return relay;
  }

  /** The given fault for the next request of this verb, then none. */
  failOnce(verb: string, fault: Fault): void {
    this.fault = (each) => {
      if (each !== verb) return undefined;
      this.fault = () => undefined;
      return fault;
    };
  }

  verbs(): readonly string[] {
    return this.passed.map((each) => each.verb);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #note(url: string, text: string): string {
    const verb = /:(\w+)(?:\?|$)/.exec(url)?.[1] ?? url;
    this.passed.push({ verb, body: text === '' ? undefined : JSON.parse(text) });
    return verb;
  }

  async #handle(request: IncomingMessage, response: ServerResponse, target?: string): Promise<void> {
    const { method = 'POST', url = '/' } = request;
    const text = await readText(request);
    const fault = this.fault(this.#note(url, text));
    if (fault !== undefined && !isPassedOn(fault)) {
      answer(response, fault);
      return;
    }
    if (fault?.kind === 'slow') {
      await wait(fault.milliseconds, undefined, { signal: this.#stopping.signal, ref: false });
    }
    const answered = await passOn(`http://${target ?? ''}${url}`, method, text);
    const body = await answered.text();
    if (fault?.kind === 'cutAfter') response.destroy();
    else response.writeHead(answered.status, { 'content-type': 'application/json' }).end(body);
  }
}

type PassedOn = Extract<Fault, { kind: 'slow' | 'cutAfter' }>;

function isPassedOn(fault: Fault): fault is PassedOn {
  return fault.kind === 'slow' || fault.kind === 'cutAfter';
}

function passOn(url: string, method: string, body: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer owner' };
  return fetch(url, { method, headers, body });
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}

function answer(response: ServerResponse, fault: Exclude<Fault, PassedOn>): void {
  if (fault.kind === 'silence') return;
  if (fault.kind === 'status') {
    const error = { code: fault.status, message: fault.text ?? `status ${fault.status}` };
    const { retryAfterSeconds } = fault;
    response.writeHead(fault.status, {
      'content-type': 'application/json',
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    });
    response.end(JSON.stringify([{ error }]));
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  if (fault.kind === 'garbage' || fault.kind === 'body') {
    response.end(fault.kind === 'body' ? fault.text : '<html>');
    return;
  }
  response.write('[{"transaction":');
  response.destroy();
}
