/** An HTTPS server on loopback that answers by script: what real API servers do, and what they do at their worst. */
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Endpoint } from '../../functions/cluster/endpoint.ts';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export type Reply =
  | {
      readonly kind: 'json';
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Record<string, string>;
    }
  | {
      readonly kind: 'text';
      readonly status: number;
      readonly body: string;
      readonly headers?: Record<string, string>;
    }
  | { readonly kind: 'bytes'; readonly body: Buffer; readonly headers: Record<string, string> }
  /** Half of the body, then the connection is gone. */
  | { readonly kind: 'cut'; readonly body: string }
  /** The request is taken in and nothing comes back. */
  | { readonly kind: 'silence' }
  /** One byte now and then, for ever. */
  | { readonly kind: 'drip'; readonly everyMillis: number };

export type Script = (request: ReceivedRequest, index: number) => Reply | Promise<Reply>;

export interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
  readonly endpoint: Endpoint;
  /** Its own certificate and key, PEM. */
  readonly identity: { readonly cert: string; readonly key: string };
  readonly requests: readonly ReceivedRequest[];
  /** TLS connections taken in so far. */
  connections(): number;
}

const certs = new URL('../certs/', import.meta.url);
export const TEST_CA = readFileSync(new URL('ca.pem', certs), 'utf8');
const identity = {
  cert: readFileSync(new URL('server.pem', certs), 'utf8'),
  key: readFileSync(new URL('server.key', certs), 'utf8'),
};

type AnyRequest = IncomingMessage | Http2ServerRequest;
type AnyResponse = ServerResponse | Http2ServerResponse;

export const PROTOCOLS = ['http/1.1', 'h2'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export async function startLoopbackServer(
  script: Script,
  protocol: Protocol = 'h2',
  options: { readonly onClientCertificate?: (subject: string) => void } = {},
): Promise<LoopbackServer> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  let connections = 0;

  function serve(request: AnyRequest, response: AnyResponse): void {
    response.on('error', () => undefined);
    request.on('error', () => undefined);
    void receive(request).then(async (received) => {
      requests.push(received);
      send(await script(received, requests.length - 1), response, timers);
    });
  }

  // Asked for and not checked: what a test wants to know is whether one was shown.
  const asking = { requestCert: options.onClientCertificate !== undefined, rejectUnauthorized: false };
  const server =
    protocol === 'h2'
      ? createSecureServer({ ...identity, ...asking, allowHTTP1: true }, serve)
      : createServer({ ...identity, ...asking }, serve);
  server.on('secureConnection', (socket: TLSSocket) => {
    connections += 1;
    options.onClientCertificate?.(String(socket.getPeerCertificate().subject.CN));
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.on('sessionError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    endpoint: endpointAt(port),
    identity,
    requests,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      timers.forEach(clearInterval);
      sockets.forEach((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function endpointAt(port: number): Endpoint {
  return {
    server: `https://127.0.0.1:${String(port)}`,
    ca: TEST_CA,
    clientCertificate: undefined,
    serverName: undefined,
    proxyUrl: undefined,
    headers: { Authorization: 'Bearer test-token' },
    advice: { credentials: 'log in again', reach: 'check the network' },
  };
}

async function receive(request: AnyRequest): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
  }
  const url = new URL(request.url ?? '', 'https://any.invalid');
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: request.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function send(reply: Reply, response: AnyResponse, timers: Set<NodeJS.Timeout>): void {
  // The two response types have the same methods, with signatures that TypeScript cannot unite.
  const out = response as ServerResponse;
  switch (reply.kind) {
    case 'json':
      out.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      out.end(JSON.stringify(reply.body));
      return;
    case 'text':
      out.writeHead(reply.status, { 'content-type': 'text/html', ...reply.headers });
      out.end(reply.body);
      return;
    case 'bytes':
      out.writeHead(200, reply.headers);
      out.end(reply.body);
      return;
    case 'cut':
      out.writeHead(200, { 'content-type': 'application/json' });
      out.write(reply.body.slice(0, reply.body.length / 2), () => {
        cut(response);
      });
      return;
    case 'silence':
      return;
    case 'drip': {
      out.writeHead(200, { 'content-type': 'application/json' });
      out.write(' ');
      timers.add(setInterval(() => out.write(' '), reply.everyMillis));
      return;
    }
  }
}

function cut(response: AnyResponse): void {
  if ('stream' in response) {
    response.stream.session?.destroy();
  } else {
    response.socket?.destroy();
  }
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return { kind: 'json', status, body, headers };
}

/** What an API server says when it does not do as asked. */
export function refusal(status: number, message: string, headers: Record<string, string> = {}): Reply {
  return json(
    { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code: status },
    status,
    headers,
  );
}

export function list(kind: string, items: readonly unknown[], continueToken = ''): Reply {
  return json({ kind, apiVersion: 'v1', metadata: { resourceVersion: '7', continue: continueToken }, items });
}
