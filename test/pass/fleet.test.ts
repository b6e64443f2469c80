/** One pass over all clusters of a config: who takes which, who waits for whom, and how long each took. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CLUSTER_SECONDS } from '../../functions/pass/deadline.ts';
import { clusterNames, FleetScene } from '../fleet/fleet-scene.ts';
import type { CapturedLog } from '../support/fakes.ts';
import { aScene, atFirst } from './scene.ts';

const linesOf = (log: CapturedLog, message: string) => log.lines.filter((line) => line.message === message);

describe('a pass over a fleet', () => {
  it('leaves each task every so many-th cluster, in the order of the config', async () => {
    const scene = new FleetScene({ clusters: clusterNames(7) });
    const reports = await scene.execute(3);
    expect(reports.map(({ clusters }) => clusters.map(({ cluster }) => cluster))).toEqual([
      ['hub-0', 'hub-3', 'hub-6'],
      ['hub-1', 'hub-4'],
      ['hub-2', 'hub-5'],
    ]);
  });

  it.each([1, 2, 3, 4, 6, 7, 8, 11])('serves each of seven clusters once by %d tasks', async (tasks) => {
    const scene = new FleetScene({ clusters: clusterNames(7) });
    const reports = await scene.execute(tasks);
    const served = reports.flatMap(({ clusters }) => clusters.map(({ cluster }) => cluster));
    expect(served.toSorted()).toEqual(clusterNames(7));
  });

  it('says by the first cluster, and no other, what the config is worth saying about', async () => {
    const scene = new FleetScene({ clusters: clusterNames(3), notices: ['`replicaCount` has no effect'] });
    await scene.execute(2);
    expect(linesOf(scene.log, 'config notice').map(({ fields }) => fields['cluster'])).toEqual(['hub-0']);
  });

  it('fails when one cluster does, whichever, and says of each line which cluster it is of', async () => {
    const scene = new FleetScene({ clusters: clusterNames(3) });
    const fault: Error = new TypeError('x is not a function');
    scene.outside('hub-1').failNext('cluster.apply', fault);
    const [report] = await scene.execute(1);
    expect(report?.exitCode).toBe(1);
    expect(report?.clusters.map(({ outcome }) => outcome)).toEqual(['ok', 'failed', 'ok']);
    expect(scene.log.at('error').map(({ fields }) => fields)).toMatchObject([
      { cluster: 'hub-1', written: [], brokenOff: 'deployment/base-placeholder', error: fault },
    ]);
    const summed = linesOf(scene.log, 'pass summary').map(({ fields }) => fields['cluster']);
    expect(summed.toSorted()).toEqual(clusterNames(3));
  });

  it('is summed up where the config has more than one cluster, though this task has one', async () => {
    const scene = new FleetScene({ clusters: clusterNames(2) });
    await scene.execute(2);
    expect(linesOf(scene.log, 'fleet summary').map(({ fields }) => fields)).toMatchObject([
      { clusters: 1, task: '1 of 2', outcomes: { ok: 1 } },
      { clusters: 1, task: '2 of 2', outcomes: { ok: 1 } },
    ]);
  });
});

describe('the time of a pass', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is told in the summary, from its start to its end, in milliseconds', async () => {
    const scene = aScene();
    vi.advanceTimersByTime(5000);
    scene.outside.gate = atFirst('cluster.read', 'before', () => {
      vi.advanceTimersByTime(1234);
    });
    await scene.pass();
    expect(linesOf(scene.log, 'pass summary').map(({ fields }) => fields['durationMs'])).toEqual([1234]);
  });

  it('is told of a fleet from the first to the last', async () => {
    const scene = new FleetScene({ clusters: clusterNames(2) });
    vi.advanceTimersByTime(5000);
    for (const name of clusterNames(2)) {
      scene.outside(name).gate = atFirst('cluster.read', 'before', () => {
        vi.advanceTimersByTime(100);
      });
    }
    await scene.execute(1);
    expect(linesOf(scene.log, 'fleet summary').map(({ fields }) => fields['durationMs'])).toEqual([200]);
  });

  it('is not that of a cluster which does not answer: after three seconds the next one has its turn', async () => {
    const names = clusterNames(17);
    const scene = new FleetScene({ clusters: names });
    for (const name of names.slice(0, 16)) scene.outside(name).hangNext('cluster.read');
    void scene.execute(1);
    await vi.advanceTimersByTimeAsync(2999);
    expect(scene.opened).toEqual(names.slice(0, 16));
    await vi.advanceTimersByTimeAsync(1);
    expect(scene.opened).toEqual(names);
    expect(scene.replicas('hub-16')).toBe(1);
  });

  it('is bounded for each cluster of a fleet; one alone has all of it', async () => {
    const fleet = new FleetScene({ clusters: clusterNames(2) });
    fleet.outside('hub-0').hangNext('cluster.read');
    const [both] = await Promise.all([fleet.execute(1), vi.advanceTimersByTimeAsync(CLUSTER_SECONDS * 1000)]);
    expect(both[0]?.clusters.map(({ outcome }) => outcome)).toEqual(['stopped', 'ok']);
    expect(linesOf(fleet.log, 'pass was stopped before its end: the next one goes on')).toMatchObject([
      { fields: { cluster: 'hub-0', stoppedBy: 'the cluster has come to its own deadline' } },
    ]);

    const single = aScene();
    single.outside.hangNext('cluster.read');
    const ended: string[] = [];
    void single.pass().then(() => ended.push('single'));
    await vi.advanceTimersByTimeAsync(2 * CLUSTER_SECONDS * 1000);
    expect(ended).toEqual([]);
  });
});
