/** A pass that is told to stop ends what it is at, gives the lease back and says where it stopped. */
import { describe, expect, it } from 'vitest';
import { aDeployment, aNode, anEvent, aPlaceholder, outsideError } from '../support/fakes.ts';
import type { Method, Moment } from '../support/fakes.ts';
import { aDeadline, aPool, aScene, atFirst, MINUTE, NINE, replicas, troubles } from './scene.ts';
import type { Scene } from './scene.ts';

const STOPPED = 'warn: pass was stopped before its end: the next one goes on';
const NEVER = new AbortController().signal;

interface Stop {
  readonly at: Method;
  readonly moment?: Moment;
  readonly minute?: number;
}

/** A pass during which SIGTERM comes. */
async function passStopped(scene: Scene, { at, moment = 'before', minute = 0 }: Stop) {
  const terminated = new AbortController();
  scene.outside.gate = atFirst(at, moment, () => {
    terminated.abort(new Error('stopped by SIGTERM'));
  });
  const report = await scene.pass(minute, { deadline: aDeadline(terminated.signal) });
  scene.outside.gate = () => undefined;
  return report;
}

/** The fields of the warning of the last pass that was stopped. */
const whereStopped = (scene: Scene) => scene.log.at('warn').at(-1)?.fields;
const lastSummary = (scene: Scene) => scene.log.at('info').at(-1)?.fields;

describe('a pass that is told to stop', () => {
  it('releases the lease when it is stopped while it reads the cluster', async () => {
    const scene = aScene();
    const report = await passStopped(scene, { at: 'cluster.read' });
    expect(report).toMatchObject({ exitCode: 1, clusters: [{ outcome: 'stopped' }] });
    expect(troubles(scene)).toEqual([STOPPED]);
    expect(whereStopped(scene)).toEqual({
      cluster: 'default',
      stoppedBy: 'stopped by SIGTERM',
      before: 'the cluster was read',
      unreached: undefined,
      remedy: expect.stringMatching(
        /^nothing if it is rare; .*durationMs in the summaries: more tasks \(task_count\) share the clusters/,
      ) as string,
    });
    expect((await scene.pass(0, { owner: 'next' })).clusters[0]?.outcome).toBe('ok');
  });

  it('finishes the write in flight, leaves the rest and says where it stopped', async () => {
    const scene = aScene();
    const report = await passStopped(scene, { at: 'cluster.apply' });
    expect(report.clusters[0]).toMatchObject({
      outcome: 'stopped',
      pools: [
        { pool: 'base', applied: 'created' },
        { pool: 'workshop', applied: 'notReached' },
      ],
    });
    expect(troubles(scene)).toEqual([STOPPED]);
    expect(whereStopped(scene)).toMatchObject({
      before: 'all was read and applied',
      unreached: ['workshop'],
    });
  });

  it('begins no write once its time is up by the clock, though nobody could tell it so yet', async () => {
    const scene = aScene();
    const report = await scene.pass(0, { deadline: { ...aDeadline(NEVER), isOver: () => true } });
    expect(report.clusters[0]?.outcome).toBe('stopped');
    expect(whereStopped(scene)).toMatchObject({ stoppedBy: undefined, unreached: ['base', 'workshop'] });
    expect(scene.outside.callsOf('cluster.apply')).toEqual([]);
  });

  it('leaves a pool that left the config for the next pass, which says of it what it does', async () => {
    const scene = aScene();
    scene.world.put(aDeployment({ name: 'gone-placeholder', poolName: 'gone', replicas: 2 }));
    const report = await passStopped(scene, { at: 'cluster.apply' });
    expect(report.clusters[0]?.outcome).toBe('stopped');
    expect(scene.world.replicas('gone-placeholder')).toBe(2);
    expect(troubles(scene)).toEqual([STOPPED]);
  });

  it('was stopped when it did not come to marking placeholders warm, and forgets nothing of that right', async () => {
    const scene = aScene({ pools: [aPool('base')] });
    scene.world.nodes = [aNode({ name: 'n1' })];
    scene.world.placeholders = [aPlaceholder({ name: 'p1', warmth: 'cold' })];
    scene.outside.failNext('cluster.markWarm', outsideError('cluster.markWarm', 'forbidden'));
    await scene.pass(0);
    scene.world.remove('base-placeholder');
    const said = troubles(scene);
    const report = await passStopped(scene, { at: 'cluster.apply', minute: 60 });
    expect(report).toMatchObject({ exitCode: 1, clusters: [{ outcome: 'stopped' }] });
    expect(troubles(scene)).toEqual([...said, STOPPED]);
    const { reported } = await scene.store.peek('default', NEVER);
    expect(reported).toContain('right:patch-pods');
  });

  it('was stopped, and has not failed, also where that cannot be saved: the error says so', async () => {
    const scene = aScene();
    scene.outside.onEffect = ({ method }) => {
      const isApply = method === 'cluster.apply';
      scene.outside.failNext('state.save', outsideError('state.save', 'unavailable'), Number(isApply));
    };
    const report = await passStopped(scene, { at: 'cluster.apply' });
    expect(report).toMatchObject({ exitCode: 1, clusters: [{ outcome: 'stopped' }] });
    expect(troubles(scene)).toEqual([
      'error: outcome could not be saved: the lease expires by itself',
      STOPPED,
    ]);
  });

  it('is well when all had been done by then', async () => {
    const scene = aScene();
    await scene.pass(0);
    expect(await passStopped(scene, { at: 'state.save', minute: 1 })).toMatchObject({
      exitCode: 0,
      clusters: [{ outcome: 'ok' }],
    });
  });
});

describe('a pass that is told to stop while it reads the calendar', () => {
  /** The cluster has answered, the calendar never does. */
  const passWithoutCalendar = (scene: Scene, minute: number) => {
    scene.outside.hangNext('calendar.read');
    return passStopped(scene, { at: 'cluster.read', moment: 'after', minute });
  };
  const UNCALLED_FOR = {
    cluster: 'default',
    stoppedBy: 'stopped by SIGTERM',
    before: 'the calendar was read',
  };

  it('was stopped, and has not failed, when nothing is kept that is fresh enough', async () => {
    const scene = aScene();
    await scene.pass(0);
    const report = await passWithoutCalendar(scene, 25 * 60);
    expect(report).toMatchObject({ exitCode: 1, clusters: [{ outcome: 'stopped' }] });
    expect(troubles(scene)).toEqual([STOPPED]);
    expect(whereStopped(scene)).toMatchObject(UNCALLED_FOR);
  });

  it('was stopped also where the kept events ask for no change', async () => {
    const scene = aScene();
    await scene.pass(0);
    const report = await passWithoutCalendar(scene, 1);
    expect(report).toMatchObject({
      exitCode: 1,
      clusters: [{ outcome: 'stopped', pools: [{ applied: 'unchanged' }, { applied: 'unchanged' }] }],
    });
    expect(troubles(scene)).toEqual([STOPPED]);
    expect(whereStopped(scene)).toMatchObject({ ...UNCALLED_FOR, unreached: undefined });
    const { lastPass } = await scene.store.peek('default', NEVER);
    expect(lastPass).toMatchObject({ summary: 'stopped', exitCode: 1 });
    expect((await scene.pass(1, { owner: 'next' })).clusters[0]?.outcome).toBe('ok');
  });

  it('names the pools for which the kept events ask for a change, and leaves them', async () => {
    const scene = aScene({ events: [anEvent({ startAt: NINE + MINUTE, endAt: NINE + 60 * MINUTE })] });
    await scene.pass(0);
    await passWithoutCalendar(scene, 1);
    expect(whereStopped(scene)).toMatchObject({ ...UNCALLED_FOR, unreached: ['base'] });
    expect(replicas(scene)).toEqual({ base: 1, workshop: 1 });
  });

  it('takes it for no outage, and ends none', async () => {
    const scene = aScene();
    await scene.pass(0);
    await passWithoutCalendar(scene, 1);
    expect(lastSummary(scene)).toMatchObject({ degraded: false, degradedSince: undefined });
    scene.outside.failNext('calendar.read', outsideError('calendar.read', 'unavailable'));
    await scene.pass(2);
    await passWithoutCalendar(scene, 3);
    expect(lastSummary(scene)).toMatchObject({ degraded: true, degradedSince: '2026-03-02T09:02:00.000Z' });
    const { degradedSinceAt } = await scene.store.peek('default', NEVER);
    expect(degradedSinceAt).toBe(NINE + 2 * MINUTE);
  });
});
