import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterModel } from '../../functions/embedded/model.ts';
import type { Node } from '../../functions/embedded/objects.ts';
import { watchLaws } from './laws.ts';
import { aCluster, addPod, aPool, pass, START_AT } from './pool.ts';

type Step =
  | { readonly kind: 'pod'; readonly cpu: number; readonly level: number; readonly grace: number }
  | { readonly kind: 'delete' | 'cordon' | 'unready' | 'ready' | 'removeNode'; readonly pick: number }
  | { readonly kind: 'wait'; readonly seconds: number };

const pick = fc.nat(50);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('pod' as const),
      cpu: fc.integer({ min: 1, max: 4500 }),
      level: fc.nat(3),
      grace: fc.constantFrom(0, 0, 30),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 900 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'delete' as const,
        'cordon' as const,
        'unready' as const,
        'ready' as const,
        'removeNode' as const,
      ),
      pick,
    }),
  },
);

const LEVELS = ['level-0', 'level-1', 'level-2', 'level-3'];

function prepare(seed: number): ClusterModel {
  const stockOuts = [{ pool: 'base', zone: 'a', fromAt: START_AT + 600_000, toAt: START_AT + 1_800_000 }];
  const model = aCluster(
    [aPool({ zones: ['a', 'b'], initialNodes: 1, spotMeanHours: 1, boot: { uniform: [30, 200] } })],
    { seed, stockOuts, nodeQuota: 4 },
  );
  LEVELS.forEach((name, index) => {
    model.addPriorityClass({
      meta: model.newMeta({ name }),
      value: [-11, -10, 0, 100][index] ?? 0,
      preemptionPolicy: index === 1 ? 'Never' : 'PreemptLowerPriority',
      isGlobalDefault: false,
    });
  });
  model.budgets.set('hub/guard', {
    meta: model.newMeta({ namespace: 'hub', name: 'guard' }),
    spec: {},
    selector: { matchLabels: { guarded: 'true' }, matchExpressions: [] },
    maxUnavailable: 0,
    minAvailable: undefined,
    unhealthyMayGo: false,
  });
  return model;
}

function nth<T>(values: Iterable<T>, position: number): readonly T[] {
  const all = [...values];
  return all.length === 0 ? [] : [all[position % all.length]!];
}

function carryOut(model: ClusterModel, step: Step, index: number): void {
  if (step.kind === 'wait') pass(model, step.seconds);
  else if (step.kind === 'pod') addOne(model, step, index);
  else disturb(model, step);
}

function addOne(model: ClusterModel, step: Extract<Step, { kind: 'pod' }>, index: number): void {
  addPod(model, {
    name: `p${String(index)}`,
    cpu: `${String(step.cpu)}m`,
    labels: { guarded: String(index % 2 === 0) },
    spec: { priorityClassName: LEVELS[step.level] ?? '', terminationGracePeriodSeconds: step.grace },
  });
}

function disturb(model: ClusterModel, step: Extract<Step, { pick: number }>): void {
  if (step.kind === 'delete') {
    for (const pod of nth(model.pods.values(), step.pick)) model.deletePod(pod, 'deleted');
    return;
  }
  for (const node of nth(model.nodes.values(), step.pick)) disturbNode(model, step.kind, node);
}

function disturbNode(
  model: ClusterModel,
  kind: Exclude<Step['kind'], 'pod' | 'wait' | 'delete'>,
  node: Node,
): void {
  if (kind === 'removeNode') model.removeNode(node);
  else if (kind === 'cordon') {
    node.isCordoned = !node.isCordoned;
    model.changeNode(node);
  } else model.setReady(node, kind === 'ready' ? 'True' : 'Unknown');
}

describe('the laws of the model', () => {
  it('hold whatever happens, and the same things happen for the same seed', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.array(step, { maxLength: 40 }), (seed, steps) => {
        const run = (): { readonly broken: readonly string[]; readonly end: string } => {
          const model = prepare(seed);
          const broken = watchLaws(model);
          steps.forEach((each, index) => {
            carryOut(model, each, index);
          });
          pass(model, 3600);
          const end = [...model.pods.values()].map((pod) => [pod.meta.name, pod.node?.meta.name, pod.phase]);
          return { broken, end: JSON.stringify([model.revision, end]) };
        };
        const first = run();
        expect(first.broken).toEqual([]);
        expect(run().end).toBe(first.end);
      }),
      { numRuns: 150 },
    );
  });
});
