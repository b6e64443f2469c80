/** What a person reads of a line at a terminal; the fields are those that the program itself writes. */
import { describe, expect, test } from 'vitest';
import { formatLine } from '../../functions/log-line.ts';
import { toPrintableFields } from '../../functions/log-fields.ts';
import { ClusterError } from '../../functions/errors.ts';

function lineOf(message: string, fields: Readonly<Record<string, unknown>>): string {
  const time = '2026-03-02T12:00:01.250Z';
  return formatLine({ level: 'info', message, time, fields: toPrintableFields(fields) }, false);
}

const POOL = {
  event: 'pool_decision',
  cluster: 'hub',
  pool: 'base',
  wanted: 3,
  live: 1,
  previous: 1,
  target: 3,
  short: 3,
  warm: 0,
  warming: 0,
  pending: 0,
  rule: 'room',
  reason: "3 = event 'Data 8 lab' asks 3",
  applied: 'configured',
  nodes: { newlySeen: 2, room: 1 },
};

describe('a decision', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    [
      'that changed the count',
      POOL,
      'pool decided: base 1 → 3 (configured): 3 = event \'Data 8 lab\' asks 3  cluster=hub rule=room nodes="2 newlySeen, 1 room"',
    ],
    [
      'on a pool without a Deployment, in a dry run',
      { ...POOL, live: undefined, previous: undefined, applied: 'wouldApply', nodes: {} },
      "pool decided: base none → 3 (would apply): 3 = event 'Data 8 lab' asks 3  cluster=hub rule=room",
    ],
    [
      'that changes nothing, with spares of every kind',
      {
        ...POOL,
        applied: 'unchanged',
        warm: 1,
        warming: 2,
        warmBy: '2026-03-02T12:09:30.000Z',
        pending: 1,
        nodes: undefined,
      },
      'pool decided: base unchanged: 3 = event \'Data 8 lab\' asks 3  cluster=hub rule=room spares="1 warm, 2 warming until 12:09:30Z, 1 Pending"',
    ],
    [
      'that could not be applied: with the error and its remedy, once',
      {
        ...POOL,
        applied: 'failed',
        nodes: undefined,
        error: new ClusterError('apply deployment base-placeholder of hub: 422 selector', {
          kind: 'invalid',
          remedy: 'delete it',
        }),
        remedy: 'delete it',
      },
      "pool decided: base 1 → 3 (failed): 3 = event 'Data 8 lab' asks 3; apply deployment base-placeholder of hub: 422 selector -> delete it  cluster=hub rule=room",
    ],
  ])('%s', (_, fields, words) => {
    expect(lineOf('pool decided', fields)).toBe(`12:00:01Z INFO    ${words}`);
  });
});

const SUMMARY = {
  event: 'pass_summary',
  cluster: 'hub',
  outcome: 'ok',
  exitCode: 0,
  requests: { list: 3, apply: 1 },
  reading: { podsOf: 'cluster', managedNodes: 4 },
  pools: [
    { pool: 'base', wanted: 3, live: 1, warm: 1, warming: 0, pending: 0, applied: 'configured' },
    {
      pool: 'workshop',
      wanted: 2,
      live: 2,
      warm: 0,
      warming: 1,
      warmBy: '2026-03-02T12:09:30.000Z',
      pending: 1,
      pendingMessage: '0/4 nodes are available: 4 Insufficient cpu.',
      applied: 'unchanged',
    },
  ],
  degraded: false,
  findings: { upcoming: 0 },
  durationMs: 860,
};

describe('the summary', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    [
      'of a pass that changed one pool',
      SUMMARY,
      'pass summary: ok in 0.9 s; base 1 → 3 (configured), workshop 2 (1 warming until 12:09:30Z, 1 Pending); requests: 3 list, 1 apply  cluster=hub',
    ],
    [
      'of a pass that was told to stop before it came to a pool whose spares wait',
      {
        ...SUMMARY,
        outcome: 'stopped',
        requests: {},
        pools: [{ pool: 'base', wanted: 3, live: 1, warm: 0, warming: 0, pending: 1, applied: 'notReached' }],
      },
      'pass summary: stopped in 0.9 s; base 1 → 3 (not reached; 1 Pending)  cluster=hub',
    ],
    [
      'of a dry run, with an entry to look at',
      { ...SUMMARY, pools: [], findings: { upcoming: 1 }, dryRun: true },
      'pass summary: ok in 0.9 s (dry run: nothing was written); requests: 3 list, 1 apply; 1 problem in calendar entries  cluster=hub',
    ],
    [
      'of a pass that failed and decides from kept events',
      {
        ...SUMMARY,
        outcome: 'failed',
        exitCode: 1,
        pools: [],
        requests: {},
        findings: { upcoming: 2 },
        degraded: true,
        degradedSince: '2026-03-02T11:58:00.000Z',
      },
      'pass summary: failed in 0.9 s; 2 problems in calendar entries; degraded since 2026-03-02T11:58:00.000Z  cluster=hub',
    ],
  ])('%s', (_, fields, words) => {
    expect(lineOf('pass summary', fields)).toBe(`12:00:01Z INFO    ${words}`);
  });
});

test('the summary of a fleet says how many clusters are well, and names those that are not', () => {
  const fields = {
    event: 'fleet_summary',
    clusters: 3,
    outcomes: { ok: 2, failed: 1 },
    notOk: ['west'],
    pools: 4,
    wanted: 9,
    requests: { list: 9 },
    task: '1 of 2',
    durationMs: 2240,
  };
  expect(lineOf('fleet summary', fields)).toBe(
    '12:00:01Z INFO    fleet summary: 3 clusters in 2.2 s: 2 ok, 1 failed; not ok: west; 9 placeholders wanted in 4 pools; requests: 9 list  task="1 of 2"',
  );
});

function withCode(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

describe('what is wrong', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    [
      'a problem, with its place beside it',
      {
        event: 'calendar_finding',
        code: 'unknown-pool',
        line: 3,
        text: 'bse: 3',
        problem: '`bse`: no such pool',
      },
      'said: `bse`: no such pool  code=unknown-pool line=3 text="bse: 3"',
    ],
    ['a notice', { notice: 'no calendar is set' }, 'said: no calendar is set'],
    [
      'an error, with a remedy other than its own',
      {
        error: new ClusterError('409', { kind: 'conflict', remedy: 'nothing' }),
        remedy: 'put the pool back',
      },
      'said: 409 -> nothing; to do: put the pool back',
    ],
    ['a remedy alone', { remedy: 'put the pool back' }, 'said: to do: put the pool back'],
    [
      'a cause that adds something, without the drawing that a parser appends',
      {
        error: new ClusterError('cannot be read', {
          kind: 'misconfigured',
          remedy: 'correct it',
          cause: new Error('deficient indentation (2:1)\n\n 1 | hello: [\n-----^'),
        }),
      },
      'said: cannot be read: deficient indentation (2:1) -> correct it',
    ],
    [
      'a cause whose code is told already',
      {
        error: new ClusterError('the file cannot be read (ENOENT)', {
          kind: 'misconfigured',
          remedy: 'correct it',
          cause: withCode("ENOENT: no such file or directory, open 'x'", 'ENOENT'),
        }),
        remedy: 'correct it',
      },
      'said: the file cannot be read (ENOENT) -> correct it',
    ],
    [
      'a cause in the very words of the message',
      {
        error: new ClusterError('https://h: connect ECONNREFUSED', {
          kind: 'unavailable',
          remedy: 'start it',
          cause: new Error('connect ECONNREFUSED'),
        }),
      },
      'said: https://h: connect ECONNREFUSED -> start it',
    ],
  ])('%s', (_, fields, words) => {
    expect(lineOf('said', fields)).toBe(`12:00:01Z INFO    ${words}`);
  });

  test('an error that nobody foresaw keeps its stack', () => {
    expect(lineOf('crashed', { error: new TypeError('x is undefined') })).toMatch(
      /^12:00:01Z INFO {4}crashed {2}error="TypeError: x is undefined \(.*log-words\.test\.ts/,
    );
  });

  test('a title cannot fake a second line', () => {
    expect(lineOf('said', { problem: 'one\n12:00:01Z ERROR   two' })).toBe(
      String.raw`12:00:01Z INFO    said: one\u000a12:00:01Z ERROR   two`,
    );
  });
});
