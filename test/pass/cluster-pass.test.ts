/** What a pass keeps for the next one, and what it does without when it has no history, no lease or no place for either. */
import { describe, expect, it } from 'vitest';
import { runClusterPass } from '../../functions/pass/cluster-pass.ts';
import {
  aDeployment,
  aNode,
  anEvent,
  aPlaceholder,
  aUsage,
  CapturedLog,
  outsideError,
} from '../support/fakes.ts';
import type { Method } from '../support/fakes.ts';
import { aJob, aPool, aScene, MINUTE, NINE, replicas, troubles } from './scene.ts';
import type { Scene } from './scene.ts';

const NEVER = new AbortController().signal;
const kept = (scene: Scene) => scene.store.peek('default', NEVER);
const fail = (scene: Scene, method: Method, times = 1) => {
  scene.outside.failNext(method, outsideError(method, 'unavailable'), times);
};

describe('the events that a pass keeps', () => {
  it('are those of its own reading, also in a pass that has nothing to write', async () => {
    const scene = aScene();
    await scene.pass(0);
    await scene.pass(60);
    expect((await kept(scene)).keptEvents).toMatchObject({
      readAt: NINE + 60 * MINUTE,
      source: 'term@example.edu',
      timeZone: 'UTC',
    });
  });

  it('are kept by a pass that could not read the cluster', async () => {
    const scene = aScene({ events: [anEvent({ endAt: NINE + 60 * MINUTE })] });
    fail(scene, 'cluster.read');
    await scene.pass(0);
    fail(scene, 'calendar.read');
    expect((await scene.pass(1)).exitCode).toBe(0);
    expect(replicas(scene)).toEqual({ base: 3, workshop: 1 });
  });

  it('are those of the last good reading while the calendar cannot be read', async () => {
    const scene = aScene();
    await scene.pass(0);
    fail(scene, 'calendar.read');
    await scene.pass(60);
    expect((await kept(scene)).keptEvents).toMatchObject({ readAt: NINE });
  });
});

describe('an outage of the calendar', () => {
  it('is degraded from when it began, also where no events stand in for it, until the calendar is read', async () => {
    const scene = aScene();
    fail(scene, 'calendar.read', 2);
    for (const minute of [3, 4, 5]) await scene.pass(minute);
    const summaries = scene.log.lines.filter(({ fields }) => fields['event'] === 'pass_summary');
    expect(summaries.map(({ fields }) => [fields['degraded'], fields['degradedSince']])).toEqual([
      [true, '2026-03-02T09:03:00.000Z'],
      [true, '2026-03-02T09:03:00.000Z'],
      [false, undefined],
    ]);
  });
});

describe('how a pass ended', () => {
  it('is kept by the one save of a pass that writes nothing: well, or with an error of a pool', async () => {
    const scene = aScene();
    await scene.pass(0);
    await scene.pass(1);
    expect((await kept(scene)).lastPass).toMatchObject({ summary: 'ok', exitCode: 0 });
    scene.world.put(aDeployment({ hasOurSelector: false }));
    await scene.pass(2);
    expect((await kept(scene)).lastPass).toMatchObject({ summary: 'failed', exitCode: 1 });
  });

  it('gives the requests of a cluster whose lists were not believed', async () => {
    const scene = aScene();
    scene.world.nodes = [aNode({ name: 'n1' })];
    scene.world.usage = new Map([['n1', aUsage({ podCount: 40 })]]);
    await scene.pass(0);
    scene.world.usage = new Map();
    const report = await scene.pass(1);
    expect(report.clusters).toMatchObject([{ outcome: 'failed', requests: { list: 3 }, pools: [] }]);
  });

  it('gives no requests of a cluster that could not be opened', async () => {
    const log = new CapturedLog();
    const error = outsideError('cluster.read', 'forbidden');
    const report = await runClusterPass(aJob({ log, openCluster: () => Promise.reject(error) }));
    expect(report).toMatchObject({ outcome: 'failed', exitCode: 1, requests: {}, findings: 0, pools: [] });
    expect(log.at('error').map(({ message }) => message)).toEqual([
      'cluster could not be read: it is left as it is',
    ]);
  });

  it('is told with the cluster that was not read, where it cannot be saved either', async () => {
    const scene = aScene();
    fail(scene, 'cluster.read');
    fail(scene, 'state.save');
    await scene.pass();
    expect(troubles(scene)).toEqual([
      'error: cluster could not be read: it is left as it is',
      'error: outcome could not be saved: the lease expires by itself',
    ]);
  });

  it('is not told again where that the state cannot be written was said before', async () => {
    const scene = aScene();
    fail(scene, 'state.save', 2);
    await scene.pass();
    expect(troubles(scene)).toEqual(['error: state could not be written: no count is lowered in this pass']);
  });
});

const WITHOUT = [
  { method: 'state.acquire', floor: 'the state cannot be read' },
  { method: 'state.save', floor: 'the state cannot be written' },
] as const;

describe.each(WITHOUT)('a pass for which $method fails', ({ method, floor }) => {
  it('says of a count that it holds why', async () => {
    const scene = aScene({ pools: [aPool('base')] });
    scene.world.put(aDeployment({ replicas: 5 }));
    fail(scene, method);
    const report = await scene.pass();
    expect(report.clusters[0]?.pools).toMatchObject([
      { wanted: 5, live: 5, target: 1, rule: 'held', reason: `5 = replicas 1, held at the live 5: ${floor}` },
    ]);
  });

  it('marks no placeholder warm', async () => {
    const scene = aScene({ pools: [aPool('base')] });
    scene.world.nodes = [aNode({ name: 'n1' })];
    scene.world.placeholders = [aPlaceholder({ name: 'p1', warmth: 'cold' })];
    fail(scene, method);
    await scene.pass();
    expect(scene.outside.callsOf('cluster.markWarm')).toEqual([]);
  });
});

describe('a pass that does not know what was said before', () => {
  it('says nothing that is said once: it may have been', async () => {
    const scene = aScene({
      events: [anEvent({ text: 'base: 3\nbse: 4' })],
      notices: ['`image` has no effect'],
    });
    fail(scene, 'state.acquire');
    await scene.pass();
    expect(troubles(scene)).toEqual(['error: state could not be read: no count is lowered in this pass']);
    expect(scene.log.lines.filter(({ message }) => message === 'config notice')).toEqual([]);
  });
});

describe('a dry run', () => {
  it('marks no placeholder warm', async () => {
    const scene = aScene({ pools: [aPool('base')] });
    scene.world.nodes = [aNode({ name: 'n1' })];
    scene.world.placeholders = [aPlaceholder({ name: 'p1', warmth: 'cold' })];
    await scene.pass(0, { isDryRun: true });
    expect(scene.outside.callsOf('cluster.markWarm')).toEqual([]);
  });
});
