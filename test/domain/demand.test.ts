import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { beats, demandAt, matchRequests, type PoolAddress } from '../../functions/domain/demand.ts';
import type { ReadEvent } from '../../functions/domain/event.ts';

const BASE = { cluster: 'default', pool: 'base' };
const FLEET: readonly PoolAddress[] = [
  { cluster: 'hub-east', pool: 'base' },
  { cluster: 'hub-west', pool: 'base' },
  { cluster: 'hub-west', pool: 'workshop' },
];

function read(
  id: string,
  requests: readonly (readonly [key: string, count: number])[],
  window = [0, 100],
): ReadEvent {
  return {
    id,
    title: `Event ${id}`,
    startAt: window[0] ?? 0,
    endAt: window[1] ?? 0,
    requests: requests.map(([key, count], index) => ({ key, count, line: index + 1 })),
  };
}

function placesOf(key: string, pools: readonly PoolAddress[]): readonly string[] {
  return matchRequests([read('a', [[key, 3]])], pools).asks.map(
    ({ address }) => `${address.cluster} ${address.pool}`,
  );
}

describe('a key speaks to', () => {
  test.each([
    ['every cluster with that pool', 'base', FLEET, ['hub-east base', 'hub-west base']],
    ['the only cluster with that pool', 'workshop', FLEET, ['hub-west workshop']],
    ['one cluster by its place', 'hub-west/base', FLEET, ['hub-west base']],
    ['one cluster by its place in another letter case', 'Hub-West/BASE', FLEET, ['hub-west base']],
    ['every cluster in another letter case', 'Base', FLEET, ['hub-east base', 'hub-west base']],
    ['nothing where the cluster lacks the pool', 'hub-east/workshop', FLEET, []],
    ['nothing where there is no such pool', 'gpu', FLEET, []],
    [
      'the exact name where two differ in letter case only',
      'base',
      [
        { cluster: 'c', pool: 'base' },
        { cluster: 'c', pool: 'Base' },
      ],
      ['c base'],
    ],
    [
      'neither where two differ in letter case only and it is neither',
      'BASE',
      [
        { cluster: 'c', pool: 'base' },
        { cluster: 'c', pool: 'Base' },
      ],
      [],
    ],
    [
      'a pool whose own name has a slash, before a place',
      'team/a',
      [
        { cluster: 'team', pool: 'a' },
        { cluster: 'x', pool: 'team/a' },
      ],
      ['x team/a'],
    ],
    [
      'a pool whose name has a slash, by its place',
      'x/team/a',
      [{ cluster: 'x', pool: 'team/a' }],
      ['x team/a'],
    ],
    [
      'a pool with an accent, however it is typed',
      'u\u0308bung',
      [{ cluster: 'c', pool: '\u00FCbung' }],
      ['c \u00FCbung'],
    ],
    ['a name with spaces that quotes kept', ' base ', [BASE], ['default base']],
    ['no pool by letters that only capitals make the same', 'maße', [{ cluster: 'c', pool: 'masse' }], []],
    ['no pool by a prototype key', '__proto__', FLEET, []],
  ])('%s', (...[, key, pools, places]) => {
    expect(placesOf(key, pools)).toEqual(places);
  });
});

describe('a key that names no pool is reported', () => {
  test.each([
    ['bse', 'unknown-pool', '`bse`: no such pool; did you mean `base`?'],
    ['hub-west/bse', 'unknown-pool', '`hub-west/bse`: no such pool; did you mean `hub-west/base`?'],
    ['hub-wst/base', 'unknown-pool', '`hub-wst/base`: no such pool; did you mean `hub-west/base`?'],
    ['zzz', 'unknown-pool', '`zzz`: no such pool; the pools are `base`, `workshop`'],
  ])('%s', (key, code, message) => {
    const { findings } = matchRequests([read('a', [[key, 3]])], FLEET);
    expect(findings).toEqual([
      {
        code,
        severity: 'warning',
        eventId: 'a',
        eventTitle: 'Event a',
        eventStartAt: 0,
        line: 1,
        text: `${key}: 3`,
        message,
      },
    ]);
  });

  test('names that differ in letter case only are both offered', () => {
    const pools = [
      { cluster: 'c', pool: 'base' },
      { cluster: 'c', pool: 'Base' },
    ];
    const { asks, findings } = matchRequests(
      [
        read('a', [
          ['BASE', 3],
          ['C/BASE', 3],
        ]),
      ],
      pools,
    );
    expect(asks).toEqual([]);
    expect(findings.map(({ code, message }) => [code, message])).toEqual([
      ['ambiguous-pool', '`BASE` may be `base` or `Base`; write it exactly so'],
      ['ambiguous-pool', '`C/BASE` may be `c/base` or `c/Base`; write it exactly so'],
    ]);
  });

  test('many pools in one key are not all offered', () => {
    const names = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel', 'india'];
    const pools = names.map((pool) => ({ cluster: 'c', pool }));
    const [finding] = matchRequests([read('a', [[names.join(' + '), 3]])], pools).findings;
    expect(finding?.message).toContain('`golf` and `hotel`? Write each on a line of its own');
    expect(finding?.message).not.toContain('`india`');
  });

  test('a word of calendars is reported when it is a slip away from a pool', () => {
    const pools = [{ cluster: 'c', pool: 'rooms' }];
    expect(matchRequests([read('a', [['Room', 3]])], pools).findings.map(({ message }) => message)).toEqual([
      '`Room`: no such pool; did you mean `rooms`?',
    ]);
  });

  test('many pools are not all listed', () => {
    const pools = Array.from({ length: 20 }, (_, index) => ({ cluster: 'c', pool: `pool-${String(index)}` }));
    const [finding] = matchRequests([read('a', [['zzz', 3]])], pools).findings;
    expect(finding?.message).toContain('`pool-7` and 12 more');
  });

  test('a config without pools says so', () => {
    const [finding] = matchRequests([read('a', [['base', 3]])], []).findings;
    expect(finding?.message).toBe('`base`: no such pool; the config has no pools');
  });

  test('a passcode passes in silence, unless a pool has that name', () => {
    expect(matchRequests([read('a', [['Passcode', 3]])], FLEET)).toEqual({ asks: [], findings: [] });
    const pools = [{ cluster: 'c', pool: 'passcode' }];
    expect(matchRequests([read('a', [['Passcode', 3]])], pools).asks).toHaveLength(1);
  });
});

describe('of the events that are active', () => {
  const at = 50;
  test.each([
    ['the only one counts', [read('a', [['base', 3]])], { count: 3, eventId: 'a' }],
    [
      'the larger count wins',
      [read('a', [['base', 3]]), read('b', [['base', 5]])],
      { count: 5, eventId: 'b' },
    ],
    ['zero is a count', [read('a', [['base', 0]])], { count: 0, eventId: 'a' }],
    ['zero loses to one', [read('a', [['base', 0]]), read('b', [['base', 1]])], { count: 1, eventId: 'b' }],
    [
      'one that ended now is over',
      [read('a', [['base', 3]], [0, 50]), read('b', [['base', 1]])],
      { count: 1, eventId: 'b' },
    ],
    ['one that starts now counts', [read('a', [['base', 3]], [50, 60])], { count: 3, eventId: 'a' }],
    [
      'of equals the one that lasts longest is named',
      [read('a', [['base', 3]], [0, 60]), read('b', [['base', 3]], [0, 90])],
      { count: 3, eventId: 'b' },
    ],
    [
      'of equals in all, the first by id',
      [read('b', [['base', 3]]), read('a', [['base', 3]])],
      { count: 3, eventId: 'a' },
    ],
    [
      'the larger in letter cases of one event',
      [
        read('a', [
          ['base', 3],
          ['Base', 4],
        ]),
      ],
      { count: 4, eventId: 'a' },
    ],
  ])('%s', (_, events, expected) => {
    const { asks } = matchRequests(events, [BASE]);
    expect(demandAt(asks, BASE, at)).toMatchObject(expected);
  });

  test.each([
    ['none, when none is active', [read('a', [['base', 3]], [60, 70])]],
    ['none, when it names another pool', [read('a', [['workshop', 3]])]],
    ['none, when it has no length', [read('a', [['base', 3]], [50, 50])]],
    ['none, when it names the pool in another cluster', [read('a', [['other/base', 3]])]],
    ['none, without events', []],
  ])('%s', (_, events) => {
    const { asks } = matchRequests(events, [BASE, { cluster: 'other', pool: 'base' }]);
    expect(demandAt(asks, BASE, at)).toBeUndefined();
  });

  test('the demand names the event and until when', () => {
    const { asks } = matchRequests([read('a', [['base', 3]], [10, 90])], [BASE]);
    expect(demandAt(asks, BASE, at)).toEqual({ count: 3, eventId: 'a', eventTitle: 'Event a', endAt: 90 });
  });
});

describe('of two asks of equal count and end', () => {
  const ask = {
    address: BASE,
    count: 3,
    eventId: 'm',
    eventTitle: 'Lab',
    startAt: 10,
    endAt: 90,
  };
  test.each([
    ['the one that starts first wins', { startAt: 20, eventId: 'a' }],
    ['of equal starts the first by id wins', { eventId: 'n' }],
  ])('%s', (_, other) => {
    expect(beats(ask, { ...ask, ...other })).toBe(true);
    expect(beats({ ...ask, ...other }, ask)).toBe(false);
  });

  test('none beats itself', () => {
    expect(beats(ask, ask)).toBe(false);
  });
});

const events = fc.array(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 4 }),
    count: fc.nat(9),
    start: fc.nat(20),
    length: fc.nat(20),
  }),
  { maxLength: 12 },
);

describe('laws', () => {
  test('the order of events never matters', () => {
    fc.assert(
      fc.property(
        events,
        fc.nat(40),
        fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
        (drawn, at, keys) => {
          const made = drawn.map(({ id, count, start, length }) =>
            read(id, [['base', count]], [start, start + length]),
          );
          const shuffled = made
            .map((event, index) => ({ event, key: keys[index] ?? 0 }))
            .sort((left, right) => left.key - right.key)
            .map(({ event }) => event);
          const demand = (list: readonly ReadEvent[]) => demandAt(matchRequests(list, [BASE]).asks, BASE, at);
          expect(demand(shuffled)).toEqual(demand(made));
        },
      ),
    );
  });

  test('one more event never lowers the demand', () => {
    fc.assert(
      fc.property(events, fc.nat(9), fc.nat(40), (drawn, count, at) => {
        const made = drawn.map(({ id, count: own, start, length }) =>
          read(id, [['base', own]], [start, start + length]),
        );
        const more = [...made, read('z', [['base', count]], [0, 100])];
        const demand = (list: readonly ReadEvent[]) => demandAt(matchRequests(list, [BASE]).asks, BASE, at);
        expect(demand(more)?.count).toBeGreaterThanOrEqual(demand(made)?.count ?? 0);
      }),
    );
  });
});
