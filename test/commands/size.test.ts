import { describe, expect, test } from 'vitest';
import type { CommandContext } from '../../functions/commands/context.ts';
import { runSize } from '../../functions/commands/size.ts';
import { adviseSize } from '../../functions/commands/size-advice.ts';
import { warningsOf } from '../../functions/commands/size-text.ts';
import { parseSettings } from '../../functions/config/load.ts';
import type { NodeFacts } from '../../functions/domain/node.ts';
import type { NodeUsage } from '../../functions/domain/usage.ts';
import { aNode, aUsage, CapturedLog, FakeCluster, Outside } from '../support/fakes.ts';

const GI = 2 ** 30;

function settingsOf(text: string) {
  return parseSettings(
    text,
    { source: 'config.yaml', folder: '/' },
    { kubeconfigPath: '/k', mayLackRequests: true },
  );
}

const ONE_POOL = 'cluster: embedded\nnodePools: { base: { replicas: 1 } }';
const FLEET = `
clusters:
  west: { cluster: 'kubeconfig:w', nodePools: { base: {}, exam: {} } }
  east: { cluster: 'kubeconfig:e', nodePools: { base: {}, lab: {} } }
`;

interface Scene {
  readonly nodes: readonly NodeFacts[];
  readonly usage?: Readonly<Record<string, NodeUsage>>;
}

function sceneOf({ nodes, usage = {} }: Scene, config: string) {
  const outside = new Outside();
  const cluster = new FakeCluster(outside);
  cluster.world.nodes = nodes;
  cluster.world.usage = new Map(Object.entries(usage));
  let printed = '';
  const context: CommandContext = {
    settings: settingsOf(config),
    log: new CapturedLog(),
    print: (text) => {
      printed += text;
    },
    terminal: { isTerminal: false, columns: 80, hasColors: false },
    env: {},
    now: () => 0,
    stop: new AbortController().signal,
  };
  const openers = { openCluster: () => Promise.resolve(cluster) };
  return { outside, context, openers, printed: () => printed };
}

function node(name: string, memoryBytes: number, poolLabel = 'base'): NodeFacts {
  return aNode({ name, poolLabel, allocatable: { kind: 'known', cpuMillis: 8000, memoryBytes } });
}

describe('of a node', () => {
  test('allocatable, less what other pods request, less what is held free', async () => {
    const { context, openers, printed, outside } = sceneOf(
      {
        nodes: [node('gke-a', 61_483_356_160), node('gke-b', 1)],
        usage: {
          'gke-a': aUsage({ memoryBytes: 40 * GI, otherMemoryBytes: 466_964_736, otherCpuMillis: 400 }),
        },
      },
      ONE_POOL,
    );

    const code = await runSize(
      context,
      { command: 'size', of: { kind: 'node', name: 'gke-a' }, cluster: undefined },
      openers,
    );

    expect(code).toBe(0);
    expect(printed()).toBe(`Node gke-a, bytes of memory
  allocatable                                        61483356160
  requested by other pods                             -466964736
  held free, so that the node stays schedulable       -277872640
  recommended request                                60738518784

Lines for the config:

nodePools:
  base:
    resources:
      requests:
        memory: 60738518784
`);
    expect(outside.calls.map(({ method }) => method)).toEqual(['cluster.read', 'cluster.close']);
  });

  test('with nothing left for a placeholder, nothing is recommended, and the exit code says so', async () => {
    const { context, openers, printed } = sceneOf({ nodes: [node('tiny', 200_000_000)] }, ONE_POOL);

    const code = await runSize(
      context,
      { command: 'size', of: { kind: 'node', name: 'tiny' }, cluster: undefined },
      openers,
    );

    expect(code).toBe(1);
    expect(printed()).toContain(
      'No request can be recommended for pool base: no memory is left for one on tiny.',
    );
    expect(printed()).not.toContain('Lines for the config');
  });
});

describe('of a pool', () => {
  const nodes = [node('a', 60 * GI), node('b', 58 * GI), node('c', 60 * GI)];

  test('the smallest request over its nodes, and the lines for a cluster of a fleet', async () => {
    const { context, openers, printed } = sceneOf({ nodes }, FLEET);

    const code = await runSize(
      context,
      { command: 'size', of: { kind: 'pool', name: 'base' }, cluster: 'east' },
      openers,
    );

    expect(code).toBe(0);
    expect(printed()).toContain(
      `Pool base: ${58 * GI - 277_872_640} bytes, the smallest of 3 nodes, fits on each of them.`,
    );
    expect(printed()).toContain(`Warning: the nodes differ by ${2 * GI} bytes, from b to `);
    expect(printed().split('Lines for the config:')[1]).toBe(`

clusters:
  east:
    nodePools:
      base:
        resources:
          requests:
            memory: ${58 * GI - 277_872_640}
`);
  });

  test('no request at all, when one of its nodes leaves nothing: it would never fit there', async () => {
    const { context, openers, printed } = sceneOf({ nodes: [...nodes, node('tiny', 200_000_000)] }, ONE_POOL);

    const code = await runSize(
      context,
      { command: 'size', of: { kind: 'pool', name: 'base' }, cluster: undefined },
      openers,
    );

    expect(code).toBe(1);
    expect(printed()).toContain(
      'No request can be recommended for pool base: no memory is left for one on tiny.',
    );
  });

  test('nor when none of its nodes can be judged by', async () => {
    const unreadable = aNode({ name: 'a', allocatable: { kind: 'unreadable', problem: 'no allocatable' } });
    const { context, openers, printed } = sceneOf({ nodes: [unreadable] }, ONE_POOL);

    const code = await runSize(
      context,
      { command: 'size', of: { kind: 'pool', name: 'base' }, cluster: undefined },
      openers,
    );

    expect(code).toBe(1);
    expect(printed()).toBe(`No request can be recommended for pool base: no node of it can be judged by.

Warning: node a was left out: no allocatable
`);
  });

  test('only its own nodes are asked for', async () => {
    const { context, openers, outside } = sceneOf({ nodes: [node('x', 60 * GI, 'exam')] }, FLEET);

    await runSize(
      context,
      { command: 'size', of: { kind: 'pool', name: 'exam' }, cluster: undefined },
      openers,
    );

    expect(outside.callsOf('cluster.read')[0]!.detail).toMatchObject({
      nodeLabels: ['exam'],
      nodePoolSelectorKey: 'hub.jupyter.org/pool-name',
      withObjects: false,
    });
  });
});

describe('names that are not there', () => {
  test.each<[string, string, Parameters<typeof runSize>[1], string]>([
    [
      'a node',
      ONE_POOL,
      { command: 'size', of: { kind: 'node', name: 'gke-aa' }, cluster: undefined },
      'names no node in a pool of the config: `gke-aa`; did you mean `gke-a`?',
    ],
    [
      'a pool',
      ONE_POOL,
      { command: 'size', of: { kind: 'pool', name: 'bsae' }, cluster: undefined },
      'no such pool: `bsae`; did you mean `base`?',
    ],
    [
      'a cluster',
      FLEET,
      { command: 'size', of: { kind: 'pool', name: 'base' }, cluster: 'wset' },
      'no such cluster: `wset`; did you mean `west`?',
    ],
    [
      'no cluster, where two have the pool',
      FLEET,
      { command: 'size', of: { kind: 'pool', name: 'base' }, cluster: undefined },
      'is needed, since the config has several clusters: west, east',
    ],
    [
      'a pool of another cluster',
      FLEET,
      { command: 'size', of: { kind: 'pool', name: 'lab' }, cluster: 'west' },
      'no such pool in cluster west: `lab`; there are base, exam',
    ],
    [
      'a pool without nodes',
      FLEET,
      { command: 'size', of: { kind: 'pool', name: 'lab' }, cluster: 'east' },
      'pool `lab` has no node now (hub.jupyter.org/pool-name=lab): start one and ask again',
    ],
  ])('%s', async (...[, config, chosen, message]) => {
    const { context, openers } = sceneOf({ nodes: [node('gke-a', 60 * GI)] }, config);

    await expect(runSize(context, chosen, openers)).rejects.toMatchObject({
      name: 'ConfigError',
      findings: [{ message }],
    });
  });
});

describe('what is worth a warning', () => {
  const poolOf = (requests: string) =>
    settingsOf(`cluster: embedded\nnodePools: { base: { resources: { requests: ${requests} } } }`)
      .clusters[0]!.pools[0]!;
  const adviceFor = (requests: string, nodes: readonly NodeFacts[], usage: Record<string, NodeUsage> = {}) =>
    adviseSize(poolOf(requests), { nodes, usage: new Map(Object.entries(usage)) });

  test.each<[string, string, readonly NodeFacts[], Record<string, NodeUsage>, readonly string[]]>([
    ['nothing, when the request in the config fits once', '{ memory: 59Gi }', [node('a', 60 * GI)], {}, []],
    [
      'a request in the config that fits four times',
      '{ memory: 48G }',
      [node('a', 200e9)],
      {},
      ['the request in the config fits 4 times on one node, so 4 placeholders would hold one node'],
    ],
    [
      'a request in the config that fits nowhere',
      '{ memory: 60000000Ki }',
      [node('a', 59_350_076 * 1024)],
      {},
      [
        'the request in the config fits on no node: it asks for 61440000000 bytes of memory, and the roomiest node offers 60774477824',
      ],
    ],
    [
      'cpu in the config that leaves no room for the recommended memory either',
      '{ memory: 1Gi, cpu: 9 }',
      [node('a', 60 * GI)],
      {},
      [
        'the recommended request fits on no node: it asks for 9000 millicores of cpu, and the roomiest node offers 8000',
        'the request in the config fits on no node: it asks for 9000 millicores of cpu, and the roomiest node offers 8000',
      ],
    ],
    [
      'a node twice as large: what is safe on the small one fits on it twice',
      '{ memory: 29Gi }',
      [node('small', 30 * GI), node('large', 60 * GI)],
      {},
      [
        `the nodes differ by ${30 * GI} bytes, from small to large: a pool works best with machines of one shape`,
        'the recommended request fits 2 times on one node, so 2 placeholders would hold one node',
        'the request in the config fits 2 times on one node, so 2 placeholders would hold one node',
      ],
    ],
    [
      'nodes that tell nothing',
      '{ memory: 59Gi }',
      [
        node('a', 60 * GI),
        aNode({ name: 'b', allocatable: { kind: 'unreadable', problem: 'no allocatable memory reported' } }),
        node('c', 60 * GI),
        { ...node('d', 60 * GI), leaving: 'toBeDeletedTaint' },
      ],
      { c: aUsage({ unreadable: 'pod hub/x, memory: "16g" is not a Kubernetes quantity' }) },
      [
        'node b was left out: no allocatable memory reported',
        'node c was left out: pod hub/x, memory: "16g" is not a Kubernetes quantity',
        'node d was left out: it is being deleted',
      ],
    ],
  ])('%s', (...[, requests, nodes, usage, warnings]) => {
    expect(warningsOf(adviceFor(requests, nodes, usage))).toEqual(warnings);
  });

  test('what is configured beside memory stays in the lines to paste', () => {
    expect(adviceFor('{ memory: 1Gi, cpu: 500m }', [node('a', 60 * GI)]).requests).toEqual({
      memory: String(60 * GI - 277_872_640),
      cpu: '500m',
    });
  });
});
