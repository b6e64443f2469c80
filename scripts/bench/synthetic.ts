/** Starts the synthetic API server and speaks to it. */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterStats, Command, Reply, SyntheticSpec, Trouble } from './synthetic-protocol.ts';

const CERTIFICATES = join(import.meta.dirname, '..', '..', 'test', 'certs');
export const CA_FILE = join(CERTIFICATES, 'ca.pem');

export type SyntheticOptions = Omit<SyntheticSpec, 'certificate' | 'clusters' | 'gzip' | 'protocols'> &
  Partial<Pick<SyntheticSpec, 'clusters' | 'gzip' | 'protocols'>>;

export class SyntheticApi {
  readonly #process: ChildProcess;
  /** One for each cluster. */
  readonly ports: readonly number[];

  private constructor(process: ChildProcess, ports: readonly number[]) {
    this.#process = process;
    this.ports = ports;
  }

  static async start(options: SyntheticOptions): Promise<SyntheticApi> {
    const spec: SyntheticSpec = {
      clusters: 1,
      gzip: true,
      protocols: ['h2', 'http/1.1'],
      ...options,
      certificate: {
        key: readFileSync(join(CERTIFICATES, 'server.key'), 'utf8'),
        cert: readFileSync(join(CERTIFICATES, 'server.pem'), 'utf8'),
      },
    };
    const child = fork(join(import.meta.dirname, 'synthetic-api.ts'), { stdio: 'inherit' });
    child.send(spec);
    const listening = await replyOf(child, 'listening');
    return new SyntheticApi(child, listening.ports);
  }

  urls(): readonly string[] {
    return this.ports.map((port) => `https://127.0.0.1:${port}`);
  }

  async stats(): Promise<readonly ClusterStats[]> {
    this.#send({ kind: 'stats' });
    return (await replyOf(this.#process, 'stats')).clusters;
  }

  /** Forgets what was counted so far. */
  async reset(): Promise<void> {
    this.#send({ kind: 'reset' });
    await replyOf(this.#process, 'done');
  }

  async trouble(cluster: number, trouble: Trouble | undefined): Promise<void> {
    this.#send({ kind: 'trouble', cluster, trouble });
    await replyOf(this.#process, 'done');
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }

  #send(command: Command): void {
    this.#process.send(command);
  }
}

/** The next message, which is of this kind unless the process has ended. */
async function replyOf<Kind extends Reply['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<Reply, { readonly kind: Kind }>> {
  const answered = new AbortController();
  const ended = once(child, 'exit', { signal: answered.signal }).then(() => undefined);
  // Fails only because the answer came first.
  ended.catch(() => undefined);
  const received = await Promise.race([once(child, 'message'), ended]);
  answered.abort();
  const [message] = (received ?? []) as readonly (Reply | undefined)[];
  if (message?.kind !== kind) throw new Error(`the synthetic API server was to say ${kind}, and did not`);
  return message as Extract<Reply, { readonly kind: Kind }>;
}
