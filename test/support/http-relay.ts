/** A server on loopback that passes requests on, writes down what passed, and can answer or cut in their place. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';

export interface Passed {
  /** The part of the path after the last colon, such as `commit`. */
  readonly verb: string;
  readonly body: unknown;
}

/** What to do instead of passing a request on; `cutAfter` passes it on and loses the answer. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly text?: string }
  | { readonly kind: 'cut' | 'cutAfter' | 'silence' | 'garbage' };

export class HttpRelay {
  readonly passed: Passed[] = [];
  readonly host: string;
  /** Asked for every request. */
  fault: (verb: string) => Fault | undefined = () => undefined;
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
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(request: IncomingMessage, response: ServerResponse, target?: string): Promise<void> {
    const url = request.url ?? '/';
    const verb = /:(\w+)(?:\?|$)/.exec(url)?.[1] ?? url;
    const text = await readText(request);
    this.passed.push({ verb, body: text === '' ? undefined : JSON.parse(text) });
    const fault = this.fault(verb);
    if (fault !== undefined && fault.kind !== 'cutAfter') {
      answer(response, fault);
      return;
    }
    const answered = await fetch(`http://${target ?? ''}${url}`, {
      method: request.method ?? 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer owner' },
      body: text,
    });
    const body = await answered.text();
    if (fault !== undefined) response.destroy();
    else response.writeHead(answered.status, { 'content-type': 'application/json' }).end(body);
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}

function answer(response: ServerResponse, fault: Fault): void {
  if (fault.kind === 'silence') return;
  if (fault.kind === 'status') {
    const error = { code: fault.status, message: fault.text ?? `status ${fault.status}` };
    response.writeHead(fault.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify([{ error }]));
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  if (fault.kind === 'garbage') {
    response.end('<html>');
    return;
  }
  response.write('[{"transaction":');
  response.destroy();
}
