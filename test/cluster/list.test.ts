import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { listInto } from '../../functions/cluster/list.ts';
import type { Reducer } from '../../functions/cluster/list.ts';
import { PODS } from '../../functions/cluster/request.ts';
import { DEFAULT_RETRY } from '../../functions/cluster/retry.ts';
import type { RetryPolicy } from '../../functions/cluster/retry.ts';
import { Transport } from '../../functions/cluster/transport.ts';
import type { TimeLimits } from '../../functions/cluster/transport.ts';
import type { ClusterError, FailureKind } from '../../functions/errors.ts';
import { json, list, PROTOCOLS, refusal, startLoopbackServer } from './loopback-server.ts';
import type { Protocol, ReceivedRequest, Reply, Script } from './loopback-server.ts';

interface Names extends Reducer {
  readonly names: string[];
}

function collectNames(): Names {
  const names: string[] = [];
  return {
    names,
    add(item) {
      names.push((item as { metadata: { name: string } }).metadata.name);
    },
  };
}

interface Outcome {
  readonly names: readonly string[] | undefined;
  readonly failure: { readonly kind: FailureKind; readonly status: number | undefined } | undefined;
  readonly requests: readonly string[];
  readonly waits: readonly number[];
  readonly connections: number;
  readonly message: string;
}

interface Setting {
  readonly protocol?: Protocol;
  readonly limits?: TimeLimits;
  readonly attempts?: number;
  readonly signal?: AbortSignal;
  readonly goesOn?: (reducer: Names) => Promise<boolean>;
}

/** Lists pods from a server that answers by script; waits are noted, not waited. */
async function listFrom(script: Script, setting: Setting = {}): Promise<Outcome> {
  await using server = await startLoopbackServer(script, setting.protocol);
  const waits: number[] = [];
  const retry: RetryPolicy = {
    ...DEFAULT_RETRY,
    attempts: setting.attempts ?? DEFAULT_RETRY.attempts,
    random: () => 1,
    now: () => waits.reduce((sum, millis) => sum + millis, 0),
    wait: (millis) => {
      waits.push(millis);
      return Promise.resolve(true);
    },
  };
  const transport = new Transport({
    label: 'here',
    endpoint: server.endpoint,
    limits: setting.limits,
    retry,
  });
  const signal = setting.signal ?? new AbortController().signal;
  const { goesOn } = setting;
  const settled = await listInto({ transport, resource: PODS, signal, goesOn, start: collectNames }).then(
    (listing) => ({ names: listing.reducer.names, failure: undefined, message: '' }),
    (error: unknown) => ({ names: undefined, ...asFailure(error as ClusterError) }),
  );
  await transport.close();
  const requests = server.requests.map((request) => request.query['continue'] ?? 'first');
  return { ...settled, requests, waits, connections: server.connections() };
}

function asFailure({ kind, status, message }: ClusterError): Pick<Outcome, 'failure' | 'message'> {
  return { failure: { kind, status }, message };
}

function pods(from: number, to: number): readonly object[] {
  return Array.from({ length: to - from }, (_, at) => ({ metadata: { name: `pod-${String(from + at)}` } }));
}

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `pod-${String(at)}`);
}

/** 1253 pods in pages of as many as are asked for. */
function servePages(request: ReceivedRequest, total = 1253): Reply {
  const from = Number(request.query['continue'] ?? 0);
  const to = Math.min(total, from + Number(request.query['limit']));
  return list('PodList', pods(from, to), to < total ? String(to) : '');
}

/** Answers the n-th request so and the others like a healthy server. */
function onRequest(replies: Readonly<Record<number, Reply>>): Script {
  return (request, index) => replies[index] ?? servePages(request);
}

describe.each(PROTOCOLS)('listing over %s', (protocol) => {
  test('reads every page, each object once, over one TLS connection', async () => {
    const outcome = await listFrom((request) => servePages(request), { protocol });
    expect(outcome).toEqual({
      names: names(1253),
      failure: undefined,
      requests: ['first', '500', '1000'],
      waits: [],
      connections: 1,
      message: '',
    });
  });

  test('starts over when the list expired under its pages, and counts nothing twice', async () => {
    const outcome = await listFrom(onRequest({ 1: refusal(410, 'expired') }), { protocol });
    expect(outcome.names).toEqual(names(1253));
    expect(outcome.requests).toEqual(['first', '500', 'first', '500', '1000']);
  });

  test('gives up when the list expired under its pages twice', async () => {
    const expired = refusal(410, 'The provided continue parameter is too old');
    const outcome = await listFrom(onRequest({ 1: expired, 3: expired }), { protocol });
    expect(outcome.failure).toEqual({ kind: 'gone', status: 410 });
    expect(outcome.names).toBeUndefined();
  });

  const half = JSON.stringify({ kind: 'PodList', metadata: { continue: '500' }, items: pods(0, 500) });
  test('asks again for a first page that broke off, and counts what had come of it once', async () => {
    const outcome = await listFrom(onRequest({ 0: { kind: 'cut', body: half } }), { protocol });
    expect(outcome.names).toEqual(names(1253));
    expect(outcome.waits).toEqual([250]);
  });

  test('asks again for a later page that broke off, and counts what had come of it once', async () => {
    const later = JSON.stringify({ kind: 'PodList', metadata: { continue: '1000' }, items: pods(500, 1000) });
    const outcome = await listFrom(onRequest({ 1: { kind: 'cut', body: later } }), { protocol });
    expect(outcome.names).toEqual(names(1253));
    expect(outcome.requests.filter((token) => token === 'first')).toEqual(['first']);
  });

  test('does not go on where the broken first page would have led when the second answer leads elsewhere', async () => {
    const elsewhere = list('PodList', pods(0, 400), '400');
    const firstReplies = [{ kind: 'cut', body: half } as const, elsewhere];
    const outcome = await listFrom(
      (request) => (request.query['continue'] === undefined && firstReplies.shift()) || servePages(request),
      { protocol },
    );
    expect(outcome.names).toEqual(names(1253));
  });

  test.each<[string, Reply]>([
    ['refused for the moment', refusal(503, 'etcd is not ready')],
    ['an error of the server', refusal(500, 'internal')],
    ['throttled', refusal(429, 'too many requests')],
  ])('is patient with a server that is %s, for a while', async (_, reply) => {
    const outcome = await listFrom(onRequest({ 0: reply, 1: reply, 2: reply, 3: reply }), { protocol });
    expect(outcome.names).toEqual(names(1253));
    expect(outcome.waits).toEqual([250, 500, 1000, 2000]);
  });

  const patient: TimeLimits = { connect: 20_000, headers: 20_000, silence: 20_000, whole: 20_000 };
  test.each<[string, Reply, Partial<TimeLimits>]>([
    ['accepts and never answers', { kind: 'silence' }, { headers: 150 }],
    ['begins and falls silent', { kind: 'drip', everyMillis: 60_000 }, { silence: 150 }],
    ['drips past its time', { kind: 'drip', everyMillis: 20 }, { whole: 400 }],
  ])('ends by its own time limit when a server %s, and asks once only', async (_, reply, limit) => {
    const startedAt = performance.now();
    const outcome = await listFrom(() => reply, { protocol, limits: { ...patient, ...limit } });
    expect(outcome.failure).toEqual({ kind: 'timeout', status: undefined });
    expect(outcome.requests).toEqual(['first']);
    expect(outcome.message).toMatch(/^list pods of here: no answer in time from https:\/\/127\.0\.0\.1:\d+$/);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test('ends when the pass is told to stop', async () => {
    const stopping = new AbortController();
    const outcome = await listFrom(
      () => {
        stopping.abort();
        return { kind: 'silence' };
      },
      { protocol, signal: stopping.signal },
    );
    expect(outcome.failure).toEqual({ kind: 'aborted', status: undefined });
  });
});

describe('what a server says stays said', () => {
  test.each<[number, FailureKind]>([
    [400, 'invalid'],
    [401, 'unauthenticated'],
    [403, 'forbidden'],
    [404, 'notFound'],
    [409, 'conflict'],
    [422, 'invalid'],
  ])('%i is not asked again', async (status, kind) => {
    const outcome = await listFrom(() => refusal(status, 'as the server puts it'));
    expect(outcome).toMatchObject({ failure: { kind, status }, requests: ['first'], waits: [] });
    expect(outcome.message).toBe(`list pods of here: ${String(status)} as the server puts it`);
  });

  test.each<[number, FailureKind]>([
    [429, 'throttled'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ])('%i for good fails after five requests', async (status, kind) => {
    const outcome = await listFrom(() => refusal(status, 'no'));
    expect(outcome).toMatchObject({ failure: { kind, status }, waits: [250, 500, 1000, 2000] });
    expect(outcome.requests).toHaveLength(5);
  });

  test('what is behind a redirect is not looked at', async () => {
    const outcome = await listFrom(() => ({
      kind: 'text',
      status: 302,
      body: '',
      headers: { location: 'https://login.example' },
    }));
    expect(outcome.failure).toEqual({ kind: 'malformed', status: 302 });
  });

  test('waits as long as Retry-After says, when that is longer than its own wait', async () => {
    const outcome = await listFrom(onRequest({ 0: refusal(429, 'slow down', { 'retry-after': '7' }) }));
    expect(outcome).toMatchObject({ names: names(1253), waits: [7000] });
  });

  test('does not wait for a Retry-After beyond what a pass has', async () => {
    const outcome = await listFrom(() => refusal(429, 'slow down', { 'retry-after': '3600' }));
    expect(outcome).toMatchObject({
      failure: { kind: 'throttled', status: 429 },
      requests: ['first'],
      waits: [],
    });
  });
});

describe('a list is whole or it is an error', () => {
  const page = JSON.stringify({ kind: 'PodList', metadata: {}, items: pods(0, 3) });
  const asText = (body: string): Reply => ({ kind: 'text', status: 200, body });
  test.each<[string, Reply]>([
    ['is no JSON', asText('<html>please log in</html>')],
    ['is truncated, with a length that fits', asText(page.slice(0, -20))],
    ['has no items', json({ kind: 'PodList', metadata: {} })],
    ['has null for items', json({ kind: 'PodList', metadata: {}, items: null })],
    ['is no list', json({ kind: 'Pod', metadata: {}, items: [] })],
    ['goes on under a token that is none', json({ kind: 'PodList', metadata: { continue: 500 }, items: [] })],
    ['is empty', asText('')],
    [
      'is compressed and cut short',
      { kind: 'bytes', body: gzipSync(page).subarray(0, 40), headers: { 'content-encoding': 'gzip' } },
    ],
    [
      'is said to be compressed and is not',
      { kind: 'bytes', body: Buffer.from(page), headers: { 'content-encoding': 'gzip' } },
    ],
  ])('an answer that %s', async (_, reply) => {
    const outcome = await listFrom(() => reply);
    expect(outcome).toMatchObject({
      names: undefined,
      failure: { kind: 'malformed' },
      requests: ['first'],
      waits: [],
    });
  });

  test('a page that leads to itself', async () => {
    const outcome = await listFrom(() => list('PodList', pods(0, 2), 'again'));
    expect(outcome).toMatchObject({ names: undefined, failure: { kind: 'malformed', status: undefined } });
    expect(outcome.requests.length).toBeLessThanOrEqual(3);
  });

  test('an empty page is not the end of a list', async () => {
    const outcome = await listFrom(
      onRequest({ 0: list('PodList', [], 'next'), 1: list('PodList', pods(0, 3)) }),
    );
    expect(outcome).toMatchObject({ names: names(3), requests: ['first', 'next'] });
  });

  test('an empty list is one', async () => {
    const outcome = await listFrom(() => list('PodList', []));
    expect(outcome).toMatchObject({ names: [], failure: undefined, requests: ['first'] });
  });

  test('a compressed answer is read like any other', async () => {
    const outcome = await listFrom(() => ({
      kind: 'bytes',
      body: gzipSync(page),
      headers: { 'content-encoding': 'gzip' },
    }));
    expect(outcome.names).toEqual(names(3));
  });
});

/** There one answer comes after the other, so one that nobody reads holds up whatever is asked for after it. */
describe('a page that broke off while the one after it was on its way, over http/1.1', () => {
  const protocol = 'http/1.1';
  /** More than what is held of an answer that nobody reads yet. */
  const bulky = (from: number, to: number): readonly object[] =>
    pods(from, to).map((pod) => ({ ...pod, spec: { text: 'x'.repeat(1000) } }));
  const limits: TimeLimits = { connect: 8_000, headers: 8_000, silence: 8_000, whole: 8_000 };
  const bulkyPages = ({ query }: ReceivedRequest): Reply => {
    const from = Number(query['continue'] ?? 0);
    return list('PodList', bulky(from, from + 500), from < 1000 ? String(from + 500) : '');
  };
  const cutAt = (from: number): Reply => ({
    kind: 'cut',
    body: JSON.stringify({
      kind: 'PodList',
      metadata: { continue: String(from + 500) },
      items: bulky(from, from + 500),
    }),
  });

  test.each([0, 500])('is read again, whatever waits behind it (from %i on)', async (from) => {
    const cuts = [cutAt(from)];
    const outcome = await listFrom(
      (request) => (Number(request.query['continue'] ?? 0) === from && cuts.shift()) || bulkyPages(request),
      { protocol, limits },
    );
    expect(outcome).toMatchObject({ names: names(1500), failure: undefined });
  });

  test('is all that counts where it leads elsewhere, though the page first asked for came whole', async () => {
    const compressed = (from: string): Reply => ({
      kind: 'bytes',
      body: gzipSync(JSON.stringify({ kind: 'PodList', metadata: {}, items: pods(Number(from), 900) })),
      headers: { 'content-encoding': 'gzip' },
    });
    const pages = {
      first: [cutAt(0), list('PodList', bulky(0, 480), '480')],
      '500': [compressed('500')],
      '480': [compressed('480')],
    };
    const outcome = await listFrom(
      ({ query }) =>
        pages[(query['continue'] ?? 'first') as keyof typeof pages].shift() ??
        refusal(500, 'asked too often'),
      { protocol, limits },
    );
    expect(outcome).toMatchObject({ names: names(900), failure: undefined });
  });
});

describe('stopping after the first page', () => {
  test('happens when what it shows says so, without a request for the second', async () => {
    const seen: number[] = [];
    const outcome = await listFrom((request) => servePages(request), {
      goesOn: (reducer) => {
        seen.push(reducer.names.length);
        return Promise.resolve(false);
      },
    });
    expect(outcome.requests).toEqual(['first']);
    expect(seen).toEqual([500]);
  });

  test('is asked about once, and goes on to the end', async () => {
    let asked = 0;
    const outcome = await listFrom((request) => servePages(request), {
      goesOn: () => {
        asked += 1;
        return Promise.resolve(true);
      },
    });
    expect(outcome.names).toEqual(names(1253));
    expect(asked).toBe(1);
  });

  test('is not asked about when there is one page only', async () => {
    const outcome = await listFrom(() => list('PodList', pods(0, 9)), {
      goesOn: () => Promise.reject(new Error('not to be asked')),
    });
    expect(outcome.names).toEqual(names(9));
  });
});
