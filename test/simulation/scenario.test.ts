import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../functions/config/load.ts';
import { ConfigError } from '../../functions/errors.ts';
import { parseScenario } from '../../functions/simulation/load-scenario.ts';
import { occurrences } from '../../functions/simulation/local-time.ts';
import {
  eventsOf,
  resolveScenario,
  scenarioFromEvents,
  spanOf,
} from '../../functions/simulation/resolve-scenario.ts';
import { renderScenarioSchema, SCENARIO_SCHEMA_FILE } from '../../scripts/scenario-schema.ts';

const EXAMPLES = new URL('../../examples/scenarios/', import.meta.url);
const CONFIG = `
cluster: embedded
nodePools:
  base: { nodeSelector: { hub.jupyter.org/pool-name: base }, resources: { requests: { memory: 1Gi } } }
`;
const settings = parseSettings(CONFIG, { source: 'config', folder: '.' }, { kubeconfigPath: '' });
const cluster = settings.clusters[0]!;

function problemsOf(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.findings.map(({ path, line, message }) => `${String(line ?? '-')} ${path}: ${message}`);
    }
    throw error;
  }
  return [];
}

describe('a scenario file', () => {
  it('has a schema for editors that is up to date', () => {
    expect(readFileSync(SCENARIO_SCHEMA_FILE, 'utf8')).toBe(renderScenarioSchema());
  });

  it.each(readdirSync(fileURLToPath(EXAMPLES)))('%s is understood', (name) => {
    const text = readFileSync(new URL(name, EXAMPLES), 'utf8');
    expect(parseScenario(text, name).file.name).not.toBe('');
  });

  it('lists everything that is wrong with it at once, each with its line and a fix', () => {
    const text = [
      'name: A morning',
      'timeZone: Mars/Olympus',
      'from: yesterday',
      'to: 2026-09-08',
      'pool: {}',
      'pools:',
      '  base: { minNode: 1, user: { cpu: lots } }',
      'classes:',
      '  - { title: Class, pool: base, people: 0, start: 2026-09-07T09:00, weekly: [monday] }',
      'trickle:',
      '  - { pool: base, peoplePerHour: -1 }',
    ].join('\n');
    const problems = problemsOf(() => parseScenario(text, 'scenario.yaml'));
    expect(problems).toHaveLength(8);
    expect(problems[0]).toMatch(/^2 timeZone: is not a time zone/);
    expect(problems[1]).toMatch(/^3 from: must be a date/);
    expect(problems[2]).toBe('5 pool: is not a key that is known here; did you mean `pools`?');
    expect(problems[3]).toBe(
      '7 pools.base.minNode: is not a key that is known here; did you mean `minNodes`?',
    );
    expect(problems[4]).toMatch(/^7 pools\.base\.user\.cpu: /);
    expect(problems[5]).toBe('9 classes[0].people: is 0; the least is 1');
    expect(problems[6]).toBe(
      '9 classes[0].weekly[0]: is "monday"; it must be one of mon, tue, wed, thu, fri, sat, sun',
    );
    expect(problems[7]).toBe('11 trickle[0].peoplePerHour: is -1; the least is 0');
  });

  it('lists with its own mistakes those of its config, pools that are none, and what is the wrong way round', () => {
    const text = [
      'name: A morning',
      'from: 2026-09-07',
      'to: 2026-09-08',
      'config: { nodePools: { base: { replicas: 1, nodeSelector: { hub.jupyter.org/pool-name: base }, resources: { requests: { cpu: 1 } } } } }',
      'pools:',
      '  base: { minNodes: 30, bootSeconds: { uniform: [9, 3] } }',
      'classes:',
      '  - { title: Class, pool: bass, people: 0, start: 2026-09-07T09:00, arriveMinutes: [5, -2] }',
      'trickle:',
      '  - { pool: base, peoplePerHour: 1, hours: [22, 8] }',
    ];
    expect(problemsOf(() => parseScenario(text.join('\n'), 'scenario.yaml'))).toEqual([
      '6 pools.base.minNodes: is above maxNodes, 20',
      '6 pools.base.bootSeconds.uniform: begins with the larger number: turn them round',
      '8 classes[0].pool: "bass" is no pool of the config; did you mean `base`?',
      '8 classes[0].people: is 0; the least is 1',
      '8 classes[0].arriveMinutes: begins with the larger number: turn them round',
      '10 trickle[0].hours: begins with the larger number: turn them round',
    ]);
    const flawed = text.with(3, 'config: { nodePools: { base: { replica: 1 } } }').join('\n');
    const problems = problemsOf(() => parseScenario(flawed, 'scenario.yaml'));
    expect(problems).toContain(
      '4 config.nodePools.base.replica: is not a key that is known here; did you mean `replicas`?',
    );
    expect(problems).toContain('8 classes[0].people: is 0; the least is 1');
  });

  it('is told what it lacks, and which settings belong to a config', () => {
    const text = 'nodePools: {}\ncalendarId: a@b\nfrom: 2026-09-31\n';
    expect(problemsOf(() => parseScenario(text, 'scenario.yaml'))).toEqual([
      '1 name: is missing: add a line for it',
      '1 to: is missing: add a line for it',
      '1 nodePools: belongs to a config: write it under `config`, or give the config with --config',
      '2 calendarId: belongs to a config: write it under `config`, or give the config with --config',
      '3 from: must be a date, such as 2026-09-07, or with a time of day, 2026-09-07T06:00',
    ]);
  });

  it.each(['2026-02-30', '2026-09-31T09:00', '2026-09-01T24:00', '2026-09-01T09:60', '0-0-0'])(
    'is told that %s is no time',
    (from) => {
      const text = `name: A\nfrom: ${from}\nto: 2026-12-01\n`;
      const problems = problemsOf(() => parseScenario(text, 'scenario.yaml'));
      expect(problems).toEqual([expect.stringMatching(/^2 from: must be a date/)]);
    },
  );

  it('is told what an empty file lacks', () => {
    expect(problemsOf(() => parseScenario('# nothing\n', 'scenario.yaml'))).toEqual([
      '- : is empty: a scenario has at least name, from and to; ready ones are in examples/scenarios',
    ]);
  });

  it('is told where it names pools that the config lacks, and where its times do not add up', () => {
    const text = [
      'name: A morning',
      'from: 2026-09-07',
      'to: 2026-09-07',
      'pools:',
      '  bse: {}',
      '  base: { user: { cpu: 100 } }',
      'classes:',
      '  - { title: Class, pool: bass, people: 1, start: 2026-09-07T09:00 }',
      'faults: { stockOuts: [{ pool: base, zone: z, start: 2026-09-07T09:00, minutes: 5 }] }',
    ].join('\n');
    const loaded = parseScenario(text, 'scenario.yaml');
    const span = spanOf(loaded.file);
    expect(problemsOf(() => resolveScenario(loaded, { settings, cluster, span, events: [] }))).toEqual([
      '3 to: must be after `from`',
      '5 pools.bse: "bse" is no pool of the config; did you mean `base`?',
      '6 pools.base: has no node that one user fits on: raise allocatable.cpu, or lower user.cpu or system.cpu',
      '8 classes[0].pool: "bass" is no pool of the config; did you mean `base`?',
      '9 faults.stockOuts[0].zone: "z" is no zone of base; zones are a',
    ]);
  });
});

describe('what a scenario says', () => {
  it('repeats week after week by the clock on the wall', () => {
    const repetition = { start: '2026-10-19T09:00', weekly: ['mon', 'fri'] as const };
    const until = Date.UTC(2026, 9, 31);
    expect(occurrences(repetition, 'Europe/Paris', until).map((at) => new Date(at).toISOString())).toEqual([
      '2026-10-19T07:00:00.000Z',
      '2026-10-23T07:00:00.000Z',
      '2026-10-26T08:00:00.000Z',
      '2026-10-30T08:00:00.000Z',
    ]);
  });

  it('draws the same people for a seed, others for another, and none outside its time', () => {
    const text = [
      'name: A day',
      'from: 2026-09-07',
      'to: 2026-09-08',
      'classes:',
      '  - { title: Class, pool: base, people: 40, start: 2026-09-07T09:00, arriveMinutes: [-10, 10] }',
      '  - { title: Night, pool: base, people: 40, start: 2026-09-08T00:00, arriveMinutes: [-10, 10] }',
      'trickle:',
      '  - { pool: base, peoplePerHour: 6, hours: [8, 20] }',
    ].join('\n');
    const loaded = parseScenario(text, 'scenario.yaml');
    const span = spanOf(loaded.file);
    const scenario = resolveScenario(loaded, { settings, cluster, span, events: [] });
    const visits = scenario.visits(3);
    expect(visits).toEqual(scenario.visits(3));
    expect(visits).not.toEqual(scenario.visits(4));
    expect(visits.every(({ at }) => at >= span.fromAt && at < span.toAt)).toBe(true);
    const of = (group: string): number => visits.filter((visit) => visit.group === group).length;
    expect(of('Class')).toBe(40);
    expect(of('Night')).toBeGreaterThan(5);
    expect(of('Night')).toBeLessThan(35);
    expect(of('one by one')).toBeGreaterThan(40);
    expect(of('one by one')).toBeLessThan(110);
  });

  it('brings its own calendar, every instance that touches its time', () => {
    const text = [
      'name: A week',
      'from: 2026-09-07',
      'to: 2026-09-14',
      'calendar:',
      '  - { title: Class, description: "base: 3", start: 2026-08-31T08:50, minutes: 20, weekly: [mon, wed] }',
    ].join('\n');
    const { file } = parseScenario(text, 'scenario.yaml');
    const events = eventsOf(file, spanOf(file));
    expect(events.map(({ startAt, text: said }) => [new Date(startAt).toISOString(), said])).toEqual([
      ['2026-09-07T08:50:00.000Z', 'base: 3'],
      ['2026-09-09T08:50:00.000Z', 'base: 3'],
    ]);
  });

  it('without a file takes each event for a class of twenty people for each placeholder', () => {
    const startAt = Date.UTC(2026, 8, 7, 8, 50);
    const events = [
      { id: '1', title: 'Class', text: 'base: 2', startAt, endAt: startAt + 1_200_000 },
      { id: '2', title: 'Night', text: 'base: 0', startAt: startAt + 3_600_000, endAt: startAt + 7_200_000 },
    ];
    const span = { fromAt: startAt - 3_600_000, toAt: startAt + 10_800_000, timeZone: 'UTC' };
    const scenario = scenarioFromEvents({ settings, cluster, span, events });
    const visits = scenario.visits(1);
    expect(visits).toHaveLength(40);
    expect(Math.min(...visits.map(({ at }) => at))).toBeGreaterThanOrEqual(startAt + 8 * 60_000);
    expect(Math.max(...visits.map(({ at }) => at))).toBeLessThanOrEqual(startAt + 15 * 60_000);
  });
});
