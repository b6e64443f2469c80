/** A fault of the program ends the pass over one cluster, and the line about it says what had been written by then. */
import { describe, expect, it } from 'vitest';
import { aDeployment, aNode, aPlaceholder, outsideError } from '../support/fakes.ts';
import type { Method } from '../support/fakes.ts';
import { aPool, aScene, atFirst, troubles } from './scene.ts';
import type { Scene } from './scene.ts';

const FAULT: Error = new TypeError('x is not a function');
const REMEDY = 'report this with the line above it: it is a fault of the program';
const LEFT = 'error: pass over this cluster ended early: it is left as it is';
const BEGUN = 'error: pass over this cluster ended early: what it wrote before stands';
const PHASES: readonly Method[] = ['state.acquire', 'calendar.read', 'cluster.read', 'state.save'];

/** Three pools, one that left the config, and a placeholder that is to be marked warm. */
function aBusyScene(): Scene {
  const scene = aScene({ pools: ['base', 'gpu', 'workshop'].map((name) => aPool(name)) });
  scene.world.put(aDeployment({ name: 'gone-placeholder', poolName: 'gone', replicas: 2 }));
  scene.world.nodes = [aNode({ name: 'n1' })];
  scene.world.placeholders = [aPlaceholder({ name: 'p1', warmth: 'cold' })];
  return scene;
}

/** The fields of the one line. */
const told = ({ log }: Scene) => log.at('error').map(({ fields }) => fields);

describe('a fault of the program', () => {
  it.each(PHASES)('before anything was written (%s) leaves the cluster as it is', async (method) => {
    const scene = aBusyScene();
    scene.outside.failNext(method, FAULT);
    const report = await scene.pass();
    expect(report).toMatchObject({
      exitCode: 1,
      clusters: [
        { cluster: 'default', outcome: 'failed', exitCode: 1, findings: 0, pools: [], requests: {} },
      ],
    });
    expect(troubles(scene)).toEqual([LEFT]);
    expect(told(scene)).toEqual([{ cluster: 'default', error: FAULT, remedy: REMEDY }]);
  });

  it('names what was written before it, what it broke off, and what was not come to', async () => {
    const scene = aBusyScene();
    scene.outside.gate = atFirst('cluster.apply', 'after', () => {
      scene.outside.failNext('cluster.apply', FAULT);
    });
    const report = await scene.pass();
    expect(report).toMatchObject({ exitCode: 1, clusters: [{ outcome: 'failed' }] });
    expect(troubles(scene)).toEqual([BEGUN]);
    expect(told(scene)).toEqual([
      {
        cluster: 'default',
        written: ['deployment/base-placeholder'],
        brokenOff: 'deployment/gpu-placeholder',
        notWritten: ['deployment/workshop-placeholder'],
        error: FAULT,
        remedy: REMEDY,
      },
    ]);
  });

  it('in the first write does not say that the cluster is left as it is: nobody knows', async () => {
    const scene = aBusyScene();
    scene.outside.failNext('cluster.apply', FAULT);
    await scene.pass();
    expect(troubles(scene)).toEqual([BEGUN]);
    expect(told(scene)).toMatchObject([{ written: [], brokenOff: 'deployment/base-placeholder' }]);
  });

  it('after all was applied names all of it: Deployments, one that left the config, and marked pods', async () => {
    const scene = aBusyScene();
    scene.outside.failNext('cluster.close', FAULT);
    await scene.pass();
    expect(troubles(scene).at(-1)).toBe(BEGUN);
    expect(told(scene)).toMatchObject([
      {
        written: [
          'deployment/base-placeholder',
          'deployment/gpu-placeholder',
          'deployment/workshop-placeholder',
          'deployment/gone-placeholder',
          'pod/p1',
        ],
        brokenOff: undefined,
        notWritten: [],
      },
    ]);
  });

  it('counts a write that was refused neither as written nor as broken off', async () => {
    const scene = aScene();
    scene.outside.gate = atFirst('cluster.apply', 'after', () => {
      scene.outside.failNext('cluster.apply', outsideError('cluster.apply', 'forbidden'));
    });
    scene.outside.failNext('cluster.close', FAULT);
    await scene.pass();
    const [refused, ended] = told(scene);
    expect(refused).toMatchObject({ pool: 'workshop', applied: 'failed' });
    expect(ended).toMatchObject({
      written: ['deployment/base-placeholder'],
      brokenOff: undefined,
      notWritten: ['deployment/workshop-placeholder'],
    });
  });

  it('passes on the remedy of an error that has one', async () => {
    const scene = aScene();
    await scene.pass(0);
    scene.outside.failNext('cluster.close', outsideError('cluster.close', 'unavailable'));
    await scene.pass(1);
    expect(troubles(scene)).toEqual([LEFT]);
    expect(told(scene)).toMatchObject([{ remedy: 'mend the cluster' }]);
  });

  it('at one pass leaves the next one able to go on once the lease has run out', async () => {
    const scene = aBusyScene();
    scene.outside.failNext('cluster.apply', FAULT);
    await scene.pass(0);
    expect((await scene.pass(0, { owner: 'too early' })).clusters[0]?.outcome).toBe('held');
    expect((await scene.pass(1)).clusters[0]?.outcome).toBe('ok');
  });
});
