/** The one line that sums up a fleet: what an operator reads first, and what its metrics are taken from. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { reportFleet } from '../../functions/pass/fleet-report.ts';
import type { ClusterReport, PoolReport } from '../../functions/pass/job.ts';
import { CapturedLog } from '../support/fakes.ts';

function aPoolReport(wanted: number): PoolReport {
  return {
    pool: 'base',
    wanted,
    live: 9,
    target: 9,
    warm: 9,
    warming: 9,
    warmBy: undefined,
    pending: 9,
    pendingMessage: undefined,
    rule: 'room',
    reason: `${wanted} = nodePools.base.replicas ${wanted}`,
    applied: 'unchanged',
  };
}

function aReport(cluster: string, overrides: Partial<ClusterReport> = {}): ClusterReport {
  return {
    cluster,
    outcome: 'ok',
    exitCode: 0,
    degradedSinceAt: undefined,
    findings: 0,
    requests: {},
    reading: undefined,
    pools: [],
    ...overrides,
  };
}

const ONE_TASK = { task: { index: 0, count: 1 }, startedAt: 0 };

function fleetLine(reports: readonly ClusterReport[], pass = ONE_TASK) {
  const log = new CapturedLog();
  reportFleet(log, reports, pass);
  expect(log.lines).toHaveLength(1);
  return log.lines[0];
}

describe('the summary of a fleet', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('counts clusters by outcome, pools, placeholders and requests by verb, and names who is not ok', () => {
    vi.spyOn(performance, 'now').mockReturnValue(5000.6);
    const reports = [
      aReport('west', { requests: { list: 3, apply: 1 }, pools: [aPoolReport(3), aPoolReport(1)] }),
      aReport('lab', { outcome: 'failed', requests: { list: 4, get: 2 }, pools: [aPoolReport(5)] }),
      aReport('east', { outcome: 'held' }),
      aReport('north', { outcome: 'stopped', requests: { list: 1 } }),
      aReport('south'),
    ];
    expect(fleetLine(reports, { ...ONE_TASK, startedAt: 3765.2 })).toEqual({
      level: 'info',
      message: 'fleet summary',
      fields: {
        event: 'fleet_summary',
        clusters: 5,
        outcomes: { ok: 2, failed: 1, held: 1, stopped: 1 },
        notOk: ['lab', 'north'],
        pools: 3,
        wanted: 9,
        requests: { list: 8, apply: 1, get: 2 },
        task: undefined,
        durationMs: 1235,
      },
    });
  });

  it('is all noughts where there was nothing to do', () => {
    expect(fleetLine([])?.fields).toMatchObject({
      clusters: 0,
      outcomes: {},
      notOk: [],
      pools: 0,
      wanted: 0,
      requests: {},
    });
  });

  it('names twenty that are not ok, the first in the order of the config, and counts all', () => {
    const names = Array.from({ length: 25 }, (_, index) => `hub-${index}`);
    const fields = fleetLine(names.map((name) => aReport(name, { outcome: 'failed' })))?.fields;
    expect(fields?.['notOk']).toEqual(names.slice(0, 20));
    expect(fields?.['outcomes']).toEqual({ failed: 25 });
  });

  it.each([
    { task: { index: 0, count: 1 }, words: undefined },
    { task: { index: 0, count: 2 }, words: '1 of 2' },
    { task: { index: 2, count: 3 }, words: '3 of 3' },
  ])('says of task $task.index of $task.count: $words', ({ task, words }) => {
    expect(fleetLine([aReport('west')], { ...ONE_TASK, task })?.fields['task']).toBe(words);
  });
});
