/** Starts the program and looks at the instant at which its first request arrives. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { cpuSecondsOf } from './cpu-time.ts';
import type { PassFiles } from './program.ts';

export interface FirstRequest {
  readonly path: string;
  /** From spawning to the request's arrival. */
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
}

/** Takes requests and answers none: what comes after the first is another scenario's. */
export class FirstRequestServer {
  readonly #server: Server;
  #onRequest: (path: string) => void = () => undefined;

  private constructor(create: (listener: (request: IncomingMessage) => void) => Server) {
    this.#server = create(({ url = '' }) => {
      this.#onRequest(url);
    });
  }

  static async start(scheme: 'http' | 'https'): Promise<FirstRequestServer> {
    const certificates = join(import.meta.dirname, '..', '..', 'test', 'certs');
    const read = (name: string) => readFileSync(join(certificates, name));
    const server = new FirstRequestServer((listener) =>
      scheme === 'http'
        ? createHttpServer(listener)
        : createHttpsServer({ key: read('server.key'), cert: read('server.pem') }, listener),
    );
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** @param nodeOptions of Node, before the program. @throws when the program ends without a request. */
  async of(
    program: { readonly path: string; readonly files: PassFiles },
    nodeOptions: readonly string[] = [],
  ): Promise<FirstRequest> {
    const requested = new Promise<string>((resolve) => {
      this.#onRequest = resolve;
    });
    const started = performance.now();
    const child = spawn(process.execPath, [...nodeOptions, program.path, ...program.files.args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', ...program.files.env },
    });
    const ended = once(child, 'exit');
    const path = await Promise.race([requested, ended.then(() => undefined)]);
    const wallSeconds = (performance.now() - started) / 1000;
    const cpuSeconds = cpuSecondsOf(child.pid ?? 0);
    child.kill('SIGKILL');
    await ended;
    if (path === undefined) throw new Error('the program ended without a request');
    return { path, wallSeconds, cpuSeconds };
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }
}
