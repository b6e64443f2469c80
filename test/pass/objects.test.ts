/** What passes make of a cluster whose YAML is applied not at all, in part, or only later. */
import { describe, expect, it } from 'vitest';
import { areObjectsDue } from '../../functions/pass/objects.ts';
import { EMPTY_STATE } from '../../functions/ports.ts';
import type { ClusterObjects } from '../../functions/ports.ts';
import { aDeployment, aNode, aPlaceholder, outsideError } from '../support/fakes.ts';
import { aClusterOf, aPool, aScene, NINE } from './scene.ts';
import type { Scene } from './scene.ts';

const WELL: ClusterObjects = {
  priorityClass: { kind: 'present', value: -10, preemptionPolicy: 'Never' },
  warmBudget: 'present',
};
const NO_CLASS: ClusterObjects = { ...WELL, priorityClass: { kind: 'missing' } };
const NO_BUDGET: ClusterObjects = { ...WELL, warmBudget: 'missing' };
const BUDGET_UNSEEN: ClusterObjects = { ...WELL, warmBudget: 'forbidden' };

/** One pool of one node, on which a placeholder stands that could be marked warm. */
function aColdScene(objects: ClusterObjects): Scene {
  const scene = aScene({ pools: [aPool('base')] });
  scene.world.objects = objects;
  scene.world.nodes = [aNode({ name: 'n1' })];
  scene.world.placeholders = [aPlaceholder({ name: 'p1', warmth: 'cold' })];
  return scene;
}

function forbidPatches(scene: Scene): void {
  scene.outside.failNext('cluster.markWarm', outsideError('cluster.markWarm', 'forbidden'), 99);
}

function looksOf(scene: Scene): readonly boolean[] {
  return scene.outside
    .callsOf('cluster.read')
    .map(({ detail }) => (detail as { withObjects: boolean }).withObjects);
}

function problemsAt(scene: Scene, level: 'warn' | 'error'): readonly unknown[] {
  return scene.log.at(level).map(({ fields }) => fields['problem']);
}

const MISSING_CLASS = expect.stringMatching(
  /^PriorityClass node-placeholder does not exist.*scripts\/render-cluster-yaml\.sh/,
) as unknown;

describe('looking at the priority class and the budget', () => {
  it.each([
    { name: 'all is well: once an hour', objects: WELL, looks: [true, false, false, false, true] },
    { name: 'no class, so nothing works: always', objects: NO_CLASS, looks: [true, true, true, true, true] },
    { name: 'no budget: every five minutes', objects: NO_BUDGET, looks: [true, false, true, true, true] },
    {
      name: 'no right to look at the budget: every five minutes',
      objects: BUDGET_UNSEEN,
      looks: [true, false, true, true, true],
    },
    {
      name: 'no right to look at the class: every five minutes',
      objects: { ...WELL, priorityClass: { kind: 'forbidden' } },
      looks: [true, false, true, true, true],
    } as const,
  ])('$name', async ({ objects, looks }) => {
    const scene = aColdScene(objects);
    for (const minute of [0, 4, 5, 30, 61]) await scene.pass(minute);
    expect(looksOf(scene)).toEqual(looks);
  });

  it('looks again when the clock that stamped the last look ran ahead', async () => {
    const scene = aColdScene(WELL);
    for (const minute of [24 * 60, 0]) await scene.pass(minute);
    expect(looksOf(scene)).toEqual([true, true]);
  });

  it.each([
    { name: 'nobody knows when they were looked at', checkedAt: undefined, objects: WELL },
    { name: 'nobody knows what was found', checkedAt: NINE, objects: undefined },
  ])('looks when $name', (seen) => {
    expect(areObjectsDue(aClusterOf([]), { ...EMPTY_STATE, ...seen }, NINE)).toBe(true);
  });

  it('does not look for a budget that nobody needs', async () => {
    const scene = aScene({ cluster: { warmFirst: false } });
    scene.world.objects = NO_BUDGET;
    for (const minute of [0, 30, 61]) await scene.pass(minute);
    expect(looksOf(scene)).toEqual([true, false, true]);
    expect(scene.log.at('warn')).toEqual([]);
  });

  it('a pass after the YAML was applied is well again', async () => {
    const scene = aColdScene(NO_CLASS);
    const codes = [(await scene.pass(0)).exitCode];
    scene.world.objects = WELL;
    codes.push((await scene.pass(1)).exitCode);
    expect(codes).toEqual([1, 0]);
    expect(problemsAt(scene, 'error')).toEqual([MISSING_CLASS]);
  });
});

describe('what is said of it', () => {
  it('says one thing of a missing class, though the Deployment says that its pods are refused, and the budget is missing too', async () => {
    const scene = aColdScene({ ...NO_CLASS, warmBudget: 'missing' });
    scene.world.put(aDeployment({ replicas: 1, replicaFailure: 'no PriorityClass was found' }));
    await scene.pass();
    expect(problemsAt(scene, 'error')).toEqual([MISSING_CLASS]);
    expect(scene.log.at('warn')).toEqual([]);
  });

  it('says in one line, once, that both rights of warm first are missing, with the rules to grant', async () => {
    const scene = aColdScene(BUDGET_UNSEEN);
    forbidPatches(scene);
    const codes: number[] = [];
    for (const minute of [0, 1, 5, 6, 70]) codes.push((await scene.pass(minute)).exitCode);
    expect(codes).toEqual([0, 0, 0, 0, 0]);
    const [problem, ...others] = problemsAt(scene, 'warn');
    expect(others).toEqual([]);
    expect(problem).toContain(
      '{apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: ["get"]} in a Role of node-placeholder',
    );
    expect(problem).toContain(
      '{apiGroups: [""], resources: ["pods"], verbs: ["patch"]} in a Role of node-placeholder',
    );
    expect(problem).toContain('scripts/render-cluster-yaml.sh --service-account EMAIL --unique-id ID');
  });

  it.each([
    { name: 'the budget is missing', objects: NO_BUDGET, words: 'node-placeholder-cold does not exist' },
    { name: 'the budget cannot be read', objects: BUDGET_UNSEEN, words: 'may not be read' },
  ])('says once that $name, also where nothing is to be marked', async ({ objects, words }) => {
    const scene = aColdScene(objects);
    scene.world.placeholders = [];
    for (const minute of [0, 1, 5, 6]) await scene.pass(minute);
    expect(problemsAt(scene, 'warn')).toEqual([expect.stringContaining(words)]);
  });

  it('remembers that patching was refused while there is nothing to patch', async () => {
    const scene = aColdScene(WELL);
    forbidPatches(scene);
    await scene.pass(0);
    const cold = scene.world.placeholders;
    scene.world.placeholders = [];
    await scene.pass(60);
    scene.world.placeholders = cold;
    await scene.pass(120);
    expect(scene.outside.callsOf('cluster.markWarm')).toHaveLength(2);
    expect(scene.log.at('warn')).toHaveLength(1);
  });

  it('marks placeholders within five minutes of being given the right, and warns anew when it is lost again', async () => {
    const scene = aColdScene(WELL);
    scene.outside.failNext('cluster.markWarm', outsideError('cluster.markWarm', 'forbidden'));
    await scene.pass(0);
    await scene.pass(5);
    expect(scene.world.placeholders.map(({ warmth }) => warmth)).toEqual(['warm']);
    scene.world.placeholders = [aPlaceholder({ name: 'p2', uid: 'other', warmth: 'cold' })];
    forbidPatches(scene);
    await scene.pass(6);
    expect(scene.log.at('warn')).toHaveLength(2);
  });

  it('remembers that patching was refused while what comes of a new try is not known', async () => {
    const scene = aColdScene(WELL);
    scene.outside.failNext('cluster.markWarm', outsideError('cluster.markWarm', 'forbidden'));
    scene.outside.failNext('cluster.markWarm', outsideError('cluster.markWarm', 'unavailable'));
    for (const minute of [0, 5]) await scene.pass(minute);
    const { reported } = await scene.store.peek('default', new AbortController().signal);
    expect(reported).toEqual(['right:patch-pods']);
    expect(scene.outside.callsOf('cluster.markWarm')).toHaveLength(2);
  });
});
