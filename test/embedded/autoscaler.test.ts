import { describe, expect, it } from 'vitest';
import type { ClusterModel } from '../../functions/embedded/model.ts';
import { aCluster, addPod, aPool, pass, secondsOf } from './pool.ts';

function addClass(model: ClusterModel, name: string, value: number): void {
  model.addPriorityClass({
    meta: model.newMeta({ name }),
    value,
    preemptionPolicy: 'PreemptLowerPriority',
    isGlobalDefault: false,
  });
}

describe('scale-up', () => {
  it('brings as many nodes as the waiting pods fill, and no more', () => {
    const model = aCluster([aPool()]);
    for (let index = 0; index < 9; index += 1) addPod(model, { name: `u${String(index)}`, cpu: '1' });
    pass(model, 200);
    expect(model.nodes.size).toBe(3);
    expect(model.unbound.size).toBe(0);
  });

  it('counts on nodes that are on their way', () => {
    const model = aCluster([aPool()]);
    addPod(model, { name: 'u1' });
    pass(model, 50);
    addPod(model, { name: 'u2' });
    pass(model, 300);
    expect(model.nodes.size).toBe(1);
  });

  it.each([
    [-10, 1],
    [-11, 0],
  ])('for a pod of priority %i brings %i node(s)', (value, nodes) => {
    const model = aCluster([aPool()]);
    addClass(model, 'low', value);
    addPod(model, { name: 'low', spec: { priorityClassName: 'low' } });
    pass(model, 300);
    expect(model.nodes.size).toBe(nodes);
  });

  it('stops at the maximum of the pool', () => {
    const model = aCluster([aPool({ maxNodes: 2 })]);
    for (const name of ['u1', 'u2', 'u3']) addPod(model, { name, cpu: '3' });
    pass(model, 900);
    expect(model.nodes.size).toBe(2);
  });

  it('chooses the pool that the pods select', () => {
    const model = aCluster([aPool(), aPool({ name: 'other' })]);
    addPod(model, { name: 'u1', pool: 'other' });
    pass(model, 300);
    expect([...model.nodes.values()].map((node) => node.pool)).toEqual(['other']);
  });

  it('brings nothing for a pod that fits on no node of any pool', () => {
    const model = aCluster([aPool()]);
    addPod(model, { name: 'huge', cpu: '64' });
    pass(model, 900);
    expect(model.nodes.size).toBe(0);
  });
});

describe('scale-down', () => {
  it('removes a node that was unneeded for ten minutes, with the hard taint before it goes', () => {
    const model = aCluster([aPool({ initialNodes: 1 })]);
    addPod(model, { name: 'poke', pool: 'none' });
    pass(model, 615);
    const [node] = model.nodes.values();
    expect(node?.taints.map((taint) => taint.key)).toEqual(['ToBeDeletedByClusterAutoscaler']);
    pass(model, 60);
    expect(model.nodes.size).toBe(0);
  });

  it('marks an unneeded node with the soft taint alone until then', () => {
    const model = aCluster([aPool({ initialNodes: 1 })]);
    addPod(model, { name: 'poke', pool: 'none' });
    pass(model, 300);
    const [node] = model.nodes.values();
    expect(node?.taints).toMatchObject([
      { key: 'DeletionCandidateOfClusterAutoscaler', effect: 'PreferNoSchedule' },
    ]);
  });

  it('never goes below the minimum', () => {
    const model = aCluster([aPool({ initialNodes: 3, minNodes: 2 })]);
    addPod(model, { name: 'poke', pool: 'none' });
    pass(model, 3600);
    expect(model.nodes.size).toBe(2);
  });

  const holders = [
    ['a pod that nothing would make again', {}, 1],
    ['one that says it may go', { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' }, 0],
    ['one that says it may not', { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' }, 1],
  ] as const;
  it.each(holders)(
    'of two nodes, one with %s: removes the other and %o leaves %i of it',
    (_name, annotations, left) => {
      const model = aCluster([aPool({ initialNodes: 2, minNodes: 0 })]);
      const pod = addPod(model, { name: 'u1', annotations });
      pass(model, 10);
      const node = pod.node!;
      addPod(model, { name: 'u2', cpu: '3' });
      pass(model, 1400);
      expect(Number(!node.isGone)).toBe(left);
    },
  );

  it('waits for ten minutes after the last node was added', () => {
    const model = aCluster([aPool({ initialNodes: 1 })]);
    pass(model, 500);
    addPod(model, { name: 'u1', cpu: '3' });
    addPod(model, { name: 'u2', cpu: '3' });
    pass(model, 10);
    const requestedAt = secondsOf(model);
    for (const pod of [...model.pods.values()]) model.deletePod(pod, 'loggedOut', 0);
    pass(model, 580);
    expect([...model.nodes.values()].some((node) => node.taints.some((t) => t.key.startsWith('ToBe')))).toBe(
      false,
    );
    pass(model, 1200);
    expect(requestedAt).toBe(510);
    expect(model.nodes.size).toBe(0);
  });
});
