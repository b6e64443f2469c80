import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterNames, FleetScene } from './fleet-scene.ts';

const fleets = { clusters: fc.integer({ min: 1, max: 40 }), tasks: fc.integer({ min: 1, max: 50 }) };

describe('the tasks of one execution', () => {
  it('serve every cluster exactly once, whatever their number', async () => {
    await fc.assert(
      fc.asyncProperty(fleets.clusters, fleets.tasks, async (clusters, tasks) => {
        const names = clusterNames(clusters);
        const scene = new FleetScene({ clusters: names });
        const reports = await scene.execute(tasks);
        expect([...scene.opened].sort()).toEqual([...names].sort());
        expect(reports.flatMap((report) => report.clusters.map(({ cluster }) => cluster)).sort()).toEqual(
          [...names].sort(),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('take the same clusters each time', async () => {
    const scene = new FleetScene({ clusters: clusterNames(9) });
    const sharesOf = async () =>
      (await scene.execute(4)).map(({ clusters }) => clusters.map(({ cluster }) => cluster));
    const first = await sharesOf();
    expect(first).toEqual([
      ['hub-0', 'hub-4', 'hub-8'],
      ['hub-1', 'hub-5'],
      ['hub-2', 'hub-6'],
      ['hub-3', 'hub-7'],
    ]);
    expect(await sharesOf()).toEqual(first);
  });

  it('share the clusters evenly: none has more than one more than another', async () => {
    await fc.assert(
      fc.asyncProperty(fleets.clusters, fleets.tasks, async (clusters, tasks) => {
        const scene = new FleetScene({ clusters: clusterNames(clusters) });
        const sizes = (await scene.execute(tasks)).map((report) => report.clusters.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 40 },
    );
  });

  it('have nothing to do and say so by success where there are more tasks than clusters', async () => {
    const scene = new FleetScene({ clusters: clusterNames(2) });
    expect((await scene.execute(3))[2]).toEqual({ exitCode: 0, clusters: [] });
  });
});

describe('a calendar', () => {
  it('is read once by each task, however many clusters share it', async () => {
    const scene = new FleetScene({ clusters: clusterNames(20) });
    await scene.execute(3);
    expect(scene.calendarReads.sort()).toEqual(['task 0: term', 'task 1: term', 'task 2: term']);
  });

  it('is read only by tasks that have a cluster of it', async () => {
    const calendarOf = (cluster: string) => `${cluster}'s own`;
    const scene = new FleetScene({ clusters: clusterNames(2), calendarOf });
    await scene.execute(2);
    expect(scene.calendarReads.sort()).toEqual(["task 0: hub-0's own", "task 1: hub-1's own"]);
  });
});
