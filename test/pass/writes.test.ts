/** What a pass writes and leaves alone, and with which of its saves it gives the lease back. */
import { describe, expect, it } from 'vitest';
import { aDeployment, aNode, anEvent, aPlaceholder } from '../support/fakes.ts';
import type { Call } from '../support/fakes.ts';
import { aPool, aScene } from './scene.ts';
import type { Scene } from './scene.ts';

const WRITES = ['cluster.apply', 'cluster.scaleDown', 'cluster.markWarm'];

function wordFor({ method, detail }: Call): string {
  const { name, release } = detail as { readonly name?: string; readonly release?: boolean };
  return name === undefined ? `save${'+release'.repeat(Number(release))}` : `${method} ${name}`;
}

/** Saves and writes of the pass at that minute, in order. */
async function writesOf(scene: Scene, minute: number): Promise<readonly string[]> {
  const before = scene.outside.calls.length;
  await scene.pass(minute);
  return scene.outside.calls
    .slice(before)
    .filter(({ method }) => WRITES.includes(method) || method === 'state.save')
    .map(wordFor);
}

const QUIET = ['save+release'];

describe('what a pass writes', () => {
  it('is the pool that changed, and no other', async () => {
    const scene = aScene();
    await scene.pass(0);
    scene.calendar.events = [anEvent()];
    expect(await writesOf(scene, 1)).toEqual(['save', 'cluster.apply base-placeholder', 'save+release']);
    expect(await writesOf(scene, 2)).toEqual(QUIET);
  });

  it('is a pool that left the config, where nothing else changed, and only until it is at zero', async () => {
    const scene = aScene();
    await scene.pass(0);
    scene.world.put(aDeployment({ name: 'gone-placeholder', poolName: 'gone', replicas: 2 }));
    expect(await writesOf(scene, 1)).toEqual(['save', 'cluster.scaleDown gone-placeholder', 'save+release']);
    expect(await writesOf(scene, 2)).toEqual(QUIET);
  });

  it("is never somebody else's Deployment in the same namespace", async () => {
    const scene = aScene();
    await scene.pass(0);
    scene.world.put(aDeployment({ name: 'theirs', poolName: undefined, replicas: 2 }));
    expect(await writesOf(scene, 1)).toEqual(QUIET);
    expect(scene.world.replicas('theirs')).toBe(2);
  });

  it('is never a Deployment under our name that another tool made: nothing is even begun for it', async () => {
    const scene = aScene();
    await scene.pass(0);
    scene.world.put(aDeployment({ replicas: 4, hasOurSelector: false }));
    expect(await writesOf(scene, 1)).toEqual(QUIET);
    scene.calendar.events = [anEvent({ text: 'base: 3\nworkshop: 2' })];
    const report = await scene.pass(2);
    expect(report.clusters[0]?.pools.map(({ applied }) => applied)).toEqual(['foreign', 'configured']);
    expect(scene.outside.callsOf('cluster.apply').at(-1)?.detail).toMatchObject({
      name: 'workshop-placeholder',
    });
    expect(scene.world.replicas('base-placeholder')).toBe(4);
  });

  it('is one label for each placeholder whose node turned warm, and says which at debug', async () => {
    const scene = aScene({ pools: [aPool('base')] });
    scene.world.nodes = ['n1', 'n2'].map((name) => aNode({ name }));
    scene.world.placeholders = ['1', '2'].map((index) =>
      aPlaceholder({ name: `p${index}`, nodeName: `n${index}`, warmth: 'cold' }),
    );
    scene.world.put(aDeployment({ replicas: 2 }));
    expect(await writesOf(scene, 0)).toEqual([
      'save',
      'cluster.apply base-placeholder',
      'cluster.markWarm p1',
      'cluster.markWarm p2',
      'save+release',
    ]);
    const marked = scene.log.lines.filter(({ message }) => message === 'placeholder marked warm');
    const line = { cluster: 'default', reason: 'nodeIsWarm', outcome: 'labelled' };
    expect(marked.map(({ level, fields }) => [level, fields])).toEqual([
      ['debug', { ...line, pod: 'p1', node: 'n1' }],
      ['debug', { ...line, pod: 'p2', node: 'n2' }],
    ]);
  });
});
