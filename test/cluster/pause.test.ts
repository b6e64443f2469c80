import { afterEach, describe, expect, test, vi } from 'vitest';
import { ApiCluster } from '../../functions/cluster/api.ts';
import { getObject } from '../../functions/cluster/get.ts';
import { sendPatch } from '../../functions/cluster/patching.ts';
import { DEPLOYMENTS, NODES } from '../../functions/cluster/request.ts';
import { Transport } from '../../functions/cluster/transport.ts';
import type { TimeLimits } from '../../functions/cluster/transport.ts';
import { json, list, PROTOCOLS, refusal, startLoopbackServer } from './loopback-server.ts';
import type { LoopbackServer, Reply, Script } from './loopback-server.ts';
import { WaitingRoom } from './waiting-room.ts';

const NEVER = new AbortController().signal;

function open(server: LoopbackServer, room: WaitingRoom, limits?: TimeLimits): Transport {
  return new Transport({ label: 'hub-west', endpoint: server.endpoint, retry: room.retry, limits });
}

function getNode(transport: Transport, name: string, signal = NEVER): Promise<object> {
  return getObject(transport, { verb: 'get', resource: NODES, namespace: undefined, name }, signal);
}

function patchDeployment(transport: Transport, signal = NEVER): Promise<object> {
  const target = {
    verb: 'patch',
    resource: DEPLOYMENTS,
    namespace: 'spares',
    name: 'base-placeholder',
  } as const;
  return sendPatch(transport, { target, strategy: 'MergePatch', body: { spec: { replicas: 2 } } }, signal);
}

const slowDown = (seconds: number): Reply => refusal(429, 'slow down', { 'retry-after': String(seconds) });

const SILENCE: Reply = { kind: 'silence' };

/** Refuses the first requests for a node so, one after the other, and answers whatever else comes. */
function refusing(name: string, ...replies: Reply[]): Script {
  return ({ path }) => {
    const own = path.split('/').at(-1) ?? '';
    return (own === name && replies.shift()) || json({ metadata: { name: own, resourceVersion: '8' } });
  };
}

function asked(server: LoopbackServer): readonly string[] {
  return server.requests.map(({ path }) => path.split('/').at(-1) ?? '');
}

/** The answer to the first request for that node is held until the test lets it go. */
function holding(name: string, script: Script): { readonly script: Script; readonly release: () => void } {
  const gate = Promise.withResolvers<undefined>();
  const release = (): void => {
    gate.resolve(undefined);
  };
  return {
    release,
    script: async (request, index) => {
      await (request.path.endsWith(`/${name}`) ? gate.promise : undefined);
      return script(request, index);
    },
  };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(PROTOCOLS)('a pause that an API server asks for, over %s', (protocol) => {
  test.each([
    ['429', slowDown(7)],
    ['503', refusal(503, 'shutting down', { 'retry-after': '7' })],
  ])('after %s holds what is sent later, writes too, and not all of it goes on at once', async (_, reply) => {
    await using server = await startLoopbackServer(refusing('a', reply), protocol);
    const room = new WaitingRoom();
    const transport = open(server, room);
    const refused = getNode(transport, 'a');
    await room.hasSeen(1);
    room.pass(1000);
    const later = [getNode(transport, 'b'), patchDeployment(transport)];
    await room.hasSeen(3);
    expect(room.waits).toEqual([7000, 6250, 6250]);
    expect(transport.counts()).toEqual({ get: 1 });
    room.pass(6000);
    await refused;
    expect(asked(server)).toEqual(['a', 'a']);
    room.pass(250);
    await Promise.all(later);
    await transport.close();
    expect(asked(server).slice(2).sort()).toEqual(['b', 'base-placeholder']);
  });
});

describe('a pause that an API server asks for', () => {
  test('is none of another server', async () => {
    await using busy = await startLoopbackServer(refusing('a', slowDown(7)));
    await using idle = await startLoopbackServer(refusing('a'));
    const room = new WaitingRoom();
    const [here, there] = [open(busy, room), open(idle, room)];
    const stopping = new AbortController();
    const refused = getNode(here, 'a', stopping.signal);
    await room.hasSeen(1);
    await Promise.all([getNode(there, 'b'), patchDeployment(there)]);
    expect(room.waits).toEqual([7000]);
    stopping.abort();
    await expect(refused).rejects.toMatchObject({ kind: 'throttled' });
    await Promise.all([here.close(), there.close()]);
  });

  test('leaves alone what is in flight', async () => {
    const { script, release } = holding('b', refusing('a', slowDown(7)));
    await using server = await startLoopbackServer(script);
    const room = new WaitingRoom();
    const transport = open(server, room);
    const inFlight = getNode(transport, 'b');
    const refused = getNode(transport, 'a');
    await room.hasSeen(1);
    release();
    await expect(inFlight).resolves.toMatchObject({ metadata: { name: 'b' } });
    expect(room.waits).toEqual([7000]);
    room.pass(7000);
    await refused;
    await transport.close();
  });

  test('lasts until the latest of several moments, whichever was named last', async () => {
    const refusals: Readonly<Record<string, Reply>> = { a: slowDown(9), b: slowDown(3) };
    const { script, release } = holding(
      'b',
      ({ path }) => refusals[path.split('/').at(-1) ?? ''] ?? json({}),
    );
    await using server = await startLoopbackServer(script);
    const room = new WaitingRoom();
    const transport = open(server, room);
    const stopping = new AbortController();
    const sent = [getNode(transport, 'b', stopping.signal), getNode(transport, 'a', stopping.signal)];
    await room.hasSeen(1);
    release();
    await room.hasSeen(2);
    sent.push(getNode(transport, 'c', stopping.signal));
    await room.hasSeen(3);
    expect(room.waits).toEqual([9000, 3000, 9250]);
    room.pass(3000);
    // Its own time is over, and the pause is not.
    await room.hasSeen(4);
    expect(room.waits[3]).toBe(6250);
    stopping.abort();
    await Promise.allSettled(sent);
    await transport.close();
    expect([...asked(server)].sort()).toEqual(['a', 'b']);
  });

  test('goes on for those who wait when whoever was refused is refused again', async () => {
    await using server = await startLoopbackServer(refusing('a', slowDown(2), slowDown(5)));
    const room = new WaitingRoom();
    const transport = open(server, room);
    const sent = [getNode(transport, 'a')];
    await room.hasSeen(1);
    sent.push(getNode(transport, 'b'));
    await room.hasSeen(2);
    room.pass(2000);
    await room.hasSeen(3);
    room.pass(250);
    await room.hasSeen(4);
    expect(room.waits).toEqual([2000, 2250, 5000, 5000]);
    expect(asked(server)).toEqual(['a', 'a']);
    room.pass(5000);
    await Promise.all(sent);
    await transport.close();
    expect(asked(server)).toHaveLength(4);
  });

  test.each([
    ['500 with Retry-After', refusal(500, 'no etcd', { 'retry-after': '7' })],
    ['429 without', refusal(429, 'slow down')],
    ['429 that asks for no time', slowDown(0)],
  ])('is not asked for by %s', async (_, reply) => {
    await using server = await startLoopbackServer(refusing('a', reply));
    const room = new WaitingRoom();
    const transport = open(server, room);
    const refused = getNode(transport, 'a');
    await room.hasSeen(1);
    await getNode(transport, 'b');
    expect(room.waits).toHaveLength(1);
    room.pass(7000);
    await refused;
    await transport.close();
  });

  test('holds the next page of a list while another list was refused', async () => {
    const NODE = { metadata: { name: 'n', uid: 'u', labels: { pool: 'base' } }, spec: {}, status: {} };
    const [refusals, tokens] = [[slowDown(7)], ['next']];
    const scripts: Readonly<Record<string, () => Reply>> = {
      nodes: () => list('NodeList', [NODE]),
      pods: () => list('PodList', [], tokens.shift() ?? ''),
      deployments: () => refusals.shift() ?? list('DeploymentList', []),
    };
    const { script, release } = holding('nodes', (request) => {
      const reply = scripts[request.path.split('/').at(-1) ?? ''];
      return reply?.() ?? refusal(404, 'not there');
    });
    await using server = await startLoopbackServer(script);
    const room = new WaitingRoom();
    const { endpoint } = server;
    const cluster = new ApiCluster({ label: 'hub-west', namespace: 'spares', endpoint, retry: room.retry });
    const reading = cluster.read(
      {
        namespace: 'spares',
        nodePoolSelectorKey: 'pool',
        nodeLabels: ['base'],
        userImages: [],
        imagePullerSelectors: [],
        userPodSelectors: [],
        priorityClassName: 'node-placeholder',
        withObjects: false,
      },
      NEVER,
    );
    await room.hasSeen(1);
    release();
    await room.hasSeen(2);
    expect(room.waits).toEqual([7000, 7250]);
    expect([...asked(server)].sort()).toEqual(['deployments', 'nodes', 'pods']);
    room.pass(7250);
    await reading;
    await cluster.close();
    expect([...asked(server)].slice(3).sort()).toEqual(['deployments', 'pods']);
  });
});

describe('a request that waits for an API server that asked for it', () => {
  interface Held {
    readonly room: WaitingRoom;
    readonly transport: Transport;
    readonly refused: Promise<object>;
  }

  async function openPaused(server: LoopbackServer): Promise<Held> {
    const room = new WaitingRoom();
    const transport = open(server, room);
    const refused = getNode(transport, 'a');
    await room.hasSeen(1);
    return { room, transport, refused };
  }

  async function end({ room, transport, refused }: Held): Promise<void> {
    room.pass(60_000);
    await refused;
    await transport.close();
  }

  test('ends at once when the pass is told to stop', async () => {
    await using server = await startLoopbackServer(refusing('a', slowDown(7)));
    const held = await openPaused(server);
    const stopping = new AbortController();
    const waiting = getNode(held.transport, 'b', stopping.signal);
    await held.room.hasSeen(2);
    stopping.abort(new Error('the pass has come to its own deadline'));
    await expect(waiting).rejects.toMatchObject({
      kind: 'aborted',
      message: 'get node b of hub-west: stopped, since the pass was told to',
    });
    expect(asked(server)).toEqual(['a']);
    await end(held);
  });

  test('does not blame the server for silence when its own time limit ends the wait', async () => {
    await using server = await startLoopbackServer(refusing('a', slowDown(7)));
    const held = await openPaused(server);
    const limit = new AbortController();
    const waiting = patchDeployment(held.transport, limit.signal);
    await held.room.hasSeen(2);
    limit.abort(new DOMException('too long', 'TimeoutError'));
    await expect(waiting).rejects.toMatchObject({
      kind: 'throttled',
      message:
        'patch deployment spares/base-placeholder of hub-west: not sent, since the API server asks for a pause of 7 s (429 slow down)',
      remedy: expect.stringContaining('fewer requests') as string,
    });
    await end(held);
    expect(asked(server)).toEqual(['a', 'a']);
  });

  test('does not blame it either when the pause left no time for the answer', async () => {
    const allArrived = Promise.withResolvers<undefined>();
    const arrivals = [
      () => slowDown(7),
      () => SILENCE,
      () => {
        allArrived.resolve(undefined);
        return SILENCE;
      },
    ];
    await using server = await startLoopbackServer(() => arrivals.shift()?.() ?? SILENCE);
    const limit = new AbortController();
    const room = new WaitingRoom();
    const transport = open(server, room);
    const refused = getNode(transport, 'a', limit.signal);
    await room.hasSeen(1);
    const later = getNode(transport, 'b', limit.signal);
    await room.hasSeen(2);
    room.pass(7250);
    await allArrived.promise;
    limit.abort(new DOMException('too long', 'TimeoutError'));
    const words = 'no time left for an answer, since the API server asks for a pause of 7 s (429 slow down)';
    await Promise.all([
      expect(refused).rejects.toMatchObject({
        kind: 'throttled',
        message: `get node a of hub-west: ${words}`,
      }),
      expect(later).rejects.toMatchObject({ kind: 'throttled', message: `get node b of hub-west: ${words}` }),
    ]);
    await transport.close();
  });

  test('has its own time limits from when it is sent, and the silence that they end is the server’s', async () => {
    const replies = [slowDown(7)];
    await using server = await startLoopbackServer(() => replies.shift() ?? SILENCE);
    const started = vi.spyOn(AbortSignal, 'timeout');
    const room = new WaitingRoom();
    const limits: TimeLimits = { connect: 20_000, headers: 150, silence: 20_000, whole: 20_000 };
    const transport = open(server, room, limits);
    const refused = getNode(transport, 'a');
    await room.hasSeen(1);
    const later = getNode(transport, 'b');
    await room.hasSeen(2);
    expect(started).toHaveBeenCalledTimes(1);
    room.pass(7250);
    const timeout = { status: 'rejected', reason: { kind: 'timeout' } };
    expect(await Promise.allSettled([refused, later])).toMatchObject([timeout, timeout]);
    expect(started).toHaveBeenCalledTimes(3);
    await transport.close();
  });

  test('is not sent at all when the pause is longer than a pass has patience', async () => {
    await using server = await startLoopbackServer(refusing('a', slowDown(3600)));
    const room = new WaitingRoom();
    const transport = open(server, room);
    await expect(getNode(transport, 'a')).rejects.toMatchObject({ kind: 'throttled', status: 429 });
    await expect(getNode(transport, 'b')).rejects.toMatchObject({
      kind: 'throttled',
      status: undefined,
      message:
        'get node b of hub-west: not sent, since the API server asks for a pause of 3600 s (429 slow down)',
    });
    expect(room.waits).toEqual([]);
    room.pass(3_600_000);
    await getNode(transport, 'c');
    await transport.close();
    expect(asked(server)).toEqual(['a', 'c']);
  });
});
