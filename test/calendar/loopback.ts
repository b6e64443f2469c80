/** A server on loopback that answers as it is told, one answer after the other, and remembers what was asked. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer =
  | {
      readonly status: number;
      readonly body?: string | Uint8Array;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Accepts and never answers. */
  | 'silence'
  /** Closes the connection before a word. */
  | 'hangUp'
  /** Begins a body that was announced longer, then closes the connection. */
  | 'cutOff';

export interface Loopback extends AsyncDisposable {
  readonly root: string;
  readonly requests: { readonly url: URL; readonly headers: IncomingHttpHeaders }[];
}

/** After the last answer comes 500, so that a request too many does not go unseen. */
export async function serve(answers: readonly Answer[]): Promise<Loopback> {
  const requests: Loopback['requests'] = [];
  const server = createServer((request, response) => {
    const answer = answers[requests.length] ?? { status: 500, body: 'no answer left' };
    requests.push({ url: new URL(request.url ?? '/', 'http://loopback'), headers: request.headers });
    give(answer, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    root: `http://127.0.0.1:${String(port)}/`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function give(answer: Answer, response: ServerResponse): void {
  if (answer === 'silence') {
    return;
  }
  if (answer === 'hangUp') {
    response.destroy();
    return;
  }
  if (answer === 'cutOff') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"kind": "calendar#events", "items": [', () => response.destroy());
    return;
  }
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
}
