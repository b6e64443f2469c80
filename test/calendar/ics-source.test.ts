import { createServer } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { IcsCalendar } from '../../functions/calendar/ics.ts';
import { LARGEST_FILE_BYTES, nameSource } from '../../functions/calendar/ics-source.ts';
import type { CalendarReading } from '../../functions/ports.ts';
import { inCalendar } from './ics-file.ts';
import { serve, type Answer } from './loopback.ts';

const ICS = inCalendar('BEGIN:VEVENT\nUID:1\nDTSTART:20260215T090000Z\nDURATION:PT1H\nEND:VEVENT');
const GOOD: Answer = { status: 200, body: ICS, headers: { 'content-type': 'text/calendar' } };

interface Scene {
  readonly waits: number[];
  readonly read: (url: string, signal?: AbortSignal) => Promise<CalendarReading>;
}

function createScene(requestTimeoutMs = 5000): Scene {
  const waits: number[] = [];
  const retry = {
    attempts: 4,
    waitBudgetMs: 10_000,
    firstWaitMs: 500,
    requestTimeoutMs,
    wait: (ms: number) => {
      waits.push(ms);
      return Promise.resolve();
    },
  };
  const window = { fromAt: Date.parse('2026-02-15T00:00Z'), toAt: Date.parse('2026-02-16T00:00Z') };
  return {
    waits,
    read: (url, signal = new AbortController().signal) =>
      new IcsCalendar({ url, retry }).read(window, signal),
  };
}

const MISTAKEN = {
  name: 'CalendarError',
  kind: 'misconfigured',
  status: undefined,
  remedy: expect.stringContaining('calendarUrl') as string,
};

/** Alerts of RFC 8446, 6; the last by RFC 6066, 3. */
const [HANDSHAKE_FAILURE, PROTOCOL_VERSION, INTERNAL_ERROR, UNRECOGNIZED_NAME] = [40, 70, 80, 112] as const;

function alert(description: number): Buffer {
  const FATAL = 2;
  return Buffer.from([0x15, 3, 1, 0, 2, FATAL, description]);
}

/** Version 3.2, 32 random bytes, no session, TLS_RSA_WITH_AES_128_CBC_SHA, no compression. */
const SERVER_HELLO_OF_TLS_1_1 = Buffer.concat([
  Buffer.from([0x16, 3, 2, 0, 42, 2, 0, 0, 38, 3, 2]),
  Buffer.alloc(32, 7),
  Buffer.from([0, 0, 0x2f, 0]),
]);

function plainText(text: string): Buffer {
  return Buffer.from(text);
}

interface Host extends AsyncDisposable {
  /** With the port. */
  readonly name: string;
  connections(): number;
}

/** Waits for the first bytes of each connection, answers these and hangs up. */
async function answerWith(answer: Buffer): Promise<Host> {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    name: `127.0.0.1:${String(port)}`,
    connections: () => connections,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) =>
        server.close(() => {
          resolve();
        }),
      ),
  };
}

describe('an address', () => {
  test('is read', async () => {
    await using server = await serve([GOOD]);
    const { events } = await createScene().read(`${server.root}private-secret/basic.ics`);
    expect(events).toHaveLength(1);
    expect(server.requests[0]?.headers.accept).toContain('text/calendar');
  });

  test('may carry user and password, which go into a header and nowhere else', async () => {
    await using other = await serve([GOOD]);
    const elsewhere = other.root.replace('127.0.0.1', 'localhost');
    await using server = await serve([{ status: 302, headers: { location: elsewhere } }]);
    const address = server.root.replace('//', '//me:p%40ss%w@');
    await createScene().read(address);
    expect(server.requests[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('me:p%40ss%w').toString('base64')}`,
    );
    expect(other.requests[0]?.headers.authorization).toBeUndefined();
  });

  test('with user and password is told without them', async () => {
    await using server = await serve([{ status: 401 }]);
    const error: unknown = await createScene()
      .read(server.root.replace('//', '//me:hunter2@'))
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: 'unauthenticated' });
    expect(inspect(error, { depth: 9 })).not.toContain('hunter2');
  });

  test('is followed where it leads', async () => {
    await using server = await serve([{ status: 302, headers: { location: '/elsewhere' } }, GOOD]);
    expect((await createScene().read(server.root)).events).toHaveLength(1);
    expect(server.requests.map(({ url }) => url.pathname)).toEqual(['/', '/elsewhere']);
  });

  test('may be compressed', async () => {
    await using server = await serve([
      { status: 200, body: gzipSync(ICS), headers: { 'content-encoding': 'gzip' } },
    ]);
    expect((await createScene().read(server.root)).events).toHaveLength(1);
  });

  test.each([
    ['401', { status: 401 }, 'unauthenticated'],
    ['403', { status: 403 }, 'forbidden'],
    ['404', { status: 404 }, 'notFound'],
    ['410', { status: 410 }, 'gone'],
    ['400', { status: 400 }, 'misconfigured'],
    ['204 without a file', { status: 204 }, 'misconfigured'],
  ])('that answers %s is not asked again', async (_, answer, kind) => {
    await using server = await serve([answer, GOOD]);
    await expect(createScene().read(server.root)).rejects.toMatchObject({
      name: 'CalendarError',
      kind,
      status: answer.status,
      remedy: expect.stringContaining('calendarUrl') as string,
    });
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ['500', [{ status: 500 }], [500]],
    ['503 twice', [{ status: 503 }, { status: 503 }], [500, 1000]],
    ['429 with seconds to wait', [{ status: 429, headers: { 'retry-after': '3' } }], [3000]],
    ['nothing and hangs up', ['hangUp' as const], [500]],
    ['half a body', ['cutOff' as const], [500]],
  ])('that answers %s is asked again', async (_, answers, waits) => {
    await using server = await serve([...answers, GOOD]);
    const scene = createScene();
    expect((await scene.read(server.root)).events).toHaveLength(1);
    expect(scene.waits).toEqual(waits);
  });

  test('that fails for good is unavailable', async () => {
    await using server = await serve([]);
    await expect(createScene().read(server.root)).rejects.toMatchObject({ kind: 'unavailable', status: 500 });
    expect(server.requests).toHaveLength(4);
  });

  test('that keeps silent is given up', async () => {
    await using server = await serve(['silence', 'silence', 'silence', 'silence']);
    await expect(createScene(50).read(server.root)).rejects.toMatchObject({ kind: 'timeout' });
  });

  test('that nobody listens on is unavailable, and asked again', async () => {
    const { root, [Symbol.asyncDispose]: stop } = await serve([]);
    await stop();
    const scene = createScene();
    await expect(scene.read(root)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(scene.waits).toHaveLength(3);
  });

  test.each([
    ['leads in a circle', { location: '/' }],
    ['leads to another scheme', { location: 'ftp://127.0.0.1/basic.ics' }],
    ['leads to a port that fetch blocks', { location: 'http://127.0.0.1:25/basic.ics' }],
    ['leads to no address', { location: 'http://[' }],
  ])('that %s is the wrong one, and asked once', async (_, headers) => {
    const circle = Array.from({ length: 100 }, () => ({ status: 302, headers }));
    await using server = await serve(circle);
    const scene = createScene();
    await expect(scene.read(server.root)).rejects.toMatchObject(MISTAKEN);
    expect(scene.waits).toEqual([]);
  });

  test('on a port that fetch blocks is the wrong one', async () => {
    const scene = createScene();
    await expect(scene.read('http://127.0.0.1:25/basic.ics')).rejects.toMatchObject({
      ...MISTAKEN,
      message: expect.stringContaining('(bad port)') as string,
    });
    expect(scene.waits).toEqual([]);
  });

  test.each([
    ['speaks no TLS', plainText('HTTP/1.1 400 Bad Request\r\n\r\n'), 'ERR_SSL_WRONG_VERSION_NUMBER'],
    ['refuses every TLS of ours', alert(PROTOCOL_VERSION), 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'],
    ['answers in TLS 1.1', SERVER_HELLO_OF_TLS_1_1, 'ERR_SSL_UNSUPPORTED_PROTOCOL'],
  ])('whose host %s is the wrong one, and asked once', async (_, answer, code) => {
    await using host = await answerWith(answer);
    const scene = createScene();
    await expect(scene.read(`https://${host.name}/`)).rejects.toMatchObject({
      ...MISTAKEN,
      message: expect.stringContaining(`(${code})`) as string,
    });
    expect(scene.waits).toEqual([]);
    expect(host.connections()).toBe(1);
  });

  test.each([
    ['breaks off the TLS handshake', 'https', Buffer.alloc(0)],
    ['has a fault of its own in it', 'https', alert(INTERNAL_ERROR)],
    ['has no certificate at the moment', 'https', alert(HANDSHAKE_FAILURE)],
    ['does not know its own name at the moment', 'https', alert(UNRECOGNIZED_NAME)],
    ['answers what is no HTTP', 'http', plainText('busy\r\n')],
  ])('whose host %s is unavailable, and asked again', async (_, scheme, answer) => {
    await using host = await answerWith(answer);
    const scene = createScene();
    await expect(scene.read(`${scheme}://${host.name}/`)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(scene.waits).toEqual([500, 1000, 2000]);
    expect(host.connections()).toBe(4);
  });

  test('is left when the pass is told to stop', async () => {
    await using server = await serve(['silence']);
    const stopping = new AbortController();
    const reading = createScene().read(server.root, stopping.signal);
    stopping.abort();
    await expect(reading).rejects.toMatchObject({ kind: 'aborted' });
  });

  test('that never stops sending is cut at the bound', async () => {
    const server = createServer((_, response) => {
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      const more = (): void => {
        response.write(chunk, () => {
          more();
        });
      };
      response.on('error', () => undefined);
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      await expect(createScene().read(`http://127.0.0.1:${String(port)}/`)).rejects.toMatchObject({
        kind: 'malformed',
        message: expect.stringContaining('larger than 32 MB') as string,
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test('with a sign-in page behind 200 is unreadable', async () => {
    await using server = await serve([
      { status: 200, body: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } },
    ]);
    await expect(createScene().read(server.root)).rejects.toMatchObject({ kind: 'malformed' });
  });
});

describe('a file', () => {
  async function withFile(content: string | Uint8Array, use: (file: string) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(path.join(tmpdir(), 'ics-'));
    try {
      const file = path.join(folder, 'a calendar.ics');
      await writeFile(file, content);
      await use(file);
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  test('is read by its path and by its address', async () => {
    await withFile(ICS, async (file) => {
      expect((await createScene().read(file)).events).toHaveLength(1);
      expect((await createScene().read(pathToFileURL(file).href)).events).toHaveLength(1);
    });
  });

  test('that is too large is not read', async () => {
    await withFile(Buffer.alloc(LARGEST_FILE_BYTES + 1), async (file) => {
      await expect(createScene().read(file)).rejects.toMatchObject({ kind: 'malformed' });
    });
  });

  test.each([
    [
      'that is not there',
      { file: '/nowhere/calendar.ics', kind: 'notFound', words: 'there is no such file' },
    ],
    ['that is a folder', { file: tmpdir(), kind: 'misconfigured', words: 'it is a folder' }],
    [
      'of another machine',
      { file: 'file://elsewhere/calendar.ics', kind: 'misconfigured', words: 'the file cannot be read' },
    ],
  ])('%s', async (_, { file, kind, words }) => {
    await expect(createScene().read(file)).rejects.toMatchObject({
      kind,
      message: expect.stringContaining(words) as string,
      remedy: expect.stringContaining('calendarUrl') as string,
    });
  });
});

describe('the name of a source', () => {
  const secret = 'https://calendar.google.com/calendar/ical/abc/private-0123456789/basic.ics';

  test('keeps what is secret out', () => {
    expect(nameSource(secret)).toMatch(/^calendar\.google\.com\/… \([\da-f]{8}\)$/u);
  });

  test('tells two calendars of one host apart', () => {
    expect(nameSource(secret)).not.toBe(nameSource(secret.replace('abc', 'abd')));
  });

  test('is the same for webcal and https', () => {
    expect(nameSource(secret.replace('https', 'webcal'))).toBe(nameSource(secret));
  });

  test('of a file is its path', () => {
    expect(nameSource('/srv/calendar.ics')).toBe('/srv/calendar.ics');
  });
});
