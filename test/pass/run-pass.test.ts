import { describe, expect, it } from 'vitest';
import type { PassReport } from '../../functions/pass/run-pass.ts';
import { aDeployment, anEvent, aNode, aPlaceholder, aUsage, outsideError } from '../support/fakes.ts';
import type { Method } from '../support/fakes.ts';
import { aPool, aScene, atFirst, MINUTE, NINE, replicas, troubles } from './scene.ts';
import type { Scene } from './scene.ts';

const written = (scene: Scene) =>
  scene.outside.calls.filter(({ method }) => /apply|scaleDown|markWarm/.test(method)).length;
describe('a pass over a healthy cluster', () => {
  it('creates every Deployment with what the events and the baselines ask', async () => {
    const scene = aScene({ events: [anEvent({ text: 'base: 3' })] });
    const report = await scene.pass();
    expect(replicas(scene)).toEqual({ base: 3, workshop: 1 });
    expect(report).toMatchObject({ exitCode: 0, clusters: [{ outcome: 'ok' }] });
    expect(troubles(scene)).toEqual([]);
  });

  it('writes nothing when nothing changed, in two transactions', async () => {
    const scene = aScene();
    await scene.pass(0);
    const before = scene.outside.calls.length;
    const report = await scene.pass(1);
    const methods = scene.outside.calls.slice(before).map(({ method }) => method);
    expect(methods.toSorted()).toEqual(
      ['state.acquire', 'calendar.read', 'cluster.read', 'state.save', 'cluster.close'].toSorted(),
    );
    expect(report.clusters[0]?.pools.map(({ applied }) => applied)).toEqual(['unchanged', 'unchanged']);
  });

  it('follows an event up when it starts and down when it ends', async () => {
    const scene = aScene({ events: [anEvent({ startAt: NINE + MINUTE, endAt: NINE + 3 * MINUTE })] });
    const counts: (number | undefined)[] = [];
    for (const minute of [0, 1, 2, 3]) {
      await scene.pass(minute);
      counts.push(replicas(scene).base);
    }
    expect(counts).toEqual([1, 3, 3, 1]);
  });

  it('counts a node as warm only after it was watched for the grace period', async () => {
    const scene = aScene({ events: [anEvent({ endAt: NINE + 60 * MINUTE, text: 'base: 3' })] });
    scene.world.nodes = [aNode({ name: 'n1' })];
    const counts: (number | undefined)[] = [];
    for (const minute of [0, 5, 9, 10, 11]) {
      await scene.pass(minute);
      counts.push(replicas(scene).base);
    }
    expect(counts).toEqual([3, 3, 3, 2, 2]);
  });

  it('holds while a placeholder is Pending', async () => {
    const scene = aScene({ events: [anEvent({ endAt: NINE + 60 * MINUTE })] });
    scene.world.nodes = [aNode({ name: 'n1' })];
    for (const minute of [0, 5, 10]) await scene.pass(minute);
    scene.world.placeholders = [aPlaceholder({ name: 'p1', phase: 'Pending', nodeName: undefined })];
    await scene.pass(11);
    expect(replicas(scene).base).toBe(3);
    expect(scene.log.lines.findLast(({ fields }) => fields['pool'] === 'base')?.fields['rule']).toBe(
      'pending',
    );
  });

  it('keeps the count while spares find no node, and says once what the scheduler says', async () => {
    const scene = aScene({
      pools: [aPool('base')],
      events: [anEvent({ text: 'base: 5', endAt: NINE + 120 * MINUTE })],
    });
    const message = '0/3 nodes are available: 3 Insufficient memory.';
    const waiting = {
      phase: 'Pending',
      nodeName: undefined,
      createdAt: NINE,
      warmth: 'cold',
      pendingMessage: message,
    } as const;
    scene.world.nodes = ['n1', 'n2', 'n3'].map((name) => aNode({ name }));
    scene.world.placeholders = [
      ...['n1', 'n2', 'n3'].map((nodeName) => aPlaceholder({ name: `on-${nodeName}`, nodeName })),
      ...['p4', 'p5'].map((name) => aPlaceholder({ name, ...waiting })),
    ];
    const counts: (number | undefined)[] = [];
    for (let minute = 0; minute <= 40; minute += 1) {
      await scene.pass(minute);
      counts.push(replicas(scene).base);
    }
    expect(new Set(counts)).toEqual(new Set([5]));
    expect(scene.outside.callsOf('cluster.apply')).toHaveLength(1);
    expect(scene.log.at('warn').map(({ fields }) => fields['problem'])).toEqual([
      expect.stringContaining(`the scheduler says: ${message}`),
    ]);
  });

  it('bounds what an event asks and names the event, once', async () => {
    const scene = aScene({
      pools: [aPool('base', { maxReplicas: 10 }), aPool('workshop')],
      events: [anEvent({ title: 'Typo lecture', text: 'base: 300' })],
    });
    await scene.pass(0);
    await scene.pass(1);
    expect(replicas(scene).base).toBe(10);
    const warnings = scene.log.at('warn').map(({ fields }) => String(fields['problem']));
    expect(warnings).toEqual([expect.stringContaining("event 'Typo lecture' (base: 300)")]);
  });

  it('shares out what events ask beyond maxReplicasTotal and says so once', async () => {
    const scene = aScene({ events: [anEvent({ text: 'base: 9\nworkshop: 5' })], maxReplicasTotal: 8 });
    await scene.pass(0);
    await scene.pass(1);
    expect(replicas(scene)).toEqual({ base: 5, workshop: 3 });
    expect(troubles(scene)).toEqual(['warn: events ask for more than several pools may hold']);
  });

  it('marks a placeholder on a warm node warm, one patch', async () => {
    const scene = aScene();
    scene.world.nodes = [aNode({ name: 'n1' })];
    scene.world.placeholders = [aPlaceholder({ name: 'p1', warmth: 'cold' })];
    await scene.pass(0);
    await scene.pass(1);
    expect(scene.outside.callsOf('cluster.markWarm').map(({ detail }) => detail)).toEqual([{ name: 'p1' }]);
  });

  it('reads the PriorityClass on the first pass and then once an hour', async () => {
    const scene = aScene();
    for (const minute of [0, 1, 59, 60, 61]) await scene.pass(minute);
    const asked = scene.outside.callsOf('cluster.read').map(({ detail }) => detail);
    expect(asked.map((query) => (query as { withObjects: boolean }).withObjects)).toEqual([
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  it('reports a flawed entry once, and again when it changes', async () => {
    const scene = aScene({ events: [anEvent({ text: 'bse: 3', endAt: NINE + 60 * MINUTE })] });
    await scene.pass(0);
    await scene.pass(1);
    scene.calendar.events = [anEvent({ text: 'bsae: 3', endAt: NINE + 60 * MINUTE })];
    await scene.pass(2);
    const texts = scene.log.at('warn').map(({ fields }) => String(fields['problem']));
    expect(texts).toEqual([
      expect.stringContaining('did you mean `base`?'),
      expect.stringContaining('did you mean `base`?'),
    ]);
  });

  it('scales a Deployment of ours to zero when its pool left the config, and says so', async () => {
    const scene = aScene();
    scene.world.put(aDeployment({ name: 'gone-placeholder', poolName: 'gone', replicas: 2 }));
    const report = await scene.pass();
    expect(scene.world.replicas('gone-placeholder')).toBe(0);
    expect(report.exitCode).toBe(0);
    expect(troubles(scene)).toEqual(['warn: pool left the config: its placeholders are scaled to zero']);
  });

  it('does not say that a pool which left is scaled to zero when it may not be in this pass', async () => {
    const scene = aScene();
    scene.world.put(aDeployment({ name: 'gone-placeholder', poolName: 'gone', replicas: 2 }));
    scene.outside.failNext('state.acquire', outsideError('state.acquire', 'unavailable'));
    await scene.pass();
    expect(scene.world.replicas('gone-placeholder')).toBe(2);
    expect(troubles(scene)).toEqual(['error: state could not be read: no count is lowered in this pass']);
  });

  it('says what it would do and does nothing in a dry run', async () => {
    const scene = aScene({ events: [anEvent()] });
    const report = await scene.pass(0, { isDryRun: true });
    expect(written(scene)).toBe(0);
    expect(scene.outside.callsOf('state.acquire')).toEqual([]);
    expect(scene.outside.callsOf('state.save')).toEqual([]);
    expect(report.clusters[0]?.pools.map(({ wanted, applied }) => [wanted, applied])).toEqual([
      [3, 'wouldApply'],
      [1, 'wouldApply'],
    ]);
  });

  it('says in a dry run also what passes before it said already', async () => {
    const scene = aScene({ events: [anEvent({ text: 'base: 30\nbse: 3' })] });
    await scene.pass(0);
    const before = scene.log.lines.length;
    await scene.pass(1, { isDryRun: true });
    const said = scene.log.lines.slice(before).filter(({ level }) => level === 'warn');
    expect(said.map(({ message }) => message)).toEqual(['calendar entry needs a look', 'pool needs a look']);
  });

  it('does not say in a dry run that it scaled a pool which left to zero', async () => {
    const scene = aScene();
    scene.world.put(aDeployment({ name: 'gone-placeholder', poolName: 'gone', replicas: 2 }));
    await scene.pass(0, { isDryRun: true });
    expect(scene.world.replicas('gone-placeholder')).toBe(2);
    expect(troubles(scene)).toEqual(['warn: pool left the config: its placeholders would be scaled to zero']);
  });
});

interface Save {
  readonly lease: { readonly owner: string };
  readonly release: boolean;
}

/** Runs a pass at nine and holds back its first such save until one of two minutes later has ended. */
async function overtake(scene: Scene, isHeld: (save: Save) => boolean): Promise<PassReport> {
  const gate = Promise.withResolvers<undefined>();
  const reached = Promise.withResolvers<undefined>();
  scene.outside.gate = async ({ method, detail }, moment) => {
    if (method !== 'state.save' || moment !== 'before') return;
    const save = detail as Save;
    if (save.lease.owner !== 'pass-0' || !isHeld(save)) return;
    reached.resolve(undefined);
    await gate.promise;
  };
  const slow = scene.pass(0);
  await reached.promise;
  await scene.pass(2);
  gate.resolve(undefined);
  return slow;
}

describe('a pass that meets another', () => {
  it('stops at once when another pass holds the lease, with exit code 0', async () => {
    const scene = aScene();
    await scene.store.acquire(
      'default',
      { owner: 'other', now: NINE, leaseSeconds: 58 },
      new AbortController().signal,
    );
    const report = await scene.pass(0);
    expect(report).toMatchObject({ exitCode: 0, clusters: [{ outcome: 'held' }] });
    expect(scene.outside.calls.map(({ method }) => method)).toEqual(['state.acquire']);
  });

  it('goes on after a killed pass once the lease has run out', async () => {
    const scene = aScene();
    await scene.store.acquire(
      'default',
      { owner: 'killed', now: NINE, leaseSeconds: 58 },
      new AbortController().signal,
    );
    const report = await scene.pass(1);
    expect(report).toMatchObject({ exitCode: 0, clusters: [{ outcome: 'ok' }] });
  });

  it('neither saves nor applies when a later pass took over while it slept', async () => {
    const scene = aScene({ events: [anEvent({ endAt: NINE + MINUTE })] });
    const report = await overtake(scene, () => true);
    expect(report).toMatchObject({ exitCode: 1, clusters: [{ outcome: 'stopped' }] });
    expect(scene.log.at('warn').map(({ fields }) => fields)).toMatchObject([
      { error: { kind: 'fenced' }, remedy: expect.stringContaining('the later pass') as string },
    ]);
    expect(replicas(scene).base).toBe(1);
  });

  it('says who has the lease, and not that it expires, when a later pass took over after it applied', async () => {
    const scene = aScene();
    const report = await overtake(scene, ({ release }) => release);
    expect(report).toMatchObject({
      exitCode: 1,
      clusters: [{ outcome: 'failed', pools: [{ applied: 'created' }, { applied: 'created' }] }],
    });
    expect(troubles(scene)).toEqual(['error: outcome could not be saved: the lease was lost']);
    expect(scene.log.at('error')[0]?.fields).toMatchObject({
      error: { kind: 'fenced' },
      remedy: expect.stringContaining('the later pass pass-2 (lease 2) has taken over') as string,
    });
  });

  it('leaves a lease that nobody else has to expire when the outcome cannot be saved', async () => {
    const scene = aScene();
    scene.outside.gate = atFirst('cluster.apply', 'after', () => {
      scene.outside.failNext('state.save', outsideError('state.save', 'unavailable'));
    });
    const report = await scene.pass(0);
    expect(report).toMatchObject({ exitCode: 1, clusters: [{ outcome: 'failed' }] });
    expect(troubles(scene)).toEqual(['error: outcome could not be saved: the lease expires by itself']);
    expect((await scene.pass(1)).clusters[0]?.outcome).toBe('ok');
  });
});

/** The counts stood at 5 and 5 before; decided afresh, they would be 1 and 1. */
const HELD = { base: 5, workshop: 5 };

interface Failure {
  readonly method: Method;
  readonly effect: string;
  readonly after: { readonly base: number; readonly workshop: number };
  readonly line: string;
}

const FAILURES: readonly Failure[] = [
  {
    method: 'calendar.read',
    effect: 'with nothing kept the live counts are held',
    after: HELD,
    line: 'calendar could not be read and no fresh enough events are kept: counts are held',
  },
  {
    method: 'cluster.read',
    effect: 'the cluster is left as it is',
    after: HELD,
    line: 'cluster could not be read: it is left as it is',
  },
  {
    method: 'state.acquire',
    effect: 'no count is lowered',
    after: HELD,
    line: 'state could not be read: no count is lowered in this pass',
  },
  {
    method: 'state.save',
    effect: 'no count is lowered',
    after: HELD,
    line: 'state could not be written: no count is lowered in this pass',
  },
  {
    method: 'cluster.apply',
    effect: 'the other pool goes on',
    after: { base: 5, workshop: 1 },
    line: 'pool could not be applied',
  },
];

describe('a pass in which something fails', () => {
  it.each(FAILURES)('$method: $effect', async ({ method, after, line }) => {
    const scene = aScene();
    scene.world.put(aDeployment({ replicas: 5 }));
    scene.world.put(aDeployment({ poolName: 'workshop', replicas: 5 }));
    scene.outside.failNext(method, outsideError(method, 'unavailable'));
    const report = await scene.pass();
    expect(report.exitCode).toBe(1);
    expect(replicas(scene)).toEqual(after);
    expect(troubles(scene)).toEqual([`error: ${line}`]);
    expect(scene.log.at('error')[0]?.fields).toMatchObject({
      cluster: 'default',
      error: { kind: 'unavailable' },
      remedy: `mend the ${method.replace(/\..*/, '')}`,
    });
  });

  it('still raises for a calendar override when the state cannot be read', async () => {
    const scene = aScene({
      pools: [aPool('base', { calendarOverrideEnabled: true }), aPool('workshop')],
      events: [anEvent({ text: 'base: 4' })],
    });
    scene.world.put(aDeployment({ replicas: 2 }));
    scene.outside.failNext('state.acquire', outsideError('state.acquire', 'unavailable'));
    const report = await scene.pass();
    expect(replicas(scene).base).toBe(4);
    expect(report.exitCode).toBe(1);
  });

  it('decides from the kept events while the calendar cannot be read, and says since when', async () => {
    const scene = aScene({ events: [anEvent({ startAt: NINE + 30 * MINUTE, endAt: NINE + 90 * MINUTE })] });
    await scene.pass(0);
    scene.outside.failNext('calendar.read', outsideError('calendar.read', 'unavailable'), 2);
    await scene.pass(40);
    const report = await scene.pass(41);
    expect(replicas(scene).base).toBe(3);
    expect(report).toMatchObject({ exitCode: 0, clusters: [{ degradedSinceAt: NINE + 40 * MINUTE }] });
    expect(scene.log.at('warn')).toHaveLength(2);
  });

  it('holds once the kept events are older than calendarStaleAfter', async () => {
    const scene = aScene({ events: [anEvent({ text: 'base: 3', endAt: NINE + 10 * MINUTE })] });
    await scene.pass(0);
    scene.outside.failNext('calendar.read', outsideError('calendar.read', 'unavailable'));
    const report = await scene.pass(24 * 60 + 1);
    expect(replicas(scene).base).toBe(3);
    expect(report.exitCode).toBe(1);
    // It wrote nothing but what it saw; how it ended is in the same save.
    const { lastPass } = await scene.store.peek('default', new AbortController().signal);
    expect(lastPass).toMatchObject({ summary: 'failed', exitCode: 1 });
  });

  it('does not believe a list of nodes that lost those whose pods are still listed', async () => {
    const scene = aScene();
    scene.world.nodes = ['n1', 'n2', 'n3'].map((name) => aNode({ name }));
    scene.world.usage = new Map(['n1', 'n2', 'n3'].map((name) => [name, aUsage({ podCount: 4 })]));
    scene.world.put(aDeployment({ replicas: 5 }));
    await scene.pass(0);
    scene.world.put(aDeployment({ replicas: 5 }));
    scene.world.nodes = [];
    const report = await scene.pass(1);
    expect(replicas(scene).base).toBe(5);
    expect(report).toMatchObject({ exitCode: 1, clusters: [{ outcome: 'failed' }] });
  });

  it('believes that most pods are gone only when a second pass sees it too', async () => {
    const scene = aScene();
    scene.world.nodes = [aNode({ name: 'n1' })];
    scene.world.usage = new Map([['n1', aUsage({ podCount: 40 })]]);
    await scene.pass(0);
    scene.world.usage = new Map([['n1', aUsage({ podCount: 3 })]]);
    const codes = [(await scene.pass(1)).exitCode, (await scene.pass(2)).exitCode];
    expect(codes).toEqual([1, 0]);
  });

  it('compares with no pods of a list of nodes that it did not believe', async () => {
    const scene = aScene();
    const nodes = [aNode({ name: 'n1' })];
    const usage = new Map([['n1', aUsage({ podCount: 40 })]]);
    scene.world.nodes = nodes;
    scene.world.usage = usage;
    await scene.pass(0);
    scene.world.nodes = [];
    const codes = [(await scene.pass(1)).exitCode];
    scene.world.nodes = nodes;
    scene.world.usage = new Map();
    codes.push((await scene.pass(2)).exitCode);
    expect(codes).toEqual([1, 1]);
  });

  it('works without the right to patch pods, says so once and does not ask again each minute', async () => {
    const scene = aScene();
    scene.world.nodes = [aNode({ name: 'n1' })];
    scene.world.placeholders = [aPlaceholder({ name: 'p1', warmth: 'cold' })];
    scene.outside.failNext('cluster.markWarm', outsideError('cluster.markWarm', 'forbidden'), 5);
    const codes: number[] = [];
    for (const minute of [0, 1, 2]) codes.push((await scene.pass(minute)).exitCode);
    expect(codes).toEqual([0, 0, 0]);
    expect(scene.outside.callsOf('cluster.markWarm')).toHaveLength(1);
    expect(troubles(scene)).toEqual(['warn: warm first works without all that it needs']);
  });

  it('never applies over a Deployment of another tool, and prints the command that resolves it', async () => {
    const scene = aScene();
    scene.world.put(aDeployment({ hasOurSelector: false, poolName: 'base' }));
    const report = await scene.pass();
    expect(report).toMatchObject({ exitCode: 1 });
    expect(replicas(scene)).toEqual({ base: 1, workshop: 1 });
    expect(scene.log.at('error').map(({ fields }) => fields['problem'])).toEqual([
      expect.stringContaining('kubectl -n node-placeholder delete deployment base-placeholder'),
    ]);
  });

  it('reports why a Deployment cannot create its pods', async () => {
    const scene = aScene();
    scene.world.put(aDeployment({ replicaFailure: 'pods "x" is forbidden: exceeded quota' }));
    const report = await scene.pass();
    expect(report.exitCode).toBe(1);
    expect(scene.log.at('error').map(({ fields }) => fields['problem'])).toEqual([
      expect.stringContaining('exceeded quota'),
    ]);
  });
});

describe('what a pass logs', () => {
  it('passes on what the config is worth saying about, once', async () => {
    const scene = aScene({ notices: ['`replicaCount` has no effect here'] });
    for (const minute of [0, 1]) await scene.pass(minute);
    const notices = scene.log.lines.filter(({ message }) => message === 'config notice');
    expect(notices.map(({ fields }) => fields['notice'])).toEqual(['`replicaCount` has no effect here']);
  });

  it('says of every node why it has room or not where a count changes, and nothing of nodes in a quiet pass', async () => {
    const scene = aScene({ pools: [aPool('base')] });
    scene.world.nodes = [aNode({ name: 'n1' }), aNode({ name: 'n2', isCordoned: true })];
    await scene.pass(0);
    const judged = () => scene.log.lines.filter(({ message }) => message === 'node judged');
    expect(judged().map(({ fields }) => [fields['node'], fields['verdict']])).toEqual([
      ['n1', 'newlySeen'],
      ['n2', 'cordoned'],
    ]);
    await scene.pass(1);
    expect(judged()).toHaveLength(2);
  });

  it.each([
    { text: 'base: 3', upcoming: 0, levels: [] },
    // Somebody's own event in the same calendar: no alert may open for it.
    { text: 'lunch with the board', upcoming: 0, levels: ['info'] },
    { text: 'bse: 3', upcoming: 1, levels: ['warn'] },
  ])('counts $upcoming problem(s) in "$text"', async ({ text, upcoming, levels }) => {
    const scene = aScene({ events: [anEvent({ text })] });
    await scene.pass();
    const summary = scene.log.lines.find(({ fields }) => fields['event'] === 'pass_summary');
    expect(summary?.fields['findings']).toEqual({ upcoming });
    const said = scene.log.lines.filter(({ fields }) => fields['event'] === 'calendar_finding');
    expect(said.map(({ level }) => level)).toEqual(levels);
  });

  it('gives the numbers behind each change, and one summary', async () => {
    const scene = aScene({ pools: [aPool('base')], events: [anEvent()] });
    scene.world.put(aDeployment({ replicas: 1 }));
    await scene.pass(0);
    expect(scene.log.at('info').map(({ message }) => message)).toEqual(['pool decided', 'pass summary']);
    expect(scene.log.at('info')[0]?.fields).toMatchObject({
      cluster: 'default',
      pool: 'base',
      previous: 1,
      wanted: 3,
      rule: 'room',
      reason: "3 = event 'Data 8 lab' asks 3",
    });
  });

  it('is silent above debug in a quiet pass but for the summary', async () => {
    const scene = aScene();
    await scene.pass(0);
    const before = scene.log.lines.length;
    await scene.pass(1);
    const quiet = scene.log.lines.slice(before);
    expect(quiet.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'debug: pool state',
      'debug: pool state',
      'info: pass summary',
    ]);
  });
});
