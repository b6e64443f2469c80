/** What an operator hears besides the counts: each line with its fields, when it is said, and when it is said again. */
import { describe, expect, it } from 'vitest';
import { rememberSaid } from '../../functions/pass/once.ts';
import { reportWarmFirst } from '../../functions/pass/troubles.ts';
import type { ClusterObjects } from '../../functions/ports.ts';
import {
  aDeployment,
  aNode,
  anEvent,
  aPlaceholder,
  aUsage,
  CapturedLog,
  outsideError,
} from '../support/fakes.ts';
import { aJob, aPool, aScene, MINUTE, NINE } from './scene.ts';
import type { Scene } from './scene.ts';

const NEVER = new AbortController().signal;
const HOUR = 60 * MINUTE;
const GRANT =
  'it is part of infra/cluster/autoscaler.yaml: scripts/render-cluster-yaml.sh --service-account EMAIL --unique-id ID | kubectl apply --server-side -f -';

/** Level, message and fields of the lines with this message, in order. */
const said = ({ log }: Scene, message: string) => log.lines.filter((line) => line.message === message);

/** What the pass before remembers having said. */
async function remembered(scene: Scene): Promise<readonly string[]> {
  return (await scene.store.peek('default', NEVER)).reported;
}

describe('a finding in a calendar entry', () => {
  const NEEDS_A_LOOK = 'calendar entry needs a look';
  const flawed = anEvent({ text: 'base: 3\nbse: 4', endAt: NINE + 50 * HOUR });

  it('names the entry, when it starts, the line, the text and the likely fix', async () => {
    const scene = aScene({ events: [flawed] });
    await scene.pass();
    expect(said(scene, NEEDS_A_LOOK)).toEqual([
      {
        level: 'warn',
        message: NEEDS_A_LOOK,
        fields: {
          cluster: 'default',
          event: 'calendar_finding',
          code: 'unknown-pool',
          calendarEvent: 'Data 8 lab',
          startsAt: '2026-03-02T08:50:00.000Z',
          line: 2,
          text: 'bse: 4',
          problem: '`bse`: no such pool; did you mean `base`?',
        },
      },
    ]);
    expect(await remembered(scene)).toEqual(['finding:["unknown-pool","event-1",2,"bse: 4"]']);
  });

  it('that the calendar itself found says so without a line or a start', async () => {
    const scene = aScene();
    scene.calendar.findings = [
      {
        code: 'unreadable-event',
        severity: 'warning',
        eventId: 'e9',
        eventTitle: 'Odd',
        eventStartAt: undefined,
        line: undefined,
        text: 'DTSTART',
        message: 'has no start',
      },
    ];
    await scene.pass();
    expect(said(scene, NEEDS_A_LOOK).map(({ fields }) => fields)).toMatchObject([
      { startsAt: undefined, line: undefined, problem: 'has no start' },
    ]);
    expect(await remembered(scene)).toEqual(['finding:["unreadable-event","e9",0,"DTSTART"]']);
  });

  it('is information, and no reason for an alert, where the entry was understood', async () => {
    const scene = aScene({ events: [anEvent({ text: 'base = 3' })] });
    await scene.pass();
    expect(said(scene, NEEDS_A_LOOK)).toEqual([]);
    expect(said(scene, 'calendar entry was understood')).toMatchObject([
      { level: 'info', fields: { event: 'calendar_finding', line: 1 } },
    ]);
  });

  it('is not said again after an outage of the calendar, nor after one of the cluster', async () => {
    const scene = aScene({ events: [flawed] });
    await scene.pass(0);
    scene.outside.failNext('calendar.read', outsideError('calendar.read', 'unavailable'));
    await scene.pass(1);
    await scene.pass(2);
    scene.outside.failNext('cluster.read', outsideError('cluster.read', 'unavailable'));
    await scene.pass(3);
    await scene.pass(4);
    expect(said(scene, NEEDS_A_LOOK)).toHaveLength(1);
  });

  it('is counted as upcoming while it lasts, and not while the calendar cannot be read', async () => {
    const scene = aScene({ events: [flawed] });
    await scene.pass(0);
    await scene.pass(1);
    scene.outside.failNext('calendar.read', outsideError('calendar.read', 'unavailable'));
    const report = await scene.pass(2);
    expect(said(scene, 'pass summary').map(({ fields }) => fields['findings'])).toEqual([
      { upcoming: 1 },
      { upcoming: 1 },
      { upcoming: 0 },
    ]);
    expect(report.exitCode).toBe(0);
  });
});

describe('a notice about the config', () => {
  it('is remembered by its words, and others are said', async () => {
    const scene = aScene({ notices: ['`replicaCount` has no effect', '`image` has no effect'] });
    await scene.pass();
    expect(said(scene, 'config notice').map(({ level, fields }) => [level, fields])).toEqual([
      ['info', { cluster: 'default', notice: '`replicaCount` has no effect' }],
      ['info', { cluster: 'default', notice: '`image` has no effect' }],
    ]);
    expect(await remembered(scene)).toEqual([
      'notice:`replicaCount` has no effect',
      'notice:`image` has no effect',
    ]);
  });
});

describe('maxReplicasTotal', () => {
  const OVER = 'events ask for more than several pools may hold';

  it('that cuts what events ask says how much was asked and allowed, again where more is asked', async () => {
    const scene = aScene({ events: [anEvent({ text: 'base: 9\nworkshop: 5' })], maxReplicasTotal: 8 });
    await scene.pass(0);
    scene.calendar.events = [anEvent({ text: 'base: 9\nworkshop: 6' })];
    await scene.pass(1);
    await scene.pass(2);
    const line = {
      cluster: 'default',
      setting: 'maxReplicasTotal',
      allowed: 8,
      remedy: 'raise maxReplicasTotal, or lower the counts of overlapping events; the excess was shared out',
    };
    expect(said(scene, OVER).map(({ level, fields }) => [level, fields])).toEqual([
      ['warn', { ...line, asked: 14, shared: ['default/base 5 of 9', 'default/workshop 3 of 5'] }],
      ['warn', { ...line, asked: 15, shared: ['default/base 5 of 9', 'default/workshop 3 of 6'] }],
    ]);
    expect(await remembered(scene)).toEqual(['pool:maxReplicasTotal:15']);
  });
});

describe('the priority class', () => {
  const objectsWith = (priorityClass: ClusterObjects['priorityClass']): ClusterObjects => ({
    priorityClass,
    warmBudget: 'present',
  });

  it('that may not be read is said with the rule to grant, and fails no pass', async () => {
    const scene = aScene();
    scene.world.objects = objectsWith({ kind: 'forbidden' });
    const codes = [(await scene.pass(0)).exitCode, (await scene.pass(5)).exitCode];
    expect(codes).toEqual([0, 0]);
    expect(said(scene, 'priority class cannot be checked')).toEqual([
      {
        level: 'warn',
        message: 'priority class cannot be checked',
        fields: {
          cluster: 'default',
          problem: `the job lacks {apiGroups: ["scheduling.k8s.io"], resources: ["priorityclasses"], verbs: ["get"]} in a ClusterRole; ${GRANT}`,
        },
      },
    ]);
    expect(await remembered(scene)).toEqual(['right:priority-class']);
  });

  it('that does not exist is an error on every pass, with the command that makes it', async () => {
    const scene = aScene();
    scene.world.objects = objectsWith({ kind: 'missing' });
    const codes = [(await scene.pass(0)).exitCode, (await scene.pass(1)).exitCode];
    expect(codes).toEqual([1, 1]);
    const line = {
      level: 'error',
      message: 'pool does not work',
      fields: {
        cluster: 'default',
        event: 'problem',
        code: 'priority-missing',
        problem: `PriorityClass node-placeholder does not exist, so no placeholder can be created: ${GRANT}`,
      },
    };
    expect(said(scene, 'pool does not work')).toEqual([line, line]);
    expect(await remembered(scene)).toEqual([]);
  });

  it('of a value that does not work is a warning, once, remembered by its name', async () => {
    const scene = aScene({ cluster: { priorityClassName: 'low' } });
    scene.world.objects = objectsWith({ kind: 'present', value: -11, preemptionPolicy: 'Never' });
    const codes = [(await scene.pass(0)).exitCode, (await scene.pass(1)).exitCode];
    expect(codes).toEqual([0, 0]);
    expect(said(scene, 'pool needs a look').map(({ level, fields }) => [level, fields])).toEqual([
      [
        'warn',
        {
          cluster: 'default',
          event: 'problem',
          code: 'priority-ignored',
          problem: expect.stringMatching(/^PriorityClass low has the value -11: /) as string,
        },
      ],
    ]);
    expect(await remembered(scene)).toEqual(['object:low:priority-ignored']);
  });
});

describe('a problem of a pool', () => {
  const NEEDS_A_LOOK = 'pool needs a look';

  it('that limits its count is said again for another event, and for the baseline', async () => {
    const scene = aScene({
      pools: [aPool('base', { maxReplicas: 2, baseline: 3 })],
      events: [
        anEvent({ id: 'one', endAt: NINE + MINUTE }),
        anEvent({ id: 'two', startAt: NINE + 2 * MINUTE, endAt: NINE + 4 * MINUTE }),
      ],
    });
    const fingerprints: unknown[] = [];
    for (const minute of [0, 1, 2, 3]) {
      await scene.pass(minute);
      fingerprints.push(...(await remembered(scene)));
    }
    expect(fingerprints).toEqual([
      'pool:base:one:clamped',
      'pool:base::clamped',
      'pool:base:two:clamped',
      'pool:base:two:clamped',
    ]);
    expect(said(scene, NEEDS_A_LOOK).map(({ fields }) => fields['code'])).toEqual([
      'clamped',
      'clamped',
      'clamped',
    ]);
  });

  it('is judged by the nodes of that pool, beside the pods that are always there', async () => {
    const scene = aScene();
    const small = { kind: 'known', cpuMillis: 4000, memoryBytes: 2 ** 34 } as const;
    scene.world.nodes = [
      aNode({ name: 'n1' }),
      aNode({ name: 'n2', poolLabel: 'workshop', allocatable: small }),
    ];
    scene.world.usage = new Map([['n1', aUsage({ podCount: 1, otherMemoryBytes: 2 ** 34 })]]);
    const report = await scene.pass();
    expect(said(scene, NEEDS_A_LOOK)).toMatchObject([
      {
        level: 'warn',
        fields: { code: 'fit-tight', problem: expect.stringMatching(/^nodePools\.base\./) as string },
      },
    ]);
    expect(said(scene, 'pool does not work')).toMatchObject([
      {
        level: 'error',
        fields: { code: 'fit-never', problem: expect.stringMatching(/^nodePools\.workshop\./) as string },
      },
    ]);
    expect(report.exitCode).toBe(1);
  });

  it('that lasts is counted from when it began: a spare that waits ten minutes for a node', async () => {
    const scene = aScene({ pools: [aPool('base')] });
    scene.world.placeholders = [
      aPlaceholder({ name: 'p1', nodeName: undefined, phase: 'Pending', createdAt: NINE }),
    ];
    for (const minute of [9, 10, 11]) await scene.pass(minute);
    expect(said(scene, NEEDS_A_LOOK).map(({ fields }) => fields['code'])).toEqual(['pending-long']);
    expect(await remembered(scene)).toEqual(['pool:base::pending-long']);
  });

  it('whose class is what refuses its pods is said once, as that of the class; another one beside it', async () => {
    const scene = aScene({ pools: [aPool('base')] });
    scene.world.put(aDeployment({ replicaFailure: 'no PriorityClass was found' }));
    scene.world.nodes = [
      aNode({ name: 'n1', allocatable: { kind: 'known', cpuMillis: 4000, memoryBytes: 2 ** 34 } }),
    ];
    scene.world.objects = { priorityClass: { kind: 'missing' }, warmBudget: 'present' };
    await scene.pass();
    expect(said(scene, 'pool does not work').map(({ fields }) => fields['code'])).toEqual([
      'priority-missing',
      'fit-never',
    ]);
  });
});

describe('what warm first lacks', () => {
  const LACKS = 'warm first works without all that it needs';
  const PATCH_RULE = '{apiGroups: [""], resources: ["pods"], verbs: ["patch"]}';
  const CONSEQUENCE = `users may be sent to cold nodes first; ${GRANT}`;

  function aColdScene(objects: Partial<ClusterObjects> = {}, warmFirst = true): Scene {
    const scene = aScene({ pools: [aPool('base')], cluster: { warmFirst } });
    scene.world.objects = { ...scene.world.objects, ...objects };
    scene.world.nodes = [aNode({ name: 'n1' })];
    scene.world.placeholders = [aPlaceholder({ name: 'p1', warmth: 'cold' })];
    return scene;
  }

  const problems = (scene: Scene) =>
    said(scene, LACKS).map(({ level, fields }) => [level, fields['problem']]);

  it('is the budget', async () => {
    const scene = aColdScene({ warmBudget: 'missing' });
    await scene.pass();
    expect(problems(scene)).toEqual([
      ['warn', `PodDisruptionBudget node-placeholder-cold does not exist: ${CONSEQUENCE}`],
    ]);
    expect(await remembered(scene)).toEqual(['right:budget']);
  });

  it('is the right to patch, after the budget in the same line', async () => {
    const scene = aColdScene({ warmBudget: 'missing' });
    scene.outside.failNext('cluster.markWarm', outsideError('cluster.markWarm', 'forbidden'));
    await scene.pass();
    expect(problems(scene)).toEqual([
      [
        'warn',
        'PodDisruptionBudget node-placeholder-cold does not exist; placeholders cannot be marked warm, and drains wait ' +
          `for them: the job lacks ${PATCH_RULE} in a Role of node-placeholder: ${CONSEQUENCE}`,
      ],
    ]);
    expect(await remembered(scene)).toEqual(['right:budget', 'right:patch-pods']);
  });

  it('is forgotten once it is there: a right that works is not remembered as lacking', async () => {
    const scene = aColdScene();
    scene.outside.failNext('cluster.markWarm', outsideError('cluster.markWarm', 'forbidden'));
    await scene.pass(0);
    expect(await remembered(scene)).toEqual(['right:patch-pods']);
    await scene.pass(5);
    expect(await remembered(scene)).toEqual([]);
    expect(problems(scene)).toHaveLength(1);
  });

  it('is nothing where warm first is off, or where all is there', async () => {
    const off = aColdScene({ warmBudget: 'missing' }, false);
    const well = aColdScene();
    await off.pass();
    await well.pass();
    expect([problems(off), problems(well)]).toEqual([[], []]);
  });

  it('is the right to patch alone where nobody has looked at the objects yet', () => {
    const log = new CapturedLog();
    reportWarmFirst(aJob({ log }), rememberSaid([]), { objects: undefined, patch: 'forbidden' });
    expect(log.lines.map(({ fields }) => fields['problem'])).toEqual([
      `placeholders cannot be marked warm, and drains wait for them: the job lacks ${PATCH_RULE} in a Role of ` +
        `node-placeholder: ${CONSEQUENCE}`,
    ]);
  });
});
