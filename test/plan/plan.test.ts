import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { IcsCalendar } from '../../functions/calendar/ics.ts';
import { type GivenTime, parseGivenTime } from '../../functions/commands/given-time.ts';
import { runPlan } from '../../functions/commands/plan.ts';
import type { Openers } from '../../functions/commands/openers.ts';
import { parseSettings } from '../../functions/config/load.ts';
import { CalendarError } from '../../functions/errors.ts';
import { inCalendar } from '../calendar/ics-file.ts';

const NOW = Date.parse('2026-11-30T17:00:00Z');

const CONFIG = `calendarUrl: /calendar.ics
cluster: embedded
nodePools:
  base:
    nodeSelector: {hub.jupyter.org/pool-name: base}
    resources: {requests: {memory: 1Gi}}
    replicas: 1
  workshop:
    nodeSelector: {hub.jupyter.org/pool-name: workshop}
    resources: {requests: {memory: 1Gi}}
    replicas: 0
`;

const TERM = `X-WR-TIMEZONE:America/Los_Angeles
BEGIN:VEVENT
UID:a
SUMMARY:CS 101 lab
DTSTART;TZID=America/Los_Angeles:20260901T085000
DTEND;TZID=America/Los_Angeles:20260901T091000
RRULE:FREQ=WEEKLY;BYDAY=MO,WE
DESCRIPTION:base: 3\\nworkshp: 1
END:VEVENT
BEGIN:VEVENT
UID:b
SUMMARY:Cool-off \u001B[31m
DTSTART:20260901T200000
DURATION:PT10H
RRULE:FREQ=DAILY
DESCRIPTION:base: 0
END:VEVENT
BEGIN:VEVENT
UID:c
SUMMARY:Open house
DTSTART;VALUE=DATE:20261202
DESCRIPTION:base: 30
END:VEVENT`;

interface PlanRun {
  readonly inside?: string;
  readonly config?: string;
  readonly days?: number;
  readonly from?: GivenTime;
  readonly format?: 'text' | 'json';
  readonly isStrict?: boolean;
  readonly hasColors?: boolean;
  readonly columns?: number;
  readonly openCalendar?: Openers['openCalendar'];
}

async function plan(run: PlanRun = {}): Promise<{ readonly text: string; readonly code: number }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'plan-'));
  try {
    const file = path.join(folder, 'calendar.ics');
    await writeFile(file, inCalendar(run.inside ?? TERM));
    const settings = parseSettings(
      run.config ?? CONFIG,
      { source: 'config.yaml', folder: '.' },
      { kubeconfigPath: '/nowhere', mayLackRequests: false },
    );
    let text = '';
    const code = await runPlan(
      {
        settings,
        print: (part) => {
          text += part;
        },
        terminal: { isTerminal: true, columns: run.columns ?? 100, hasColors: run.hasColors ?? false },
        env: {},
        now: () => NOW,
        stop: new AbortController().signal,
      },
      {
        days: run.days ?? 3,
        from: run.from,
        format: run.format ?? 'text',
        isStrict: run.isStrict ?? false,
      },
      run.openCalendar ??
        (({ timeZone }) => {
          const calendar = new IcsCalendar({ url: file, timeZone });
          return Promise.resolve({ label: 'term.ics', read: calendar.read.bind(calendar) });
        }),
    );
    return { text: text.replaceAll(file, 'term.ics'), code };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function unreadable(): Promise<never> {
  const remedy = 'share it';
  return Promise.reject(
    new CalendarError('calendar term.ics: may not be read', { kind: 'forbidden', remedy }),
  );
}

describe('the text', () => {
  test('shows windows, hours, findings and what deserves a look, in the time of the calendar', async () => {
    const { text, code } = await plan();
    expect(code).toBe(0);
    expect(text).toBe(`Plan from Mon 30 Nov 2026 09:00 to Thu 03 Dec 2026 09:00 (America/Los_Angeles)
calendar term.ics: 6 events, times of America/Los_Angeles

default / base  baseline 1, at most 20, 508.3 placeholder-hours; nodes with room come off
  Mon 30 Nov 09:00 –            09:10    3  'CS 101 lab'
  Mon 30 Nov 09:10 –            20:00    1  baseline
  Mon 30 Nov 20:00 – Tue 01 Dec 06:00    0  'Cool-off [31m'
  Tue 01 Dec 06:00 –            20:00    1  baseline
  Tue 01 Dec 20:00 – Wed 02 Dec 00:00    0  'Cool-off [31m'
  Wed 02 Dec 00:00 –            06:00   20  'Open house' asks for 30, cut to 20 by maxReplicas, ove…
  Wed 02 Dec 06:00 –            08:50   20  'Open house' asks for 30, cut to 20 by maxReplicas
  Wed 02 Dec 08:50 –            09:10   20  'Open house' asks for 30, cut to 20 by maxReplicas, ove…
  Wed 02 Dec 09:10 –            20:00   20  'Open house' asks for 30, cut to 20 by maxReplicas
  Wed 02 Dec 20:00 – Thu 03 Dec 00:00   20  'Open house' asks for 30, cut to 20 by maxReplicas, ove…
  Thu 03 Dec 00:00 –            06:00    0  'Cool-off [31m'
  Thu 03 Dec 06:00 –            09:00    1  baseline

default / workshop  baseline 0, at most 20, 0.0 placeholder-hours; nodes with room come off
  Mon 30 Nov 09:00 – Thu 03 Dec 09:00    0  baseline

Placeholder-hours by event
     480.0  'Open house' in default / base
       0.5  'CS 101 lab' in default / base

Findings (1)
  warning  'CS 101 lab', Mon 30 Nov 08:50 and 1 more, line 2: \`workshp\`: no such pool; did you
    mean \`workshop\`?

Worth a look
  Mon 30 Nov 20:00 and 2 more, default / base: during cool-off 'Cool-off [31m' a pending
    placeholder still holds the baseline, 1
  Tue 01 Dec 20:00 and 1 more, default / base: cool-off 'Cool-off [31m' is beaten by 'Open house'
    (30)
  Wed 02 Dec 00:00, default / base: 'Open house' asks for 30 and gets 20: maxReplicas
  Wed 02 Dec 08:50, default / base: 'CS 101 lab' (3) changes nothing: 'Open house' (30) is active
    throughout

Pools that no event names: default / workshop
`);
  });

  test('has colour only where there is some, and no other control characters', async () => {
    const plain = await plan();
    const coloured = await plan({ hasColors: true });
    expect(plain.text).not.toMatch(/\u001B/u);
    expect(coloured.text).toContain('\u001B[1mdefault / base\u001B[22m');
    // eslint cannot tell these from a mistake; they are what a terminal reads.
    const colour = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'gu');
    expect(coloured.text.replace(colour, '')).toBe(plain.text);
  });

  test('keeps its columns within the terminal', async () => {
    const { text } = await plan({ columns: 80 });
    const rows = text.split('\n').filter((line) => /^ {2}\w{3} \d\d \w{3} \d\d:\d\d –/u.test(line));
    expect(rows.length).toBeGreaterThan(5);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(80);
  });

  test('of a long term is shortened', async () => {
    const { text } = await plan({ days: 120 });
    expect(text).toMatch(/… and \d+ more \(--format json has all\)/u);
  });

  test('says when there are no findings', async () => {
    const { text } = await plan({ inside: 'X-WR-CALNAME:Capacity' });
    expect(text).toContain('Findings: none');
  });

  test('without a calendar shows baselines', async () => {
    const { text, code } = await plan({ config: CONFIG.replace('calendarUrl: /calendar.ics\n', '') });
    expect(code).toBe(0);
    expect(text).toContain('Mon 30 Nov 17:00 – Thu 03 Dec 17:00    1  baseline');
  });

  test('says of an unreadable calendar what to do, and of its pools that nothing is known', async () => {
    const { text, code } = await plan({ openCalendar: unreadable });
    expect(code).toBe(1);
    expect(text).toContain('calendar term.ics: may not be read; share it');
    expect(text).toContain('default / base  unknown: the calendar cannot be read');
    expect(text).not.toContain('Findings');
  });

  test('wraps findings at words, and sets the later lines in', async () => {
    const { text } = await plan({ columns: 60 });
    expect(text).toContain(
      "  warning  'CS 101 lab', Mon 30 Nov 08:50 and 1 more, line\n    2: `workshp`: no such pool; did you mean `workshop`?",
    );
    expect(
      Math.max(
        ...(text
          .split('Findings')[1]
          ?.split('\n')
          .map((line) => line.length) ?? []),
      ),
    ).toBeLessThanOrEqual(60);
  });

  test('counts one event as one', async () => {
    const { text } = await plan({
      inside: 'BEGIN:VEVENT\nUID:1\nDTSTART:20261201T090000Z\nDURATION:PT1H\nDESCRIPTION:base: 3\nEND:VEVENT',
    });
    expect(text).toContain('calendar term.ics: 1 event, times of');
  });
});

interface BoundPlan {
  readonly clusters: readonly { readonly pools: readonly { readonly windows: readonly BoundWindow[] }[] }[];
  readonly concerns: readonly object[];
}

interface BoundWindow {
  readonly event: object | null;
}

describe('the caps over several pools', () => {
  const pool = 'resources: {requests: {memory: 1Gi}}';
  const config = `calendarUrl: /calendar.ics
calendarMaxReplicas: 12
clusters:
  west: {cluster: embedded, nodePools: {base: {replicas: 2, ${pool}}}}
  east: {cluster: embedded, nodePools: {base: {${pool}}}}
  lab:
    cluster: embedded
    calendarUrl: /lab.ics
    calendarMaxReplicas: 5
    nodePools: {base: {${pool}}}
`;
  const inside = `BEGIN:VEVENT
UID:c
SUMMARY:Open house
DTSTART:20261201T090000Z
DURATION:PT2H
DESCRIPTION:base: 9
END:VEVENT`;

  test('show in the windows of the pools that they cut, and among what deserves a look', async () => {
    const { text } = await plan({ config, inside });
    // West and east share the ten beyond their baselines as 7 to 9.
    const rows = text.split('\n').filter((line) => line.includes('Open house'));
    expect(rows.slice(0, 3).map((row) => row.replaceAll(/ +/gu, ' '))).toEqual([
      " Tue 01 Dec 09:00 – 11:00 6 'Open house' asks for 9, cut to 6 by calendarMaxReplicas",
      " Tue 01 Dec 09:00 – 11:00 6 'Open house' asks for 9, cut to 6 by calendarMaxReplicas",
      " Tue 01 Dec 09:00 – 11:00 5 'Open house' asks for 9, cut to 5 by calendarMaxReplicas",
    ]);
    expect(text).toContain("west / base: 'Open house' asks for 9 and gets 6: calendarMaxReplicas");
  });

  test('stand in the JSON as what bounded a count', async () => {
    const { text } = await plan({
      config: `maxReplicasTotal: 13\n${config}`,
      inside,
      format: 'json',
      days: 1,
    });
    const { clusters, concerns } = JSON.parse(text) as BoundPlan;
    const windows = clusters.flatMap(({ pools }) => pools.flatMap((one) => one.windows));
    expect(windows.filter(({ event }) => event !== null)).toMatchObject([
      { count: 5, boundBy: 'maxReplicasTotal' },
      { count: 4, boundBy: 'maxReplicasTotal' },
      { count: 4, boundBy: 'maxReplicasTotal' },
    ]);
    expect(concerns).toMatchObject([
      { kind: 'bounded', count: 5, bound: 'maxReplicasTotal' },
      { kind: 'bounded', count: 4, bound: 'maxReplicasTotal' },
      { kind: 'bounded', count: 4, bound: 'maxReplicasTotal' },
    ]);
  });
});

describe('the exit code', () => {
  test.each([
    ['is 1 with --strict and a finding', { isStrict: true }, 1],
    ['is 0 without --strict', { isStrict: false }, 0],
    ['is 0 with --strict and no finding', { isStrict: true, inside: 'X-A:b' }, 0],
    ['is 1 for an unreadable calendar, strict or not', { openCalendar: unreadable }, 1],
  ])('%s', async (_, run, code) => {
    expect((await plan(run)).code).toBe(code);
  });

  test('a fault of ours is thrown, not shown as a calendar that cannot be read', async () => {
    await expect(plan({ openCalendar: () => Promise.reject(new TypeError('ours')) })).rejects.toThrow('ours');
  });
});

describe('the JSON', () => {
  test('has the documented fields', async () => {
    const { text } = await plan({ format: 'json', days: 1 });
    expect(JSON.parse(text)).toEqual({
      version: 1,
      from: '2026-11-30T17:00:00.000Z',
      until: '2026-12-01T17:00:00.000Z',
      calendars: [{ name: 'term.ics', readable: true, timeZone: 'America/Los_Angeles', events: 2 }],
      clusters: [
        {
          name: 'default',
          calendar: 'term.ics',
          pools: [
            {
              name: 'base',
              baseline: 1,
              maxReplicas: 20,
              calendarOverrideEnabled: false,
              namedByAnEvent: true,
              placeholderHours: 14.33,
              windows: [
                {
                  from: '2026-11-30T17:00:00.000Z',
                  until: '2026-11-30T17:10:00.000Z',
                  count: 3,
                  event: { id: 'a_20261130T165000Z', title: 'CS 101 lab', asks: 3 },
                  over: [],
                  boundBy: null,
                },
                {
                  from: '2026-11-30T17:10:00.000Z',
                  until: '2026-12-01T04:00:00.000Z',
                  count: 1,
                  event: null,
                  over: [],
                  boundBy: null,
                },
                {
                  from: '2026-12-01T04:00:00.000Z',
                  until: '2026-12-01T14:00:00.000Z',
                  count: 0,
                  event: { id: 'b_20261201T040000Z', title: 'Cool-off \u001B[31m', asks: 0 },
                  over: [],
                  boundBy: null,
                },
                {
                  from: '2026-12-01T14:00:00.000Z',
                  until: '2026-12-01T17:00:00.000Z',
                  count: 1,
                  event: null,
                  over: [],
                  boundBy: null,
                },
              ],
            },
            {
              name: 'workshop',
              baseline: 0,
              maxReplicas: 20,
              calendarOverrideEnabled: false,
              namedByAnEvent: false,
              placeholderHours: 0,
              windows: [
                {
                  from: '2026-11-30T17:00:00.000Z',
                  until: '2026-12-01T17:00:00.000Z',
                  count: 0,
                  event: null,
                  over: [],
                  boundBy: null,
                },
              ],
            },
          ],
        },
      ],
      events: [
        {
          id: 'a_20261130T165000Z',
          title: 'CS 101 lab',
          cluster: 'default',
          pool: 'base',
          asks: 3,
          from: '2026-11-30T16:50:00.000Z',
          until: '2026-11-30T17:10:00.000Z',
          placeholderHours: 0.5,
        },
        {
          id: 'b_20261201T040000Z',
          title: 'Cool-off \u001B[31m',
          cluster: 'default',
          pool: 'base',
          asks: 0,
          from: '2026-12-01T04:00:00.000Z',
          until: '2026-12-01T14:00:00.000Z',
          placeholderHours: 0,
        },
      ],
      findings: [
        {
          code: 'unknown-pool',
          severity: 'warning',
          event: { id: 'a_20261130T165000Z', title: 'CS 101 lab', start: '2026-11-30T16:50:00.000Z' },
          times: 1,
          line: 2,
          text: 'workshp: 1',
          message: '`workshp`: no such pool; did you mean `workshop`?',
        },
      ],
      concerns: [
        {
          kind: 'coolOffHeld',
          cluster: 'default',
          pool: 'base',
          event: {
            id: 'b_20261201T040000Z',
            title: 'Cool-off \u001B[31m',
            asks: 0,
            start: '2026-12-01T04:00:00.000Z',
          },
          baseline: 1,
        },
      ],
      notices: [],
    });
  });

  test('of an unreadable calendar has its problem, and null where nothing is known', async () => {
    const { text } = await plan({ format: 'json', openCalendar: unreadable });
    expect(JSON.parse(text)).toMatchObject({
      calendars: [
        {
          readable: false,
          problem: 'calendar term.ics: may not be read',
          kind: 'forbidden',
          remedy: 'share it',
        },
      ],
      clusters: [
        { pools: [{ name: 'base', windows: null, placeholderHours: null, namedByAnEvent: null }, {}] },
      ],
    });
  });

  test('begins where it is told to', async () => {
    const { text } = await plan({ format: 'json', from: parseGivenTime('2026-09-01T00:00:00Z'), days: 7 });
    expect(JSON.parse(text)).toMatchObject({
      from: '2026-09-01T00:00:00.000Z',
      until: '2026-09-08T00:00:00.000Z',
    });
  });
});

describe('a start without a zone', () => {
  test.each([
    {
      name: 'is a time of the calendar',
      run: { from: parseGivenTime('2026-09-01T08:00'), days: 1 },
      window: { from: '2026-09-01T15:00:00.000Z', until: '2026-09-02T15:00:00.000Z' },
    },
    {
      name: 'without a time of day is midnight there',
      run: { from: parseGivenTime('2026-09-01'), days: 1 },
      window: { from: '2026-09-01T07:00:00.000Z', until: '2026-09-02T07:00:00.000Z' },
    },
    {
      name: 'is a time of the zone that the config gives the calendar',
      run: {
        from: parseGivenTime('2026-09-01T08:00'),
        days: 1,
        config: `calendarTimezone: Asia/Tokyo\n${CONFIG}`,
      },
      window: { from: '2026-08-31T23:00:00.000Z', until: '2026-09-01T23:00:00.000Z' },
    },
    {
      name: 'ends at the same time of day, also where the clocks change meanwhile',
      run: { from: parseGivenTime('2026-10-31'), days: 2 },
      window: { from: '2026-10-31T07:00:00.000Z', until: '2026-11-02T08:00:00.000Z' },
    },
  ])('$name', async ({ run, window }) => {
    const { text } = await plan({ ...run, format: 'json' });
    expect(JSON.parse(text)).toMatchObject(window);
  });

  test('is a time of the zone that the plan is written in', async () => {
    const { text } = await plan({ from: parseGivenTime('2026-09-01'), days: 1 });
    expect(text).toMatch(
      /^Plan from Tue 01 Sep 2026 00:00 to Wed 02 Sep 2026 00:00 \(America\/Los_Angeles\)\n/,
    );
  });

  test('leaves the report of an unreadable calendar to the plan', async () => {
    const { text, code } = await plan({ from: parseGivenTime('2026-09-01'), openCalendar: unreadable });
    expect(code).toBe(1);
    expect(text).toContain('calendar term.ics: may not be read; share it');
  });
});

describe('a term', () => {
  test('of 2,000 events over 120 days takes less than two seconds of work', async () => {
    const stamp = (at: number): string => new Date(at).toISOString().replaceAll(/[-:]|\.000/gu, '');
    const events = Array.from({ length: 2000 }, (_, index) => {
      const startAt = NOW + ((index * 37) % 2880) * 3_600_000;
      const end = stamp(startAt + (1 + (index % 30)) * 3_600_000);
      return `BEGIN:VEVENT\nUID:${String(index)}\nSUMMARY:Class ${String(index % 60)}\nDTSTART:${stamp(startAt)}\nDTEND:${end}\nDESCRIPTION:base: ${String(index % 9)}\\nworkshop: ${String(index % 4)}\nEND:VEVENT`;
    });
    const before = process.cpuUsage();
    const { text } = await plan({ inside: events.join('\n'), days: 120, format: 'json' });
    const { user } = process.cpuUsage(before);
    expect((JSON.parse(text) as { readonly events: readonly unknown[] }).events.length).toBeGreaterThan(3900);
    expect(user / 1e6).toBeLessThan(2);
  });
});
