/** What each line of a pass says, field by field: who reads only the log can say why every count is what it is. */
import { describe, expect, it } from 'vitest';
import { aDeployment, aNode, anEvent, aPlaceholder, outsideError } from '../support/fakes.ts';
import type { LogLine } from '../support/fakes.ts';
import { aDeadline, aPool, aScene, atFirst, MINUTE, NINE } from './scene.ts';
import type { Scene } from './scene.ts';

const said = ({ log }: Scene, message: string): readonly LogLine[] =>
  log.lines.filter((line) => line.message === message);

/** The level and the fields of the one line with this message. */
function lineOf(scene: Scene, message: string) {
  const lines = said(scene, message);
  expect(lines).toHaveLength(1);
  return { level: lines[0]?.level, fields: lines[0]?.fields };
}

/** One pool, asked for three: a placeholder on a warm node, one on a node that warms up, one that has no node. */
function aMixedScene(): Scene {
  const scene = aScene({ pools: [aPool('base')], events: [anEvent()] });
  scene.world.put(aDeployment({ replicas: 2 }));
  scene.world.nodes = [
    aNode({ name: 'n1' }),
    aNode({ name: 'n2', createdAt: NINE - 2 * MINUTE, readySinceAt: NINE - MINUTE }),
    aNode({ name: 'n3', isCordoned: true }),
  ];
  scene.world.placeholders = [
    aPlaceholder({ name: 'p1', nodeName: 'n1' }),
    aPlaceholder({ name: 'p2', nodeName: 'n2', warmth: 'cold' }),
    aPlaceholder({
      name: 'p3',
      nodeName: undefined,
      phase: 'Pending',
      createdAt: NINE - MINUTE,
      pendingMessage: '0/3 nodes are available',
    }),
  ];
  return scene;
}

const MIXED = {
  wanted: 3,
  live: 2,
  target: 3,
  warm: 1,
  warming: 1,
  warmBy: '2026-03-02T09:09:00.000Z',
  pending: 1,
  pendingMessage: '0/3 nodes are available',
  rule: 'pending',
  reason: "3 = hold, event 'Data 8 lab' asks 3 while 1 placeholder (p3) is Pending",
  applied: 'configured',
};
const MIXED_LINE = {
  cluster: 'default',
  pool: 'base',
  ...MIXED,
  previous: 2,
  short: 2,
  nodes: { hostsPlaceholder: 2, cordoned: 1 },
};

describe('the line of a pool', () => {
  it('has every number behind a change, and is there at debug for the metrics too', async () => {
    const scene = aMixedScene();
    await scene.pass();
    expect(lineOf(scene, 'pool decided')).toEqual({
      level: 'info',
      fields: { event: 'pool_decision', ...MIXED_LINE },
    });
    expect(lineOf(scene, 'pool state')).toEqual({
      level: 'debug',
      fields: { event: 'pool_state', ...MIXED_LINE },
    });
  });

  it('is an error with what to do where the count could not be applied', async () => {
    const scene = aMixedScene();
    const error = outsideError('cluster.apply', 'invalid');
    scene.outside.failNext('cluster.apply', error);
    await scene.pass();
    expect(said(scene, 'pool decided')).toEqual([]);
    expect(lineOf(scene, 'pool could not be applied')).toEqual({
      level: 'error',
      fields: {
        event: 'pool_decision',
        ...MIXED_LINE,
        applied: 'failed',
        error,
        remedy: 'mend the cluster',
      },
    });
  });

  it('is short of nothing where more are warm than are wanted', async () => {
    const scene = aScene({ pools: [aPool('base')] });
    scene.world.put(aDeployment({ replicas: 2 }));
    scene.world.nodes = [aNode({ name: 'n1' }), aNode({ name: 'n2' })];
    scene.world.placeholders = [
      aPlaceholder({ name: 'p1', nodeName: 'n1' }),
      aPlaceholder({ name: 'p2', nodeName: 'n2' }),
    ];
    await scene.pass();
    expect(lineOf(scene, 'pool decided').fields).toMatchObject({
      wanted: 1,
      warm: 2,
      short: 0,
      warming: 0,
      warmBy: undefined,
      pendingMessage: undefined,
    });
  });

  it('names as its rule what had the last word', async () => {
    const scene = aScene({ pools: [aPool('base')], events: [anEvent({ text: 'base: 30' })] });
    await scene.pass();
    expect(lineOf(scene, 'pool decided').fields).toMatchObject({
      live: undefined,
      previous: undefined,
      rule: 'clamped',
      reason: "20 = event 'Data 8 lab' asks 30, limited to maxReplicas 20",
    });
  });

  it('is there in a dry run also where nothing would change', async () => {
    const scene = aScene({ pools: [aPool('base')] });
    await scene.pass(0);
    await scene.pass(1, { isDryRun: true });
    expect(said(scene, 'pool decided').map(({ fields }) => fields['applied'])).toEqual([
      'created',
      'unchanged',
    ]);
  });

  it('is followed by every node with its verdict, its free ratios and whether it is warm', async () => {
    const scene = aMixedScene();
    await scene.pass();
    const free = { cpu: 1, memory: 1 };
    const node = { cluster: 'default', pool: 'base', free };
    expect(said(scene, 'node judged').map(({ level, fields }) => [level, fields])).toEqual([
      [
        'debug',
        {
          ...node,
          node: 'n1',
          verdict: 'hostsPlaceholder',
          reason: { kind: 'hostsPlaceholder' },
          isWarm: true,
          warmth: 'readyLongEnough',
        },
      ],
      [
        'debug',
        {
          ...node,
          node: 'n2',
          verdict: 'hostsPlaceholder',
          reason: { kind: 'hostsPlaceholder' },
          isWarm: false,
          warmth: 'readyTooShort',
        },
      ],
      [
        'debug',
        {
          ...node,
          node: 'n3',
          verdict: 'cordoned',
          reason: { kind: 'cordoned' },
          isWarm: true,
          warmth: 'readyLongEnough',
        },
      ],
    ]);
  });
});

describe('the line of a pool that left the config', () => {
  const FIELDS = {
    cluster: 'default',
    deployment: 'gone-placeholder',
    pool: 'gone',
    previous: 2,
    remedy:
      'kubectl -n node-placeholder delete deployment gone-placeholder, or put the pool back into nodePools',
  };

  function anOrphanScene(): Scene {
    const scene = aScene();
    scene.world.put(aDeployment({ name: 'gone-placeholder', poolName: 'gone', replicas: 2 }));
    return scene;
  }

  it('says that it was scaled to zero, and how it is deleted or kept', async () => {
    const scene = anOrphanScene();
    await scene.pass();
    expect(lineOf(scene, 'pool left the config: its placeholders are scaled to zero')).toEqual({
      level: 'warn',
      fields: { ...FIELDS, applied: 'configured' },
    });
  });

  it('says in a dry run that it would be', async () => {
    const scene = anOrphanScene();
    await scene.pass(0, { isDryRun: true });
    expect(lineOf(scene, 'pool left the config: its placeholders would be scaled to zero')).toEqual({
      level: 'warn',
      fields: { ...FIELDS, applied: 'wouldApply' },
    });
  });

  it('says why it could not be', async () => {
    const scene = anOrphanScene();
    const error = outsideError('cluster.scaleDown', 'forbidden');
    scene.outside.failNext('cluster.scaleDown', error);
    const report = await scene.pass();
    expect(report).toMatchObject({ exitCode: 1, clusters: [{ outcome: 'failed' }] });
    expect(lineOf(scene, 'placeholders of a pool that left the config could not be scaled to zero')).toEqual({
      level: 'error',
      fields: { ...FIELDS, applied: 'failed', error },
    });
  });

  it.each([
    { applied: 'withheld', method: 'state.acquire' },
    { applied: 'withheld', method: 'state.save' },
  ] as const)('is left to debug where $method failed: that is said', async ({ applied, method }) => {
    const scene = anOrphanScene();
    scene.outside.failNext(method, outsideError(method, 'unavailable'));
    await scene.pass();
    expect(lineOf(scene, 'pool left the config: its placeholders stay for now')).toEqual({
      level: 'debug',
      fields: { ...FIELDS, applied },
    });
  });

  it('is left to debug where the pass was told to stop before it', async () => {
    const scene = anOrphanScene();
    const stop = new AbortController();
    scene.outside.gate = atFirst('cluster.apply', 'before', () => {
      stop.abort();
    });
    await scene.pass(0, { deadline: aDeadline(stop.signal) });
    expect(lineOf(scene, 'pool left the config: its placeholders stay for now')).toEqual({
      level: 'debug',
      fields: { ...FIELDS, applied: 'notReached' },
    });
  });
});

describe('the line of a calendar that cannot be read', () => {
  const KEPT = 'calendar could not be read: deciding from the events kept from the last good reading';
  const NONE = 'calendar could not be read and no fresh enough events are kept: counts are held';
  const error = outsideError('calendar.read', 'notFound');

  it.each([
    { name: 'kept events', passes: [0, 5], level: 'warn', message: KEPT, readAt: '2026-03-02T09:00:00.000Z' },
    {
      name: 'events that are too old',
      passes: [0, 25 * 60],
      level: 'error',
      message: NONE,
      readAt: '2026-03-02T09:00:00.000Z',
    },
    { name: 'no events', passes: [5], level: 'error', message: NONE, readAt: undefined },
  ])('says since when there are $name, and what to do', async ({ passes, level, message, readAt }) => {
    const scene = aScene();
    for (const minute of passes.slice(0, -1)) await scene.pass(minute);
    scene.outside.failNext('calendar.read', error);
    await scene.pass(passes.at(-1));
    expect(lineOf(scene, message)).toEqual({
      level,
      fields: { cluster: 'default', degraded: true, readAt, error, remedy: 'mend the calendar' },
    });
  });
});

describe('the line of what failed', () => {
  it('names placeholders that could not be marked warm, and the pass failed', async () => {
    const scene = aMixedScene();
    scene.world.nodes = [aNode({ name: 'n2' })];
    const error = outsideError('cluster.markWarm', 'unavailable');
    scene.outside.failNext('cluster.markWarm', error);
    const report = await scene.pass();
    expect(report).toMatchObject({ exitCode: 1, clusters: [{ outcome: 'failed' }] });
    expect(scene.log.at('error')).toHaveLength(1);
    expect(lineOf(scene, 'placeholders could not be marked warm: the next pass tries again')).toEqual({
      level: 'error',
      fields: { cluster: 'default', error, remedy: 'mend the cluster' },
    });
  });

  it.each([
    { name: 'a failure is said though the pass was told to stop meanwhile', kind: 'forbidden', stops: 1 },
    { name: 'an interruption is said where nobody told the pass to stop', kind: 'aborted', stops: 0 },
  ] as const)('$name', async ({ kind, stops }) => {
    const scene = aScene();
    const stop = new AbortController();
    const error = outsideError('cluster.read', kind);
    scene.outside.gate = atFirst('cluster.read', 'before', () => {
      Array.from({ length: stops }, () => {
        stop.abort();
      });
      throw error;
    });
    await scene.pass(0, { deadline: aDeadline(stop.signal) });
    expect(lineOf(scene, 'cluster could not be read: it is left as it is')).toEqual({
      level: 'error',
      fields: { cluster: 'default', error, remedy: 'mend the cluster' },
    });
  });
});

describe('the end of a pass', () => {
  const NOTHING = { degradedSinceAt: undefined, findings: 0, requests: {}, reading: undefined, pools: [] };

  it('that another one keeps off names it, and until when', async () => {
    const scene = aScene();
    const claim = { owner: 'other', now: NINE, leaseSeconds: 58 };
    await scene.store.acquire('default', claim, new AbortController().signal);
    const report = await scene.pass();
    expect(lineOf(scene, 'another pass holds the lease: nothing to do')).toEqual({
      level: 'info',
      fields: { cluster: 'default', holder: 'other', until: '2026-03-02T09:00:58.000Z' },
    });
    expect(report.clusters).toEqual([{ cluster: 'default', outcome: 'held', exitCode: 0, ...NOTHING }]);
  });

  it('that a later one took over from is a stop, with the requests that it made', async () => {
    const scene = aScene();
    scene.outside.failNext('state.save', outsideError('state.save', 'fenced'));
    const report = await scene.pass();
    expect(lineOf(scene, 'a later pass took over: this one applies nothing')).toMatchObject({
      level: 'warn',
      fields: { cluster: 'default', error: { kind: 'fenced' }, remedy: 'mend the state' },
    });
    expect(report.clusters).toEqual([
      { cluster: 'default', outcome: 'stopped', exitCode: 1, ...NOTHING, requests: { list: 3 } },
    ]);
  });

  it('is summed up in one line', async () => {
    const scene = aMixedScene();
    await scene.pass();
    expect(lineOf(scene, 'pass summary')).toEqual({
      level: 'info',
      fields: {
        event: 'pass_summary',
        cluster: 'default',
        outcome: 'ok',
        exitCode: 0,
        degraded: false,
        degradedSince: undefined,
        findings: { upcoming: 0 },
        requests: { list: 3, apply: 1 },
        reading: undefined,
        pools: [{ pool: 'base', ...MIXED }],
        durationMs: expect.any(Number) as number,
        dryRun: undefined,
      },
    });
  });

  it('is summed up as that of a dry run where it was one', async () => {
    const scene = aScene();
    await scene.pass(0, { isDryRun: true });
    expect(lineOf(scene, 'pass summary').fields).toMatchObject({ dryRun: true, outcome: 'ok' });
  });

  it.each([
    { summary: 'ok', exitCode: 0, failures: 0 },
    { summary: 'failed', exitCode: 1, failures: 1 },
  ])('is kept for the next one: $summary', async ({ failures, ...end }) => {
    const scene = aScene();
    scene.outside.failNext('cluster.apply', outsideError('cluster.apply', 'unavailable'), failures);
    await scene.pass(5);
    const { lastPass } = await scene.store.peek('default', new AbortController().signal);
    expect(lastPass).toEqual({ at: NINE + 5 * MINUTE, owner: 'pass-5', ...end });
  });

  it('is kept as one that applies until it has ended, for the case that it is killed', async () => {
    const scene = aScene();
    await scene.pass();
    const saves = scene.outside.callsOf('state.save').map(({ detail }) => detail);
    expect(saves).toMatchObject([
      { release: false, state: { lastPass: { summary: 'applying', exitCode: 0 } } },
      { release: true, state: { lastPass: { summary: 'ok', exitCode: 0 } } },
    ]);
  });
});
