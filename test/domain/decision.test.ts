import { describe, expect, test } from 'vitest';
import { decidePool } from '../../functions/domain/decision.ts';
import type { Adjustment, DecisionRule, Floor, PoolSituation } from '../../functions/domain/decision.ts';
import type { EventDemand } from '../../functions/domain/demand.ts';

const SETTINGS = {
  name: 'base',
  baseline: 2,
  maxReplicas: 20,
  calendarOverrideEnabled: false,
  warmFirst: true,
} as const;

function asks(count: number): EventDemand {
  return { count, eventId: 'e1', eventTitle: 'Data 8 lecture', endAt: 0 };
}

function pool(overrides: Partial<PoolSituation> = {}): PoolSituation {
  return {
    settings: SETTINGS,
    demand: undefined,
    nodesWithRoom: [],
    pendingPods: [],
    coming: { onColdNodes: 0, newlyPending: 0 },
    liveReplicas: 2,
    floors: [],
    ...overrides,
  };
}

const OVERRIDE = { ...SETTINGS, calendarOverrideEnabled: true };
const ROOM: DecisionRule = { kind: 'room', nodes: [] };
const PENDING: DecisionRule = { kind: 'pending', pods: ['p'] };

describe('the three steps', () => {
  test.each<readonly [string, PoolSituation, number, DecisionRule]>([
    ['baseline, no node with room', pool(), 2, ROOM],
    ['baseline less a node with room', pool({ nodesWithRoom: ['a'] }), 1, { kind: 'room', nodes: ['a'] }],
    [
      'never below zero',
      pool({ nodesWithRoom: ['a', 'b', 'c'] }),
      0,
      { kind: 'room', nodes: ['a', 'b', 'c'] },
    ],
    ['an event in place of the baseline', pool({ demand: asks(5) }), 5, ROOM],
    ['a smaller event too', pool({ demand: asks(1) }), 1, ROOM],
    [
      'an event less a node with room',
      pool({ demand: asks(3), nodesWithRoom: ['a'] }),
      2,
      { kind: 'room', nodes: ['a'] },
    ],
    ['a cool-off to 0', pool({ demand: asks(0) }), 0, ROOM],
    [
      'the override wins outright over room',
      pool({ settings: OVERRIDE, demand: asks(3), nodesWithRoom: ['a', 'b'] }),
      3,
      { kind: 'override', demand: asks(3) },
    ],
    [
      'the override wins outright over a pending placeholder',
      pool({ settings: OVERRIDE, demand: asks(1), pendingPods: ['p'] }),
      1,
      { kind: 'override', demand: asks(1) },
    ],
    ['an event of 0 overrides nothing', pool({ settings: OVERRIDE, demand: asks(0) }), 0, ROOM],
    [
      'the override without an event',
      pool({ settings: OVERRIDE, nodesWithRoom: ['a'] }),
      1,
      { kind: 'room', nodes: ['a'] },
    ],
    [
      'pending: hold at the baseline, whatever room there is',
      pool({ pendingPods: ['p'], nodesWithRoom: ['a', 'b'] }),
      2,
      PENDING,
    ],
    ['pending beats a cool-off of 0', pool({ pendingPods: ['p'], demand: asks(0) }), 2, PENDING],
    [
      'pending beats an event of 0 with the override',
      pool({ settings: OVERRIDE, pendingPods: ['p'], demand: asks(0) }),
      2,
      PENDING,
    ],
    ['pending keeps what a larger event asks', pool({ pendingPods: ['p'], demand: asks(4) }), 4, PENDING],
    ['pending with a smaller event: the baseline', pool({ pendingPods: ['p'], demand: asks(1) }), 2, PENDING],
  ])('%s', (...[, situation, replicas, rule]) => {
    expect(decidePool(situation)).toMatchObject({ replicas, rule, adjustments: [] });
  });

  test('a decision is whole', () => {
    expect(decidePool(pool({ demand: asks(3), nodesWithRoom: ['a'] }))).toEqual({
      poolName: 'base',
      replicas: 2,
      target: 3,
      baseline: 2,
      maxReplicas: 20,
      demand: asks(3),
      liveReplicas: 2,
      rule: { kind: 'room', nodes: ['a'] },
      adjustments: [],
    });
  });
});

describe('what changes the count after the three steps', () => {
  const coming = { onColdNodes: 2, newlyPending: 1 };
  const ten = { ...SETTINGS, maxReplicas: 10 };
  const event = (count: number): Adjustment => ({
    kind: 'clamped',
    askedBy: { kind: 'event', eventId: 'e1', eventTitle: 'Data 8 lecture', count },
    from: count,
    to: 10,
  });

  test.each<readonly [string, PoolSituation, number, readonly Adjustment[]]>([
    [
      'what is coming stays covered',
      pool({ coming, liveReplicas: 5, nodesWithRoom: ['a'] }),
      3,
      [{ kind: 'covered', coming, from: 1, to: 3 }],
    ],
    [
      'under an override too',
      pool({ settings: OVERRIDE, demand: asks(1), coming, liveReplicas: 5 }),
      3,
      [{ kind: 'covered', coming, from: 1, to: 3 }],
    ],
    ['covering never raises a count', pool({ coming, liveReplicas: 1, nodesWithRoom: ['a'] }), 1, []],
    ['covering needs a Deployment', pool({ coming, liveReplicas: undefined, nodesWithRoom: ['a'] }), 1, []],
    ['more than what is coming is asked anyway', pool({ coming, liveReplicas: 5, demand: asks(4) }), 4, []],
    ['nothing is covered with a target of 0', pool({ coming, liveReplicas: 5, demand: asks(0) }), 0, []],
    [
      'nor without warmFirst',
      pool({ settings: { ...SETTINGS, warmFirst: false }, coming, liveReplicas: 5, nodesWithRoom: ['a'] }),
      1,
      [],
    ],
    ['300 asked', pool({ settings: ten, demand: asks(300) }), 10, [event(300)]],
    [
      'a count past what a number holds',
      pool({ settings: ten, demand: asks(9007199254740993) }),
      10,
      [event(9007199254740993)],
    ],
    ['past 32 bits', pool({ settings: ten, demand: asks(2147483648) }), 10, [event(2147483648)]],
    [
      'asked under an override',
      pool({ settings: { ...ten, calendarOverrideEnabled: true }, demand: asks(300) }),
      10,
      [event(300)],
    ],
    [
      'more asked than allowed, but not after room',
      pool({ settings: ten, demand: asks(11), nodesWithRoom: ['a'] }),
      10,
      [],
    ],
    ['just as many as allowed', pool({ settings: ten, demand: asks(10) }), 10, []],
    [
      'a baseline above the bound',
      pool({ settings: { ...SETTINGS, maxReplicas: 1 } }),
      1,
      [{ kind: 'clamped', askedBy: { kind: 'baseline', count: 2 }, from: 2, to: 1 }],
    ],
    [
      'a pending hold above it',
      pool({ settings: ten, pendingPods: ['p'], demand: asks(12) }),
      10,
      [event(12)],
    ],
  ])('%s', (...[, situation, replicas, adjustments]) => {
    expect(decidePool(situation)).toMatchObject({ replicas, adjustments });
  });
});

describe('what could not be read lowers nothing', () => {
  const held = (floor: Floor, from: number, to: number): Adjustment => ({
    kind: 'held',
    floor,
    from,
    to,
  });

  test.each<readonly [string, PoolSituation, number, readonly Adjustment[]]>([
    [
      'no calendar: held above what the baseline asks',
      pool({ floors: ['calendarUnread'], liveReplicas: 5 }),
      5,
      [held('calendarUnread', 2, 5)],
    ],
    [
      'no calendar: held below it too',
      pool({ floors: ['calendarUnread'], liveReplicas: 0 }),
      0,
      [held('calendarUnread', 2, 0)],
    ],
    [
      'no calendar, no Deployment yet: the baseline',
      pool({ floors: ['calendarUnread'], liveReplicas: undefined }),
      2,
      [],
    ],
    [
      'no calendar, and the baseline is what stands there: nothing to hold',
      pool({ floors: ['calendarUnread'], liveReplicas: 2 }),
      2,
      [],
    ],
    [
      'no state: never below the live replicas',
      pool({ floors: ['stateUnread'], liveReplicas: 5 }),
      5,
      [held('stateUnread', 2, 5)],
    ],
    [
      'no state: an override still raises',
      pool({ settings: OVERRIDE, floors: ['stateUnread'], demand: asks(7), liveReplicas: 5 }),
      7,
      [],
    ],
    [
      'no state: an override lowers nothing',
      pool({ settings: OVERRIDE, floors: ['stateUnread'], demand: asks(1), liveReplicas: 5 }),
      5,
      [held('stateUnread', 1, 5)],
    ],
    [
      'no state: a cool-off lowers nothing',
      pool({ floors: ['stateUnread'], demand: asks(0), liveReplicas: 5 }),
      5,
      [held('stateUnread', 0, 5)],
    ],
    [
      'state not writable',
      pool({ floors: ['stateUnwritable'], liveReplicas: 5 }),
      5,
      [held('stateUnwritable', 2, 5)],
    ],
    ['state not writable: what raises stays', pool({ floors: ['stateUnwritable'], demand: asks(6) }), 6, []],
    [
      'no calendar of a sharer: never below the live replicas',
      pool({ floors: ['sharerUnread'], demand: asks(3), liveReplicas: 5 }),
      5,
      [held('sharerUnread', 3, 5)],
    ],
    [
      'no calendar of a sharer: what raises stays',
      pool({ floors: ['sharerUnread'], demand: asks(6), liveReplicas: 5 }),
      6,
      [],
    ],
    [
      'no calendar and no state',
      pool({ floors: ['stateUnread', 'calendarUnread'], liveReplicas: 1 }),
      1,
      [held('calendarUnread', 2, 1)],
    ],
    [
      'maxReplicas was read, and bounds a held count too',
      pool({ floors: ['calendarUnread'], settings: { ...SETTINGS, maxReplicas: 3 }, liveReplicas: 5 }),
      3,
      [
        held('calendarUnread', 2, 5),
        { kind: 'clamped', askedBy: { kind: 'live', count: 5 }, from: 5, to: 3 },
      ],
    ],
    ...[2, 3].map((count): readonly [string, PoolSituation, number, readonly Adjustment[]] => [
      `an event of ${count} and a baseline of 3 are within the bound of 3: it is the held count that is not`,
      pool({
        floors: ['stateUnread'],
        settings: { ...SETTINGS, baseline: 3, maxReplicas: 3 },
        demand: asks(count),
        liveReplicas: 5,
      }),
      3,
      [
        held('stateUnread', count, 5),
        { kind: 'clamped', askedBy: { kind: 'live', count: 5 }, from: 5, to: 3 },
      ],
    ]),
  ])('%s', (...[, situation, replicas, adjustments]) => {
    expect(decidePool(situation)).toMatchObject({ replicas, adjustments });
  });
});

test('while placeholders stay Pending, the count of an event stays as it is, pass after pass', () => {
  const situation = pool({ demand: asks(5), pendingPods: ['p4', 'p5'], liveReplicas: 5 });
  const counts = Array.from({ length: 40 }, () => decidePool(situation).replicas);
  expect(new Set(counts)).toEqual(new Set([5]));
});
