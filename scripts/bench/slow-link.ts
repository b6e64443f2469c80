/** A connection of so many megabits a second: a relay on loopback that lets bytes to the client pass at that rate. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export class SlowLink {
  readonly #server: Server;
  readonly url: string;

  private constructor(server: Server) {
    this.#server = server;
    const address = server.address();
    this.url = `https://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }

  static async start(targetPort: number, megabitsPerSecond: number): Promise<SlowLink> {
    const bytesPerMilli = (megabitsPerSecond * 1e6) / 8 / 1000;
    const server = createServer((client) => {
      const target = connect(targetPort, '127.0.0.1');
      client.pipe(target);
      // Whoever goes first takes the other along.
      client.on('error', () => target.destroy()).on('close', () => target.destroy());
      target.on('error', () => client.destroy());
      relaySlowly(target, client, bytesPerMilli).catch(() => client.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SlowLink(server);
  }

  stop(): void {
    this.#server.close();
  }
}

const LATEST_MILLIS = 50;

async function relaySlowly(from: Socket, to: Socket, bytesPerMilli: number): Promise<void> {
  let freeAt = performance.now();
  for await (const chunk of from) {
    const bytes = chunk as Buffer;
    // A timer that was late is made up for, an idle time is not.
    freeAt = Math.max(freeAt, performance.now() - LATEST_MILLIS) + bytes.length / bytesPerMilli;
    const aheadMillis = freeAt - performance.now();
    if (aheadMillis > 1) await sleep(aheadMillis);
    if (!to.write(bytes)) await once(to, 'drain');
  }
  to.end();
}
