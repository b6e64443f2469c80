import { describe, expect, it } from 'vitest';
import type { ClusterModel, ModelEvent } from '../../functions/embedded/model.ts';
import { newNode } from '../../functions/embedded/node-boot.ts';
import { aCluster, addPod, aPool, IMAGE, pass, secondsOf, START_AT } from './pool.ts';

/** What happens, and how many seconds after the start. */
function record(
  model: ClusterModel,
  kinds: readonly ModelEvent['kind'][],
): (readonly [ModelEvent['kind'], number])[] {
  const seen: (readonly [ModelEvent['kind'], number])[] = [];
  model.listen((event) => {
    if (kinds.includes(event.kind)) seen.push([event.kind, secondsOf(model)]);
  });
  return seen;
}

describe('a node that is asked for', () => {
  it('boots, pulls the user image, and only then runs the user', () => {
    const model = aCluster([aPool()]);
    const user = addPod(model, { name: 'u1' });
    pass(model, 1000);
    // Asked for at the next look of the autoscaler, ten seconds on; then 100 s, 480 s, and 3 s to start.
    expect(secondsOf(model, user.node?.readySinceAt)).toBe(110);
    expect(secondsOf(model, user.startedAt)).toBe(110);
    expect(secondsOf(model, user.readyAt)).toBe(110 + 480 + 3);
  });

  it('stands as NotReady for a while, and takes no pod meanwhile', () => {
    const model = aCluster([aPool()]);
    const user = addPod(model, { name: 'u1' });
    pass(model, 100);
    expect([...model.nodes.values()].map((node) => node.ready)).toEqual(['False']);
    expect(user.node).toBeUndefined();
    expect(user.pendingMessage).toContain('untolerated taint {node.kubernetes.io/not-ready');
  });

  it('has an image puller that turns Ready when the image is there', () => {
    const model = aCluster([aPool()]);
    addPod(model, { name: 'u1' });
    pass(model, 300);
    const puller = [...model.pods.values()].find(
      (pod) => pod.meta.labels['component'] === 'continuous-image-puller',
    );
    expect(puller?.readyAt).toBeUndefined();
    expect(puller?.node?.images.has(IMAGE)).toBe(false);
    pass(model, 300);
    expect(secondsOf(model, puller?.readyAt)).toBe(593);
    expect(puller?.node?.images.has(IMAGE)).toBe(true);
  });

  it('has a name of its own, also where the letters of a standing one are drawn again', () => {
    const spec = aPool();
    const [model, other] = [aCluster([spec]), aCluster([spec])];
    const standing = newNode(other, spec, 'a');
    model.nodes.set(standing.meta.name, standing);
    expect(newNode(model, spec, 'a').meta.name).not.toBe(standing.meta.name);
  });

  it('without a puller starts to pull with its first user', () => {
    const model = aCluster([aPool({ hasImagePuller: false })]);
    addPod(model, { name: 'early', cpu: '3', spec: { containers: [{ name: 'm', image: 'other:1' }] } });
    pass(model, 300);
    const user = addPod(model, { name: 'u1' });
    pass(model, 600);
    expect(secondsOf(model, user.readyAt)).toBe(300 + 480 + 3);
  });

  it('runs a second user without another pull', () => {
    const model = aCluster([aPool({ initialNodes: 1 })]);
    const user = addPod(model, { name: 'u1' });
    pass(model, 10);
    expect(secondsOf(model, user.readyAt)).toBe(3);
  });
});

describe('zones', () => {
  const zonesOf = (locationPolicy: 'balanced' | 'any'): readonly string[] => {
    const model = aCluster([aPool({ zones: ['a', 'b', 'c'], locationPolicy })]);
    for (const name of ['u1', 'u2', 'u3']) addPod(model, { name, cpu: '3' });
    pass(model, 300);
    return [...model.nodes.values()].map((node) => node.zone).sort();
  };

  it.each([
    ['balanced', ['a', 'b', 'c']],
    ['any', ['a', 'a', 'a']],
  ] as const)('%s puts three new nodes into %j', (policy, zones) => {
    expect(zonesOf(policy)).toEqual(zones);
  });
});

describe('a cloud that has no machine to give', () => {
  it('is asked again after five minutes, then after ten', () => {
    const stockOut = { pool: 'base', zone: undefined, fromAt: START_AT, toAt: START_AT + 20 * 60_000 };
    const model = aCluster([aPool()], { stockOuts: [stockOut] });
    const asked = record(model, ['nodeRefused', 'nodeRequested']);
    addPod(model, { name: 'u1' });
    pass(model, 3600);
    expect(asked).toEqual([
      ['nodeRefused', 10],
      ['nodeRefused', 310],
      ['nodeRefused', 910],
      ['nodeRequested', 2110],
    ]);
  });

  it('gives a node in another zone at once', () => {
    const stockOut = { pool: 'base', zone: 'a', fromAt: START_AT, toAt: START_AT + 3_600_000 };
    const model = aCluster([aPool({ zones: ['a', 'b'] })], { stockOuts: [stockOut] });
    const user = addPod(model, { name: 'u1' });
    pass(model, 200);
    expect(user.node?.zone).toBe('b');
  });

  it('gives no more nodes than the quota allows', () => {
    const model = aCluster([aPool()], { nodeQuota: 2 });
    for (const name of ['u1', 'u2', 'u3']) addPod(model, { name, cpu: '3' });
    pass(model, 900);
    expect(model.nodes.size).toBe(2);
    expect(model.unbound.size).toBe(1);
  });
});

describe('a spot node', () => {
  it('is taken back on half a minute of notice, with its pods, and another is asked for', () => {
    const model = aCluster([aPool({ initialNodes: 1, minNodes: 1, spotMeanHours: 2 })]);
    const user = addPod(model, { name: 'u1' });
    const seen = record(model, ['nodeReclaimed', 'nodeRemoved', 'nodeRequested']);
    pass(model, 48 * 3600);
    const [reclaimed, removed, requested] = seen;
    expect([reclaimed?.[0], removed?.[0], requested?.[0]]).toEqual([
      'nodeReclaimed',
      'nodeRemoved',
      'nodeRequested',
    ]);
    expect(removed![1] - reclaimed![1]).toBe(30);
    expect(requested![1]).toBe(removed![1]);
    expect(user.isGone).toBe(true);
  });
});
