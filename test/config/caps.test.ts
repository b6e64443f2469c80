import { describe, expect, test } from 'vitest';
import { findingsOf, formatFindings, parse } from './findings.ts';

const POOLS = 'nodePools: { base: { replicas: 1, resources: { requests: { memory: 56Gi } } } }';

/** `name bound: clusters` of each, in the order in which they apply. */
function capsOf(text: string): readonly string[] {
  return parse(text).caps.map(({ name, most, clusters }) => `${name} ${most}: ${[...clusters].join(' ')}`);
}

function fleet(clusters: Readonly<Record<string, string>>, file = ''): string {
  const entries = Object.entries(clusters).map(
    ([name, keys]) => `  ${name}: { cluster: embedded, ${keys === '' ? '' : `${keys}, `}${POOLS} }`,
  );
  return [file, 'clusters:', ...entries].join('\n');
}

describe('the caps over several pools', () => {
  test.each([
    { name: 'none, without the keys', text: `calendarId: a@b.c\n${POOLS}`, caps: [] },
    {
      name: 'that of the one calendar of the one cluster',
      text: `calendarId: a@b.c\ncalendarMaxReplicas: 9\n${POOLS}`,
      caps: ['calendarMaxReplicas 9: default'],
    },
    {
      name: "the file's, over all clusters that read the file's calendar",
      text: fleet({ west: '', east: '' }, 'calendarId: a@b.c\ncalendarMaxReplicas: 9'),
      caps: ['calendarMaxReplicas 9: west east'],
    },
    {
      name: "not the file's, where a cluster has a calendar of its own",
      text: fleet({ west: '', lab: 'calendarId: lab@b.c' }, 'calendarId: a@b.c\ncalendarMaxReplicas: 9'),
      caps: ['calendarMaxReplicas 9: west'],
    },
    {
      name: 'one for each calendar, in config order, and the total after them',
      text: fleet(
        {
          lab: 'calendarId: lab@b.c, calendarMaxReplicas: 4',
          west: 'calendarMaxReplicas: 9',
          lab2: 'calendarId: lab@b.c, calendarMaxReplicas: 4',
        },
        'maxReplicasTotal: 30\ncalendarId: a@b.c',
      ),
      caps: [
        'calendarMaxReplicas 4: lab lab2',
        'calendarMaxReplicas 9: west',
        'maxReplicasTotal 30: lab west lab2',
      ],
    },
    {
      name: 'one for a calendar whose address is written in two ways, whatever else is said about it',
      text: fleet({
        west: 'calendarUrl: webcal://c.example/a.ics, calendarMaxReplicas: 9',
        east: 'calendarUrl: https://c.example/a.ics, calendarMaxReplicas: 9, calendarTimezone: Europe/Berlin',
      }),
      caps: ['calendarMaxReplicas 9: west east'],
    },
    {
      name: 'that of a cluster alone on the calendar of the file',
      text: fleet(
        { west: 'calendarMaxReplicas: 5', lab: 'calendarId: lab@b.c' },
        'calendarId: a@b.c\ncalendarMaxReplicas: 9',
      ),
      caps: ['calendarMaxReplicas 5: west'],
    },
    {
      name: 'of baselines that just fit',
      text: fleet({ west: '', east: '' }, 'calendarId: a@b.c\ncalendarMaxReplicas: 2'),
      caps: ['calendarMaxReplicas 2: west east'],
    },
    {
      name: 'of zero',
      text: `calendarId: a@b.c\ncalendarMaxReplicas: 0\n${POOLS.replace('replicas: 1', 'replicas: 0')}`,
      caps: ['calendarMaxReplicas 0: default'],
    },
  ])('$name', ({ text, caps }) => {
    expect(capsOf(text)).toEqual(caps);
  });

  test('a calendar that one cluster reads with a cap and one without is refused, with both places', () => {
    const text = fleet({ west: 'calendarMaxReplicas: 9', east: '' }, 'calendarId: a@b.c');

    expect(formatFindings(findingsOf(text))).toBe(
      '4:9 clusters.east.calendarMaxReplicas: is missing, but `clusters.west.calendarMaxReplicas` is 9 for the same calendar: write 9 here too\n',
    );
  });

  test('a calendar that a cluster names again does not take over the cap of the file', () => {
    const text = fleet({ west: '', east: 'calendarId: a@b.c' }, 'calendarId: a@b.c\ncalendarMaxReplicas: 9');

    expect(formatFindings(findingsOf(text))).toBe(
      '5:9 clusters.east.calendarMaxReplicas: is missing, but `calendarMaxReplicas` is 9 for the same calendar: write 9 here too\n',
    );
  });

  test('a cap without a calendar is refused', () => {
    expect(formatFindings(findingsOf(`calendarMaxReplicas: 9\n${POOLS}`))).toBe(
      '1:22 calendarMaxReplicas: has no calendar to bound: move it to where `calendarId` or `calendarUrl` stands, or remove it\n',
    );
  });

  test.each([
    ['-1', 'is -1; the least is 0'],
    ['2.5', 'is 2.5; it must be a whole number'],
    ['"9"', 'must be a number: write 9 without quotes'],
    ['10001', 'is 10001; the most is 10000'],
  ])('%s is no cap', (written, message) => {
    expect(formatFindings(findingsOf(`calendarId: a@b.c\ncalendarMaxReplicas: ${written}\n${POOLS}`))).toBe(
      `2:22 calendarMaxReplicas: ${message}\n`,
    );
  });
});
