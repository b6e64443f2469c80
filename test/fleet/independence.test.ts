import { describe, expect, it } from 'vitest';
import { anEvent, outsideError } from '../support/fakes.ts';
import { NINE } from '../pass/scene.ts';
import { clusterNames, FleetScene } from './fleet-scene.ts';

const CLUSTERS = clusterNames(4);
const NEVER = new AbortController().signal;

function outcomesOf([report]: Awaited<ReturnType<FleetScene['execute']>>): readonly string[] {
  return report!.clusters.map(({ cluster, outcome }) => `${cluster} ${outcome}`);
}

describe('one cluster of a fleet', () => {
  it('that cannot be read is left as it is, fails the pass, and takes nothing from the others', async () => {
    const scene = new FleetScene({ clusters: CLUSTERS, events: [anEvent({ text: 'base: 3' })] });
    scene.outside('hub-1').failNext('cluster.read', outsideError('cluster.read', 'unavailable'));
    const reports = await scene.execute(1);
    expect(outcomesOf(reports)).toEqual(['hub-0 ok', 'hub-1 failed', 'hub-2 ok', 'hub-3 ok']);
    expect(reports[0]?.exitCode).toBe(1);
    expect(CLUSTERS.map((name) => scene.replicas(name))).toEqual([3, undefined, 3, 3]);
  });

  it('whose apply is refused fails alone', async () => {
    const scene = new FleetScene({ clusters: CLUSTERS });
    scene.outside('hub-2').failNext('cluster.apply', outsideError('cluster.apply', 'forbidden'));
    expect(outcomesOf(await scene.execute(1))).toEqual(['hub-0 ok', 'hub-1 ok', 'hub-2 failed', 'hub-3 ok']);
  });

  it('that another pass holds is passed over, and the pass succeeds', async () => {
    const scene = new FleetScene({ clusters: CLUSTERS });
    await scene.store.acquire('hub-3', { owner: 'another pass', now: NINE, leaseSeconds: 58 }, NEVER);
    const reports = await scene.execute(1);
    expect(outcomesOf(reports)).toEqual(['hub-0 ok', 'hub-1 ok', 'hub-2 ok', 'hub-3 held']);
    expect(reports[0]?.exitCode).toBe(0);
    expect(scene.replicas('hub-3')).toBe(undefined);
  });

  it('is spoken to by its name, and by plain names with all others', async () => {
    const events = [anEvent({ text: 'base: 3\nhub-2/base: 5' })];
    const scene = new FleetScene({ clusters: CLUSTERS, events });
    await scene.execute(2);
    expect(CLUSTERS.map((name) => scene.replicas(name))).toEqual([3, 3, 5, 3]);
  });
});

describe('maxReplicasTotal', () => {
  it('is kept by tasks that see only their own clusters, and the cut is said', async () => {
    const scene = new FleetScene({
      clusters: CLUSTERS,
      events: [anEvent({ text: 'base: 9' })],
      maxReplicasTotal: 14,
    });
    await scene.execute(3);
    // Baselines first, 1 each; the 10 that are left in proportion, the odd ones in config order.
    expect(CLUSTERS.map((name) => scene.replicas(name))).toEqual([4, 4, 3, 3]);
    const cuts = scene.log
      .at('warn')
      .filter(({ message }) => message === 'events ask for more than several pools may hold');
    expect(cuts.map(({ fields }) => [fields['cluster'], fields['asked'], fields['allowed']]).sort()).toEqual(
      CLUSTERS.map((name) => [name, 36, 14]),
    );
  });
});

describe('calendarMaxReplicas', () => {
  it('is kept by tasks that see only their own clusters, each of which reads no calendar but theirs', async () => {
    const calendars: Readonly<Record<string, string>> = {
      'hub-0': 'term',
      'hub-1': 'lab',
      'hub-2': 'term',
      'hub-3': 'term',
    };
    const scene = new FleetScene({
      clusters: CLUSTERS,
      events: [anEvent({ text: 'base: 9' })],
      calendarOf: (cluster) => calendars[cluster] ?? '',
      calendarMaxReplicas: { term: 10, lab: 5 },
    });
    await scene.execute(2);
    // Three of `term` share the seven beyond their baselines; `lab` has its five to itself.
    expect(CLUSTERS.map((name) => scene.replicas(name))).toEqual([4, 5, 3, 3]);
    expect(scene.calendarReads.sort()).toEqual(['task 0: term', 'task 1: lab', 'task 1: term']);
    const cuts = scene.log
      .at('warn')
      .filter(({ message }) => message === 'events ask for more than several pools may hold');
    const shared = ['hub-0/base 4 of 9', 'hub-2/base 3 of 9', 'hub-3/base 3 of 9'];
    expect(cuts.map(({ fields }) => [fields['cluster'], fields['asked'], fields['shared']]).sort()).toEqual([
      ['hub-0', 27, shared],
      ['hub-1', 9, ['hub-1/base 5 of 9']],
      ['hub-2', 27, shared],
      ['hub-3', 27, shared],
    ]);
  });
});

describe('the summary of a fleet', () => {
  it('follows those of its clusters and gives their sum', async () => {
    const scene = new FleetScene({ clusters: CLUSTERS, events: [anEvent({ text: 'base: 3' })] });
    scene.outside('hub-1').failNext('cluster.read', outsideError('cluster.read', 'unavailable'));
    await scene.execute(1);
    const events = scene.log.at('info').map(({ fields }) => fields['event']);
    expect(events.filter((event) => event === 'pass_summary')).toHaveLength(4);
    const last = scene.log.at('info').at(-1);
    expect(last).toMatchObject({ message: 'fleet summary' });
    expect(last?.fields).toMatchObject({
      event: 'fleet_summary',
      clusters: 4,
      outcomes: { ok: 3, failed: 1 },
      notOk: ['hub-1'],
      pools: 3,
      wanted: 9,
      requests: { list: 9, apply: 3 },
      task: undefined,
    });
  });

  it('says which task it is of, and is not there for one cluster', async () => {
    const fleet = new FleetScene({ clusters: CLUSTERS });
    await fleet.execute(2);
    const single = new FleetScene({ clusters: ['default'] });
    await single.execute(1);
    const tasksOf = ({ log }: FleetScene) =>
      log.lines.filter(({ message }) => message === 'fleet summary').map(({ fields }) => fields['task']);
    expect(tasksOf(fleet).sort()).toEqual(['1 of 2', '2 of 2']);
    expect(tasksOf(single)).toEqual([]);
  });
});
