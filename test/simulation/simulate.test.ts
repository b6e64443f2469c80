import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../functions/commands/context.ts';
import { type GivenTime, parseGivenTime } from '../../functions/commands/given-time.ts';
import type { SimulateArguments } from '../../functions/commands/simulate-arguments.ts';
import { runSimulate } from '../../functions/commands/simulate.ts';
import { DEFAULT_CONFIG, DEFAULT_CONFIG_SOURCE } from '../../functions/config/default-config.ts';
import { parseSettings } from '../../functions/config/load.ts';
import type { Settings } from '../../functions/config/settings.ts';
import { CapturedLog } from '../support/fakes.ts';

const OWN_CONFIG = `
cluster: embedded
nodePools:
  base:
    nodeSelector: { hub.jupyter.org/pool-name: base }
    resources: { requests: { memory: 60738518784 } }
    replicas: 1
`;

const ICS = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//test//test//EN',
  'BEGIN:VEVENT',
  'UID:1',
  'DTSTAMP:20260901T000000Z',
  'DTSTART:20260907T085000Z',
  'DTEND:20260907T091000Z',
  'SUMMARY:Monday class',
  'DESCRIPTION:base: 3',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:2',
  'DTSTAMP:20260901T000000Z',
  'DTSTART:20260907T125000Z',
  'DTEND:20260907T131000Z',
  'SUMMARY:Afternoon class',
  'DESCRIPTION:bse: 2',
  'END:VEVENT',
  'END:VCALENDAR',
].join('\r\n');

function settingsFrom(text: string, source: string): Settings {
  return parseSettings(text, { source, folder: '.' }, { kubeconfigPath: '' });
}

function world(more: Partial<CommandContext> = {}): {
  readonly context: CommandContext;
  readonly printed: string[];
} {
  const printed: string[] = [];
  const context: CommandContext = {
    settings: settingsFrom(DEFAULT_CONFIG, DEFAULT_CONFIG_SOURCE),
    log: new CapturedLog(),
    print: (text) => printed.push(text),
    terminal: { isTerminal: false, columns: 200, hasColors: false },
    env: {},
    now: () => Date.UTC(2026, 8, 7, 6),
    stop: new AbortController().signal,
    ...more,
  };
  return { context, printed };
}

function instant(at: number): GivenTime {
  return { kind: 'instant', at };
}

function chosen(more: Partial<SimulateArguments> = {}): SimulateArguments {
  return {
    command: 'simulate',
    scenario: undefined,
    calendar: undefined,
    cluster: undefined,
    from: undefined,
    to: undefined,
    seed: 1,
    compare: [],
    out: undefined,
    format: 'text',
    ...more,
  };
}

describe('simulate', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'simulate-'));
    await writeFile(join(folder, 'class.ics'), ICS);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it('without options shows the reference morning beside what it is compared with', async () => {
    const { context, printed } = world();
    const code = await runSimulate(context, chosen({ compare: [{ kind: 'plain' }, { kind: 'none' }] }));
    expect(code).toBe(0);
    const lines = printed.join('').split('\n');
    expect(lines[0]).toMatch(
      /^reference morning: Mon 7 Sept, 08:00 to Mon 7 Sept, 11:00 \(UTC\), seed 1, 180 passes/,
    );
    expect(lines.map((line) => line.trim().split(' ')[0])).toEqual(
      expect.arrayContaining(['warm-first', 'plain', 'none']),
    );
  });

  it('gives the same bytes for the same seed, and others for another', async () => {
    const run = async (seed: number): Promise<string> => {
      const { context, printed } = world();
      await runSimulate(context, chosen({ seed, format: 'json', compare: [{ kind: 'none' }] }));
      return printed.join('');
    };
    const first = await run(5);
    expect(await run(5)).toBe(first);
    expect(await run(6)).not.toBe(first);
    expect(JSON.parse(first)).toMatchObject({ seed: 5, passes: 180, isWhole: true, calendarFindings: [] });
  });

  it("on one's own config and ICS file names the event with the flaw, and the likely fix", async () => {
    const { context, printed } = world({ settings: settingsFrom(OWN_CONFIG, 'config.yaml') });
    const span = { from: instant(Date.UTC(2026, 8, 7, 8)), to: instant(Date.UTC(2026, 8, 7, 14)) };
    const calendar = join(folder, 'class.ics');
    const code = await runSimulate(context, chosen({ calendar, ...span, format: 'json' }));
    expect(code).toBe(0);
    const result = JSON.parse(printed.join('')) as Record<string, readonly Record<string, string>[]>;
    expect(result['calendarFindings']).toMatchObject([
      { code: 'unknown-pool', eventTitle: 'Afternoon class' },
    ]);
    expect(result['calendarFindings']?.[0]?.['message']).toContain('did you mean `base`?');
    expect(result['visits']).toHaveLength(60);
  });

  it.each([
    {
      name: "the calendar's own",
      more: { calendar: 'examples/calendar.ics' },
      config: OWN_CONFIG,
      span: 'Mon 31 Aug, 08:00 to Mon 31 Aug, 10:00 (America/Los_Angeles)',
    },
    {
      name: 'the one that the config gives the calendar',
      more: {},
      config: `${OWN_CONFIG}calendarUrl: examples/calendar.ics\ncalendarTimezone: Asia/Tokyo\n`,
      span: 'Mon 31 Aug, 08:00 to Mon 31 Aug, 10:00 (Asia/Tokyo)',
    },
    {
      name: 'UTC without a calendar',
      more: {},
      config: OWN_CONFIG,
      span: 'Mon 31 Aug, 08:00 to Mon 31 Aug, 10:00 (UTC)',
    },
    {
      name: 'that of the scenario',
      more: { scenario: 'examples/scenarios/semester.yaml' },
      config: OWN_CONFIG.replace(
        'base:\n',
        'workshop: { resources: { requests: { memory: 1Gi } } }\n  base:\n',
      ),
      span: 'Mon 31 Aug, 08:00 to Mon 31 Aug, 10:00 (America/Los_Angeles)',
    },
  ])('takes times without a zone in $name', async ({ more, config, span }) => {
    const { context, printed } = world({ settings: settingsFrom(config, 'config.yaml') });
    const [from, to] = [parseGivenTime('2026-08-31T08:00'), parseGivenTime('2026-08-31T10:00')];
    expect(await runSimulate(context, chosen({ ...more, from, to }))).toBe(0);
    expect(printed.join('')).toContain(span);
  });

  it('tells a class that waited why, and an event to which nobody came', async () => {
    const scenario = 'examples/scenarios/late-event.yaml';
    const { context, printed } = world();
    await runSimulate(context, chosen({ scenario, format: 'json' }));
    const { advice } = JSON.parse(printed.join('')) as { readonly advice: readonly object[] };
    expect(advice).toMatchObject([
      {
        kind: 'classWaited',
        title: 'Monday class',
        people: 60,
        cause: { kind: 'tooLate', event: 'Monday class', minutes: 8 },
      },
      { kind: 'nobodyCame', title: 'Seminar that was moved' },
    ]);
  });

  it.each([
    ['fit several times on one node', 'memory: 1Gi', '57 placeholders of base fit on one node'],
    ['ask for nothing', 'ephemeral-storage: 1Gi', 'request neither cpu nor memory'],
    ['fit on no node', 'memory: 100Gi', 'request more memory than a node has'],
  ])('tells a class that waited of placeholders that %s', async (_name, requests, words) => {
    const settings = settingsFrom(OWN_CONFIG.replace('memory: 60738518784', requests), 'config.yaml');
    const { context, printed } = world({ settings });
    const [from, to] = [parseGivenTime('2026-09-07T08:00Z'), parseGivenTime('2026-09-07T12:00Z')];
    await runSimulate(context, chosen({ calendar: join(folder, 'class.ics'), from, to }));
    expect(printed.join('')).toMatch(/60 people of "Monday class" \(base\) waited up to/);
    expect(printed.join('')).toContain(words);
  });

  it('says so when nobody comes', async () => {
    const { context, printed } = world({ settings: settingsFrom(OWN_CONFIG, 'config.yaml') });
    const [from, to] = [parseGivenTime('2026-09-07T20:00Z'), parseGivenTime('2026-09-07T21:00Z')];
    await runSimulate(context, chosen({ calendar: join(folder, 'class.ics'), from, to }));
    expect(printed.join('')).toContain('Nobody logs in during this time.');
  });

  it('writes the report as one file that asks for nothing else', async () => {
    const out = join(folder, 'report.html');
    const { context, printed } = world();
    await runSimulate(context, chosen({ out, compare: [{ kind: 'none' }] }));
    expect(printed.join('')).toContain(`Report: ${out}`);
    const html = await readFile(out, 'utf8');
    expect(html).toMatch(/^<!doctype html>/);
    expect(html).not.toMatch(/<script|src=|href=|url\(|@import/);
    // A unit stays with its number.
    expect(html).toContain('<dt>95 % wait at most</dt><dd>3\u00A0s</dd>');
    expect(html).toContain('<dt>waited over a minute</dt><dd>0 of 60</dd>');
  });

  it('stopped on the way shows what there is, and says so', async () => {
    const stop = new AbortController();
    const shown: string[] = [];
    const { context } = world({
      stop: stop.signal,
      terminal: { isTerminal: true, columns: 200, hasColors: false },
      print: (text) => {
        shown.push(text);
        stop.abort();
      },
    });
    const code = await runSimulate(context, chosen({ scenario: 'examples/scenarios/stock-out.yaml' }));
    expect(code).toBe(1);
    expect(shown.join('')).toContain('Stopped before the end');
    expect(shown.join('')).toContain('warm-first');
  });

  it('draws a progress bar on a terminal only', async () => {
    const shown = async (isTerminal: boolean): Promise<string> => {
      const { context, printed } = world({ terminal: { isTerminal, columns: 80, hasColors: false } });
      await runSimulate(context, chosen());
      return printed.join('');
    };
    expect(await shown(true)).toContain('%  warm-first');
    expect(await shown(false)).not.toContain('\r');
  });

  const mistakes: readonly {
    readonly name: string;
    readonly more: Partial<SimulateArguments>;
    readonly path: string;
    readonly message: RegExp;
  }[] = [
    {
      name: 'a scenario that is not there',
      more: { scenario: 'no.yaml' },
      path: '',
      message: /does not exist: .*--scenario/,
    },
    {
      name: 'a folder as scenario',
      more: { scenario: 'examples' },
      path: '',
      message: /is a folder: .*--scenario/,
    },
    {
      name: 'a cluster that the config lacks',
      more: { scenario: 'examples/scenarios/semester.yaml', cluster: 'west' },
      path: '--cluster',
      message: /"west" is none of default/,
    },
    {
      name: 'an end before the start',
      more: { calendar: 'examples/calendar.ics', from: instant(2_000_000), to: instant(1_000_000) },
      path: '--to',
      message: /after --from/,
    },
    {
      name: 'an end of the reference morning before its start',
      more: { to: instant(Date.UTC(2026, 8, 6)) },
      path: '--to',
      message: /after --from: it is Sun 06 Sep 2026 00:00, and the start Mon 07 Sep 2026 08:00 \(UTC\)/,
    },
    {
      name: 'a cluster where no config names any',
      more: { cluster: 'west' },
      path: '--cluster',
      message: /"west" is none of default/,
    },
    {
      name: 'a report that cannot be written',
      more: { out: '/nowhere/report.html' },
      path: '--out',
      message: /cannot be written/,
    },
  ];
  it.each(mistakes)('refuses $name, with the flag and the fix', async ({ more, path, message }) => {
    const { context } = world();
    await expect(runSimulate(context, chosen(more))).rejects.toMatchObject({
      name: 'ConfigError',
      findings: [{ path, message: expect.stringMatching(message) as string }],
    });
  });

  it.each([
    [
      'is not there',
      () => 'nope.ics',
      { kind: 'notFound', remedy: /^give an address or a path as --calendar;/ },
    ],
    [
      'is a folder',
      () => folder,
      { kind: 'misconfigured', remedy: /^name the ICS file in it as --calendar$/ },
    ],
    [
      'is no calendar',
      () => join(folder, 'page.ics'),
      { kind: 'malformed', remedy: /: open --calendar in a private browser/ },
    ],
    [
      'is on a port that fetch blocks',
      () => 'http://127.0.0.1:25/',
      { kind: 'misconfigured', remedy: /^correct --calendar/ },
    ],
  ])('names --calendar, and not the setting, when its calendar %s', async (_, calendar, expected) => {
    await writeFile(join(folder, 'page.ics'), '<html>Sign in</html>');
    const { context, printed } = world({ settings: settingsFrom(OWN_CONFIG, 'config.yaml') });
    const failing = runSimulate(context, chosen({ calendar: calendar() }));
    await expect(failing).rejects.toMatchObject({
      name: 'CalendarError',
      kind: expected.kind,
      message: expect.not.stringContaining('calendarUrl') as string,
      remedy: expect.stringMatching(expected.remedy) as string,
    });
    expect(printed).toEqual([]);
  });

  it('refuses a place for the report that is none before it simulates', async () => {
    const { context, printed } = world();
    const out = join(folder, 'nowhere', 'report.html');
    const simulating = runSimulate(context, chosen({ out, scenario: 'examples/scenarios/semester.yaml' }));
    await expect(simulating).rejects.toMatchObject({ name: 'ConfigError' });
    await expect(runSimulate(context, chosen({ out: folder }))).rejects.toMatchObject({
      findings: [{ path: '--out', message: expect.stringContaining('cannot be written') as string }],
    });
    expect(printed).toEqual([]);
  });

  it('keeps what moves a cursor or turns the direction of writing off the terminal', async () => {
    const scenario = join(folder, 'evil.yaml');
    const example = await readFile('examples/scenarios/late-event.yaml', 'utf8');
    const evil = String.raw`"c\e[2J\u202ed"`;
    await writeFile(
      scenario,
      example.replace(/^name: .*$/m, `name: ${evil}`).replaceAll('title: Monday class', `title: ${evil}`),
    );
    const { context, printed } = world();
    await runSimulate(context, chosen({ scenario }));
    const shown = printed.join('');
    expect(shown).toContain('c [2Jd');
    expect(
      Array.from(shown).filter((character) => /[\p{Cc}\u202E]/u.test(character) && character !== '\n'),
    ).toEqual([]);
  });

  it("tells what is wrong with the scenario's own config under its path, with its line", async () => {
    const scenario = join(folder, 'bad.yaml');
    await writeFile(
      scenario,
      [
        'name: Bad',
        'from: 2026-09-07',
        'to: 2026-09-08',
        'config:',
        '  nodePools:',
        '    base:',
        '      nodeSelector: { hub.jupyter.org/pool-name: base }',
        '      resources: { requests: { memory: 1Gi } }',
        '      replica: 1',
      ].join('\n'),
    );
    const { context } = world();
    await expect(runSimulate(context, chosen({ scenario }))).rejects.toMatchObject({
      findings: [
        {
          path: 'config.nodePools.base.replica',
          line: 9,
          message: expect.stringContaining('did you mean `replicas`?') as string,
        },
      ],
    });
  });
});
