/**
 * The metrics of infra/metrics.tf against lines that a pass printed: a field that is renamed on one side only turns
 * this red, long before a chart goes empty or an alert stays silent.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { attribute, INFRA, isReference, REPOSITORY, type HclObject, type HclValue } from './hcl.ts';
import { entryOf, fieldOf, matchesFilter, type LogEntry } from './log-filter.ts';

const metricsText = readFileSync(join(INFRA, 'metrics.tf'), 'utf8');
const variables: Readonly<Record<string, string>> = { 'var.name': 'autoscaler', 'var.region': 'us-central1' };

interface Metric {
  readonly key: string;
  readonly filter: string;
  readonly labels: readonly string[];
  readonly value: string | undefined;
}

/** The text behind an expression or a template, with `local.` and `var.` filled in. */
function resolve(value: HclValue): string {
  if (typeof value === 'string') {
    return value.replace(/\$\{([\w.]+)\}/g, (_match, name: string) => lookUp(name));
  }
  if (isReference(value)) {
    return lookUp(value.expression);
  }
  throw new Error(`not a text: ${JSON.stringify(value)}`);
}

function lookUp(name: string): string {
  if (name === 'local.schedule_region') return 'us-central1';
  return variables[name] ?? resolve(attribute(metricsText, name.replace(/^local\./, '')));
}

function metricsOf(attributeName: string): readonly Metric[] {
  return Object.entries(attribute(metricsText, attributeName) as HclObject).map(([key, metric]) => {
    const { filter = '', labels = {}, value } = metric as HclObject;
    return {
      key,
      filter: resolve(filter),
      labels: Object.values(labels as HclObject).map(resolve),
      value: value === undefined ? undefined : resolve(value),
    };
  });
}

const counters = metricsOf('counters');
const measures = metricsOf('measures');

/** What the job says in infra/job.tf about its log. */
const jobArguments = attribute(readFileSync(join(INFRA, 'job.tf'), 'utf8'), 'args') as readonly string[];
const logFlags = jobArguments.slice(jobArguments.indexOf('--log-format'));

const jobResource = {
  type: 'cloud_run_job',
  labels: { project_id: 'my-project', location: 'us-central1', job_name: 'autoscaler' },
};

function ics(now: number): string {
  const at = (minutes: number): string =>
    `${new Date(now + minutes * 60_000).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
  const event = (uid: string, minutes: number, description: string): readonly string[] => [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${at(0)}`,
    `DTSTART:${at(minutes)}`,
    `DTEND:${at(minutes + 60)}`,
    `SUMMARY:${uid}`,
    `DESCRIPTION:${description}`,
    'END:VEVENT',
  ];
  const lines = [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN'],
    ...event('class', -10, 'base: 3'),
    ...event('slip', 600, 'bse: 2'),
    'END:VCALENDAR',
  ];
  return `${lines.join('\r\n')}\r\n`;
}

describe('metrics from the log of real passes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-metrics-'));
  let healthy: readonly LogEntry[] = [];
  let quiet: readonly LogEntry[] = [];
  let degraded: readonly LogEntry[] = [];

  function runPass(): readonly LogEntry[] {
    const args = ['--config', 'config.yaml', '--state', 'file:state.json', ...logFlags];
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [join(REPOSITORY, 'functions', 'main.ts'), 'pass', ...args],
      { cwd: folder, encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => entryOf(line, jobResource));
  }

  beforeAll(() => {
    writeFileSync(
      join(folder, 'config.yaml'),
      [
        'cluster: embedded',
        'calendarUrl: calendar.ics',
        'nodePools:',
        '  base:',
        '    replicas: 1',
        '    resources: { requests: { memory: 56Gi } }',
        '  workshop:',
        '    resources: { requests: { memory: 56Gi } }',
        '',
      ].join('\n'),
    );
    writeFileSync(join(folder, 'calendar.ics'), ics(Date.now()));
    healthy = runPass();
    quiet = runPass();
    rmSync(join(folder, 'calendar.ics'));
    degraded = runPass();
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  function matched(entries: readonly LogEntry[], key: string): readonly LogEntry[] {
    const metric = [...counters, ...measures].find((one) => one.key === key);
    return entries.filter((entry) => matchesFilter(entry, metric?.filter ?? ''));
  }

  const fromTheJob = [...counters, ...measures].filter(({ key }) => key !== 'start_failures');

  test.each(fromTheJob)('$key: a line matches, and each label is a text in it', ({ key, labels }) => {
    const lines = matched([...healthy, ...degraded], key);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(labels.map((path) => [path, typeof fieldOf(line, path)])).toEqual(
        labels.map((path) => [path, 'string']),
      );
    }
  });

  test.each(measures)('$key: its value is a number in every line', ({ key, value }) => {
    const values = matched([...healthy, ...degraded], key).map((line) => fieldOf(line, value ?? ''));
    expect(values.length).toBeGreaterThan(0);
    expect(values.filter((one) => !Number.isFinite(one))).toEqual([]);
  });

  test.each([
    ['passes', 1],
    ['pass_duration', 1],
    ['findings', 1],
    ['decisions', 2],
    ['pool_wanted', 2],
    ['pool_warm', 2],
    ['pool_warming', 2],
    ['pool_pending', 2],
    ['pool_short', 2],
  ])('%s: one line for each cluster or pool on every pass', (key, lines) => {
    expect(matched(healthy, key)).toHaveLength(lines);
    expect(matched(quiet, key)).toHaveLength(lines);
    expect(matched(degraded, key)).toHaveLength(lines);
  });

  test('a successful pass counts as one, by the outcome that the alert asks for', () => {
    expect(matched(healthy, 'passes').map(({ jsonPayload }) => jsonPayload['outcome'])).toEqual(['ok']);
    expect(readFileSync(join(INFRA, 'alerts.tf'), 'utf8')).toContain('outcome=\\"ok\\"');
  });

  test('only a pass that could not read its calendar is degraded', () => {
    expect(matched(healthy, 'degraded')).toEqual([]);
    expect(matched(degraded, 'degraded')).toHaveLength(1);
  });

  test('a problem in an upcoming event is counted on every pass, not only when it is reported', () => {
    const counts = [healthy, quiet].map((entries) =>
      matched(entries, 'findings').map((line) => fieldOf(line, 'jsonPayload.findings.upcoming')),
    );
    expect(counts).toEqual([[1], [1]]);
  });

  test('another job in the project counts for nothing', () => {
    const other = healthy.map((entry) => ({
      ...entry,
      resource: { ...jobResource, labels: { ...jobResource.labels, job_name: 'another' } },
    }));
    expect(fromTheJob.flatMap(({ key }) => matched(other, key))).toEqual([]);
  });

  test('what the dashboard calls a warning is one', () => {
    expect(degraded.filter(({ severity }) => severity === 'WARNING').length).toBeGreaterThan(0);
  });
});

describe('starts that fail', () => {
  const filter = counters.find(({ key }) => key === 'start_failures')?.filter ?? '';
  const attempt: LogEntry = {
    severity: 'ERROR',
    resource: {
      type: 'cloud_scheduler_job',
      labels: { project_id: 'my-project', location: 'us-central1', job_id: 'autoscaler-start' },
    },
    jsonPayload: {
      '@type': 'type.googleapis.com/google.cloud.scheduler.logging.AttemptFinished',
      debugInfo: 'URL_ERROR-ERROR_OTHER. Original HTTP response code number = 403',
      status: 'PERMISSION_DENIED',
      targetType: 'HTTP',
    },
  };

  test('a refused start counts', () => {
    expect(matchesFilter(attempt, filter)).toBe(true);
  });

  test.each([
    ['a start that worked', { ...attempt, severity: 'INFO' }],
    [
      'another schedule',
      { ...attempt, resource: { ...attempt.resource, labels: { ...attempt.resource.labels, job_id: 'x' } } },
    ],
  ])('%s does not', (_name, entry) => {
    expect(matchesFilter(entry, filter)).toBe(false);
  });
});
