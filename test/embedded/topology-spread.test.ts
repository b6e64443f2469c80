import { describe, expect, it } from 'vitest';
import type { JsonObject, Pod } from '../../functions/embedded/objects.ts';
import { addPod, aCluster, aPool, pass } from './pool.ts';

const LABELS = { app: 'web' };
const ZONE = 'topology.kubernetes.io/zone';

function spread(topologyKey: string, more: JsonObject = {}): JsonObject {
  const hard = { maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule' };
  return { topologySpreadConstraints: [{ ...hard, labelSelector: { matchLabels: LABELS }, ...more }] };
}

const placed = (
  pods: readonly Pod[],
  by: (pod: Pod) => string | undefined,
): readonly (string | undefined)[] => pods.map(by).sort();

describe('hard spread constraints', () => {
  const three = { initialNodes: 3, minNodes: 3, zones: ['a', 'b', 'c'] };

  it('put as many pods into each zone, though packing would fill one node', () => {
    const model = aCluster([aPool(three)], { scoring: 'mostAllocated', autoscaler: undefined });
    const pods = ['1', '2', '3', '4', '5', '6'].map((name) =>
      addPod(model, { name, cpu: '500m', labels: LABELS, spec: spread(ZONE) }),
    );
    pass(model, 60);
    expect(placed(pods, (pod) => pod.node?.zone)).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
  });

  it('leave a pod Pending, in the scheduler’s words, where each other zone is full', () => {
    const model = aCluster([aPool(three)], { autoscaler: undefined });
    const [first, second] = [...model.nodes.values()];
    for (const node of [first, second]) {
      addPod(model, {
        name: `full-${node?.zone ?? ''}`,
        cpu: '4',
        spec: { nodeName: node?.meta.name ?? '' },
      });
    }
    pass(model, 5);
    const [fits, waits] = ['1', '2'].map((name) =>
      addPod(model, { name, cpu: '500m', labels: LABELS, spec: spread(ZONE) }),
    );
    pass(model, 60);
    expect(fits?.node?.zone).toBe('c');
    expect(waits?.node).toBeUndefined();
    expect(waits?.pendingMessage).toMatch(
      /^0\/3 nodes are available: 1 node\(s\) didn't match pod topology spread constraints, 2 Insufficient cpu\./,
    );
  });

  it('bar nodes without the label, and count no pods of others', () => {
    const model = aCluster([aPool(three)], { autoscaler: undefined });
    const lost = addPod(model, { name: 'lost', labels: LABELS, spec: spread('rack') });
    const others = ['1', '2', '3'].map((name) =>
      addPod(model, { name, cpu: '500m', labels: { app: 'other' }, spec: spread(ZONE) }),
    );
    pass(model, 60);
    expect(lost.pendingMessage).toContain(
      "3 node(s) didn't match pod topology spread constraints (missing required label)",
    );
    expect(others.every((pod) => pod.node !== undefined)).toBe(true);
  });

  it('evict nobody for a place that they forbid', () => {
    const model = aCluster([aPool({ ...three, initialNodes: 2, minNodes: 2, zones: ['a', 'b'] })], {
      autoscaler: undefined,
    });
    const low = model.addPriorityClass({
      meta: model.newMeta({ name: 'low' }),
      value: -10,
      preemptionPolicy: 'Never',
      isGlobalDefault: false,
    });
    const [a, b] = [...model.nodes.values()].map((node) => node.meta.name);
    const priorityClassName = low.meta.name;
    const spare = addPod(model, { name: 'spare', cpu: '3', spec: { priorityClassName, nodeName: a ?? '' } });
    addPod(model, { name: 'full', cpu: '4', spec: { nodeName: b ?? '' } });
    addPod(model, { name: 'first', cpu: '500m', labels: LABELS, spec: { nodeName: a ?? '' } });
    pass(model, 5);
    const second = addPod(model, { name: 'second', cpu: '2', labels: LABELS, spec: spread(ZONE) });
    pass(model, 60);
    expect(second.node).toBeUndefined();
    expect(spare.node?.meta.name).toBe(a);
  });
});
