import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Cap } from '../../functions/domain/cap.ts';
import { demandAt, type PoolAsk } from '../../functions/domain/demand.ts';
import { groupFindings } from '../../functions/domain/finding-group.ts';
import { buildTimeline, type PoolTimeline, type TimelinePool } from '../../functions/domain/timeline.ts';
import { reviewTimeline } from '../../functions/domain/timeline-review.ts';

const HOUR = 3_600_000;
const BASE: TimelinePool = { cluster: 'c', pool: 'base', baseline: 1, maxReplicas: 10 };
const WORKSHOP: TimelinePool = { cluster: 'c', pool: 'workshop', baseline: 0, maxReplicas: 10 };
const WINDOW = { startAt: 0, endAt: 10 * HOUR };

type AskFields = [id: string, count: number, hours: readonly [number, number], pool?: TimelinePool];

function ask(...[id, count, [from, to], pool = BASE]: AskFields): PoolAsk {
  return {
    address: { cluster: pool.cluster, pool: pool.pool },
    count,
    eventId: id,
    eventTitle: `Event ${id}`,
    startAt: from * HOUR,
    endAt: to * HOUR,
  };
}

function total(most: number): Cap {
  return { name: 'maxReplicasTotal', most, clusters: new Set(['c', 'd']) };
}

function timelineOf(asks: readonly PoolAsk[], caps: readonly Cap[] = []): readonly PoolTimeline[] {
  return buildTimeline({ asks, pools: [BASE, WORKSHOP], window: WINDOW, caps });
}

/** `from-to count winner<losers` for each segment, in hours. */
function summarise({ segments }: PoolTimeline): readonly string[] {
  return segments.map(({ startAt, endAt, count, demand, overruled, bound }) => {
    const losers = overruled.map(({ eventId }) => eventId).join('');
    const cut = bound === undefined ? '' : ` ${bound}`;
    return `${String(startAt / HOUR)}-${String(endAt / HOUR)} ${String(count)} ${demand?.eventId ?? 'baseline'}<${losers}${cut}`;
  });
}

describe('the windows of a pool', () => {
  test.each([
    ['no event', [], ['0-10 1 baseline<']],
    ['one event', [ask('a', 3, [2, 4])], ['0-2 1 baseline<', '2-4 3 a<', '4-10 1 baseline<']],
    ['an event that began before', [ask('a', 3, [-5, 4])], ['0-4 3 a<', '4-10 1 baseline<']],
    ['an event that ends after', [ask('a', 3, [8, 40])], ['0-8 1 baseline<', '8-10 3 a<']],
    ['an event up to the end', [ask('a', 3, [8, 10])], ['0-8 1 baseline<', '8-10 3 a<']],
    ['an event around it all', [ask('a', 3, [-5, 40])], ['0-10 3 a<']],
    ['an event outside', [ask('a', 3, [10, 40]), ask('b', 3, [-4, 0])], ['0-10 1 baseline<']],
    ['an event without length', [ask('a', 3, [4, 4])], ['0-10 1 baseline<']],
    ['an event of another pool', [ask('a', 3, [2, 4], WORKSHOP)], ['0-10 1 baseline<']],
    ['a cool-off', [ask('a', 0, [2, 4])], ['0-2 1 baseline<', '2-4 0 a<', '4-10 1 baseline<']],
    [
      'two events, one after the other',
      [ask('a', 3, [2, 4]), ask('b', 2, [4, 6])],
      ['0-2 1 baseline<', '2-4 3 a<', '4-6 2 b<', '6-10 1 baseline<'],
    ],
    [
      'two events of one count, one after the other',
      [ask('a', 3, [2, 4]), ask('b', 3, [4, 6])],
      ['0-2 1 baseline<', '2-4 3 a<', '4-6 3 b<', '6-10 1 baseline<'],
    ],
    [
      'two instances of one event, one after the other',
      [ask('a', 3, [2, 4]), ask('a', 3, [4, 6])],
      ['0-2 1 baseline<', '2-4 3 a<', '4-6 3 a<', '6-10 1 baseline<'],
    ],
    [
      'one event that beats two others, one after the other',
      [ask('a', 5, [2, 6]), ask('b', 2, [2, 4]), ask('c', 2, [4, 6])],
      ['0-2 1 baseline<', '2-4 5 a<b', '4-6 5 a<c', '6-10 1 baseline<'],
    ],
    [
      'a larger one within',
      [ask('a', 2, [2, 8]), ask('b', 5, [4, 6])],
      ['0-2 1 baseline<', '2-4 2 a<', '4-6 5 b<a', '6-8 2 a<', '8-10 1 baseline<'],
    ],
    [
      'a smaller one within',
      [ask('a', 5, [2, 8]), ask('b', 2, [4, 6])],
      ['0-2 1 baseline<', '2-4 5 a<', '4-6 5 a<b', '6-8 5 a<', '8-10 1 baseline<'],
    ],
    [
      'more than the pool may hold',
      [ask('a', 30, [2, 4])],
      ['0-2 1 baseline<', '2-4 10 a< maxReplicas', '4-10 1 baseline<'],
    ],
  ])('%s', (_, asks, expected) => {
    expect(summarise(timelineOf(asks)[0]!)).toEqual(expected);
  });

  test('a bound over all pools is shared, and cuts where any pool changes', () => {
    const asks = [ask('a', 8, [0, 10]), ask('b', 8, [4, 6], WORKSHOP)];
    const [base, workshop] = timelineOf(asks, [total(9)]);
    expect(summarise(base!)).toEqual(['0-4 8 a<', '4-6 5 a< maxReplicasTotal', '6-10 8 a<']);
    expect(summarise(workshop!)).toEqual([
      '0-4 0 baseline<',
      '4-6 4 b< maxReplicasTotal',
      '6-10 0 baseline<',
    ]);
  });

  test('the cap of a calendar cuts the pools of its own clusters alone, and the total what it left', () => {
    const other: TimelinePool = { cluster: 'd', pool: 'base', baseline: 1, maxReplicas: 10 };
    const pools = [BASE, WORKSHOP, other];
    const asks = [ask('a', 8, [0, 10]), ask('b', 8, [4, 6], WORKSHOP), ask('d', 8, [5, 7], other)];
    const ofC: Cap = { name: 'calendarMaxReplicas', most: 9, clusters: new Set(['c']) };
    const timelines = buildTimeline({ asks, pools, window: WINDOW, caps: [ofC, total(14)] });
    expect(timelines.map(summarise)).toEqual([
      [
        '0-4 8 a<',
        '4-5 5 a< calendarMaxReplicas',
        '5-6 4 a< maxReplicasTotal',
        '6-7 7 a< maxReplicasTotal',
        '7-10 8 a<',
      ],
      ['0-4 0 baseline<', '4-5 4 b< calendarMaxReplicas', '5-6 3 b< maxReplicasTotal', '6-10 0 baseline<'],
      ['0-5 1 baseline<', '5-7 7 d< maxReplicasTotal', '7-10 1 baseline<'],
    ]);
  });

  test('one count that two caps leave in turn is told apart', () => {
    const other: TimelinePool = { cluster: 'd', pool: 'base', baseline: 1, maxReplicas: 10 };
    const asks = [ask('a', 8, [0, 10]), ask('b', 8, [4, 6], WORKSHOP), ask('d', 8, [6, 8], other)];
    const ofC: Cap = { name: 'calendarMaxReplicas', most: 9, clusters: new Set(['c']) };
    const pools = [BASE, WORKSHOP, other];
    const [base] = buildTimeline({ asks, pools, window: WINDOW, caps: [ofC, total(10)] });
    expect(summarise(base!)).toEqual([
      '0-4 8 a<',
      '4-6 5 a< calendarMaxReplicas',
      '6-8 5 a< maxReplicasTotal',
      '8-10 8 a<',
    ]);
  });

  test('a bound over all pools that is wide enough cuts nothing', () => {
    const asks = [ask('a', 5, [6, 8]), ask('l', 2, [6, 8]), ask('b', 3, [2, 7], WORKSHOP)];
    expect(timelineOf(asks, [total(100)])).toEqual(timelineOf(asks).map((timeline) => ({ ...timeline })));
  });

  test('hours are counted, and pools that no event names are known', () => {
    const [base, workshop] = timelineOf([ask('a', 3, [2, 4])]);
    expect([base?.placeholderHours, base?.isNamed]).toEqual([8 * 1 + 2 * 3, true]);
    expect([workshop?.placeholderHours, workshop?.isNamed]).toEqual([0, false]);
  });

  test.each([
    ['ended as the window begins', [-4, 0]],
    ['begins as the window ends', [10, 40]],
    ['has no length', [4, 4]],
  ] as const)('a pool is not named by an event that %s', (_, hours) => {
    const asks = [ask('a', 3, hours)];
    expect(timelineOf(asks)[0]?.isNamed).toBe(false);
    expect(reviewTimeline(timelineOf(asks), asks).hours).toEqual([]);
  });
});

describe('what deserves a look', () => {
  function concernsOf(asks: readonly PoolAsk[]): readonly string[] {
    return reviewTimeline(timelineOf(asks), asks).concerns.map(
      ({ kind, ask: { eventId } }) => `${kind} ${eventId}`,
    );
  }

  test.each([
    ['nothing, for one event', [ask('a', 3, [2, 4])], []],
    ['a cool-off that a pending placeholder holds off', [ask('a', 0, [2, 4])], ['coolOffHeld a']],
    ['nothing, for a cool-off of a pool without a baseline', [ask('a', 0, [2, 4], WORKSHOP)], []],
    [
      'a cool-off beaten for a while',
      [ask('a', 0, [2, 8]), ask('b', 2, [4, 6])],
      ['coolOffBeaten a', 'coolOffHeld a'],
    ],
    ['a cool-off beaten throughout', [ask('a', 0, [4, 6]), ask('b', 2, [2, 8])], ['coolOffBeaten a']],
    ['an event that never wins', [ask('a', 1, [4, 6]), ask('b', 2, [2, 8])], ['neverWins a']],
    ['nothing, for an event that wins for a while', [ask('a', 1, [4, 9]), ask('b', 2, [2, 8])], []],
    ['an event that is cut', [ask('a', 30, [4, 6])], ['bounded a']],
  ])('%s', (_, asks, expected) => {
    expect(concernsOf(asks)).toEqual(expected);
  });

  test('each event is told the hours in which it wins', () => {
    const asks = [ask('a', 2, [2, 8]), ask('b', 5, [4, 6]), ask('z', 5, [40, 60])];
    const { hours } = reviewTimeline(timelineOf(asks), asks);
    expect(hours.map(({ eventId, window, placeholderHours }) => [eventId, window, placeholderHours])).toEqual(
      [
        ['a', { startAt: 2 * HOUR, endAt: 8 * HOUR }, 4 * 2],
        ['b', { startAt: 4 * HOUR, endAt: 6 * HOUR }, 2 * 5],
      ],
    );
  });

  test('what was over before the window is told nothing', () => {
    const asks = [ask('a', 3, [2, 4]), ask('b', 3, [4, 8])];
    const window = { startAt: 5 * HOUR, endAt: 10 * HOUR };
    const { hours } = reviewTimeline(buildTimeline({ asks, pools: [BASE], window, caps: [] }), asks);
    expect(hours.map(({ eventId, placeholderHours }) => [eventId, placeholderHours])).toEqual([['b', 3 * 3]]);
  });

  test('a window without length has nothing to tell', () => {
    const asks = [ask('a', 3, [2, 4])];
    const window = { startAt: 3 * HOUR, endAt: 3 * HOUR };
    const timelines = buildTimeline({ asks, pools: [BASE], window, caps: [] });
    expect(reviewTimeline(timelines, asks)).toEqual({ concerns: [], hours: [] });
  });

  test('a count that is cut says to what, and by which bound', () => {
    const asks = [ask('a', 30, [4, 6])];
    expect(reviewTimeline(timelineOf(asks), asks).concerns).toEqual([
      { kind: 'bounded', ask: asks[0], count: 10, bound: 'maxReplicas' },
    ]);
  });
});

describe('laws', () => {
  const MINUTE = 60_000;
  const drawn = fc.array(
    fc.record({
      id: fc.nat(5),
      count: fc.nat(14),
      from: fc.integer({ min: -20, max: 130 }),
      length: fc.nat(60),
    }),
    { maxLength: 12 },
  );
  const window = { startAt: 0, endAt: 120 * MINUTE };

  test('minute by minute, the plan is what a pass would take', () => {
    fc.assert(
      fc.property(drawn, (events) => {
        const asks = events.map(({ id, count, from, length }) => ({
          ...ask(String(id), count, [0, 0]),
          startAt: from * MINUTE,
          endAt: (from + length) * MINUTE,
        }));
        const [timeline] = buildTimeline({ asks, pools: [BASE], window, caps: [] });
        const minutes = Array.from({ length: 120 }, (_, minute) => minute * MINUTE);
        const planned = minutes.map((at) =>
          timeline!.segments.find(({ startAt, endAt }) => startAt <= at && at < endAt),
        );
        const taken = minutes.map((at) => demandAt(asks, BASE, at));
        expect(planned.map((segment) => segment?.demand)).toEqual(taken);
        expect(planned.map((segment) => segment?.count)).toEqual(
          taken.map((demand) => Math.min(demand?.count ?? BASE.baseline, BASE.maxReplicas)),
        );
      }),
    );
  });

  test('windows have no gaps and no overlaps', () => {
    fc.assert(
      fc.property(drawn, fc.array(fc.nat(20).map(total), { maxLength: 1 }), (events, caps) => {
        const asks = events.map(({ id, count, from, length }) => ({
          ...ask(String(id), count, [0, 0]),
          startAt: from * MINUTE,
          endAt: (from + length) * MINUTE,
        }));
        const [timeline] = buildTimeline({ asks, pools: [BASE, WORKSHOP], window, caps });
        const { segments } = timeline!;
        expect(segments.map(({ startAt }) => startAt)).toEqual([
          0,
          ...segments.slice(0, -1).map(({ endAt }) => endAt),
        ]);
        expect(segments.at(-1)?.endAt).toBe(window.endAt);
        expect(segments.every(({ count }) => count >= 0 && count <= BASE.maxReplicas)).toBe(true);
      }),
    );
  });
});

describe('findings that say the same', () => {
  const finding = {
    code: 'unknown-pool',
    severity: 'warning',
    eventId: 'a',
    eventTitle: 'Lab',
    eventStartAt: 20,
    line: 1,
    text: 'bse: 3',
    message: 'no such pool',
  } as const;

  test('are one, the first in time, with how often', () => {
    const earlier = { ...finding, eventId: 'b', eventStartAt: 10 };
    expect(groupFindings([finding, earlier])).toEqual([{ finding: earlier, times: 2 }]);
  });

  test('of another line or title are others, in order of time', () => {
    const other = { ...finding, line: 2, eventStartAt: 5 };
    const dateless = { ...finding, eventTitle: 'Other', eventStartAt: undefined };
    expect(
      groupFindings([finding, other, dateless]).map(({ finding: { eventStartAt } }) => eventStartAt),
    ).toEqual([undefined, 5, 20]);
  });
});
