/**
 * The floor: what the requests of a pass cost when nothing is done with them but reading each body and JSON.parse. A
 * program of its own, on Node's own client, one request after the other over one connection. Run by floor.ts.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import type { ClientHttp2Session } from 'node:http2';
import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

export interface FloorTask {
  readonly server: string;
  readonly caFile: string;
  readonly token: string;
  readonly protocol: 'h2' | 'http/1.1';
  readonly gzip: boolean;
  /** A connection of its own for each request, as clients do that were not told otherwise. HTTP/1.1 only. */
  readonly freshConnections?: boolean;
  /** Lists to read, each page by page. */
  readonly lists: readonly string[];
}

interface ListBody {
  readonly metadata?: { readonly continue?: string };
  readonly items: readonly unknown[];
}

/** The body as it came, and whether it is compressed. */
interface Received {
  readonly bytes: Buffer;
  readonly isCompressed: boolean;
}

const decompress = promisify(gunzip);

class Http1Client {
  readonly #agent: Agent;
  readonly #options: { readonly ca: Buffer; readonly headers: Readonly<Record<string, string>> };
  readonly #server: string;

  constructor({ server, caFile, freshConnections }: FloorTask, headers: Readonly<Record<string, string>>) {
    this.#server = server;
    this.#agent = new Agent({ keepAlive: freshConnections !== true, maxSockets: 1, maxCachedSessions: 0 });
    this.#options = { ca: readFileSync(caFile), headers };
  }

  async get(path: string): Promise<Received> {
    const sent = request(`${this.#server}${path}`, { ...this.#options, agent: this.#agent });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const bytes = await collect(response);
    return { bytes, isCompressed: response.headers['content-encoding'] === 'gzip' };
  }

  close(): void {
    this.#agent.destroy();
  }
}

class Http2Client {
  readonly #session: ClientHttp2Session;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ server, caFile }: FloorTask, headers: Readonly<Record<string, string>>) {
    const settings = { initialWindowSize: WINDOW_BYTES, enablePush: false };
    this.#session = connect(server, { ca: readFileSync(caFile), settings });
    this.#session.once('connect', () => {
      this.#session.setLocalWindowSize(WINDOW_BYTES);
    });
    this.#headers = headers;
  }

  async get(path: string): Promise<Received> {
    const stream = this.#session.request({ ':path': path, ...this.#headers });
    stream.end();
    const [headers] = (await once(stream, 'response')) as [Readonly<Record<string, string>>];
    const bytes = await collect(stream);
    return { bytes, isCompressed: headers['content-encoding'] === 'gzip' };
  }

  close(): void {
    this.#session.close();
  }
}

/** Big enough never to be waited for. */
const WINDOW_BYTES = 16_777_216;

async function collect(body: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function main(task: FloorTask): Promise<void> {
  const headers = {
    authorization: `Bearer ${task.token}`,
    accept: 'application/json',
    'accept-encoding': task.gzip ? 'gzip' : 'identity',
  };
  const client = task.protocol === 'h2' ? new Http2Client(task, headers) : new Http1Client(task, headers);
  let objects = 0;
  for (const list of task.lists) {
    let token: string | undefined = '';
    while (token !== undefined) {
      const path: string = token === '' ? list : `${list}&continue=${encodeURIComponent(token)}`;
      const { bytes, isCompressed } = await client.get(path);
      const plain = isCompressed ? await decompress(bytes) : bytes;
      const body = JSON.parse(plain.toString('utf8')) as ListBody;
      objects += body.items.length;
      const next: string | undefined = body.metadata?.continue;
      token = next === '' ? undefined : next;
    }
  }
  client.close();
  process.stdout.write(String(objects));
}

await main(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as FloorTask);
