import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collectRecords, EMPTY_HISTORY, observe } from '../../functions/domain/history.ts';
import type { NodeHistory, NodeObservation, NodeRecord } from '../../functions/domain/history.ts';

const NOW = Date.UTC(2026, 2, 2, 9);
const SECOND = 1000;

function secondsAgo(seconds: number): number {
  return NOW - seconds * SECOND;
}

function history(observedSecondsAgo: number, record: Partial<NodeRecord>): NodeHistory {
  const known = { name: 'a', firstSeenAt: secondsAgo(5000), lastBusyAt: undefined, ...record };
  return { observedAt: secondsAgo(observedSecondsAgo), nodes: new Map([['uid-a', known]]) };
}

function seen(overrides: Partial<NodeObservation> = {}): NodeObservation {
  return { uid: 'uid-a', name: 'a', isBusy: false, graceSeconds: 600, ...overrides };
}

function record(firstSeenAt: number, lastBusyAt: number | undefined): NodeRecord {
  return { name: 'a', firstSeenAt, lastBusyAt };
}

describe('what is known of a node after a pass', () => {
  test.each<readonly [string, NodeHistory, NodeObservation, NodeRecord]>([
    ['the first pass ever', EMPTY_HISTORY, seen(), record(NOW, undefined)],
    [
      'records that nobody knows the time of',
      { ...history(60, {}), observedAt: undefined },
      seen(),
      record(NOW, undefined),
    ],
    ['a node that is new', history(60, {}), seen({ uid: 'uid-b' }), record(NOW, undefined)],
    [
      'a new node under an old name',
      history(60, { lastBusyAt: secondsAgo(60) }),
      seen({ uid: 'uid-b', name: 'a' }),
      record(NOW, undefined),
    ],
    ['an idle node', history(60, {}), seen(), record(secondsAgo(5000), undefined)],
    ['a busy node', history(60, {}), seen({ isBusy: true }), record(secondsAgo(5000), NOW)],
    [
      'idle again: the last busy time is kept',
      history(60, { lastBusyAt: secondsAgo(60) }),
      seen(),
      record(secondsAgo(5000), secondsAgo(60)),
    ],
    [
      'passes stopped for just the grace period',
      history(600, {}),
      seen(),
      record(secondsAgo(5000), undefined),
    ],
    ['passes stopped for longer', history(601, {}), seen(), record(NOW, undefined)],
    [
      'passes stopped for longer: when it was busy is still known',
      history(601, { lastBusyAt: secondsAgo(601) }),
      seen(),
      record(NOW, secondsAgo(601)),
    ],
    [
      'the grace period is that of its pool',
      history(601, {}),
      seen({ graceSeconds: 1200 }),
      record(secondsAgo(5000), undefined),
    ],
    [
      'a grace period under a minute is no stop between two passes',
      history(75, {}),
      seen({ graceSeconds: 30 }),
      record(secondsAgo(5000), undefined),
    ],
    ['a missing pass is one', history(120, {}), seen({ graceSeconds: 30 }), record(NOW, undefined)],
    [
      'a clock set back a little: what lies ahead is pulled back to now',
      history(-20, { firstSeenAt: secondsAgo(-20), lastBusyAt: secondsAgo(-20) }),
      seen(),
      record(NOW, NOW),
    ],
    ['a clock set back by more than the grace period', history(-86_400, {}), seen(), record(NOW, undefined)],
  ])('%s', (...[, before, observation, expected]) => {
    const after = observe(before, [observation], NOW);
    expect(after).toEqual({ observedAt: NOW, nodes: new Map([[observation.uid, expected]]) });
  });
});

test('nodes that are gone are forgotten', () => {
  expect(observe(history(60, {}), [], NOW).nodes.size).toBe(0);
});

test('what was handed in is not changed', () => {
  const before = history(60, {});
  const copy = structuredClone(before);
  observe(before, [seen({ isBusy: true })], NOW);
  expect(before).toEqual(copy);
});

describe('a node that two pools claim keeps the stricter of each', () => {
  const lately = record(secondsAgo(5000), secondsAgo(60));
  const never = record(secondsAgo(30), undefined);
  const before = record(secondsAgo(40), secondsAgo(90));
  test.each<readonly [string, readonly NodeRecord[]]>([
    ['busy lately, never, before', [lately, never, before]],
    ['busy before, lately, never', [before, lately, never]],
    ['never busy, before, lately', [never, before, lately]],
  ])('%s', (_name, records) => {
    const after = collectRecords(
      records.map((one) => ['uid-a', one]),
      NOW,
    );
    expect(after.nodes.get('uid-a')).toEqual(record(secondsAgo(30), secondsAgo(60)));
  });
});

describe('laws', () => {
  const instants = fc.integer({ min: NOW - 10_000_000, max: NOW });
  const records = fc.record({
    name: fc.constant('a'),
    firstSeenAt: instants,
    lastBusyAt: fc.option(instants, { nil: undefined }),
  });

  test('while passes run, first seen never moves later and last busy never earlier', () => {
    fc.assert(
      fc.property(records, fc.boolean(), fc.integer({ min: 0, max: 600 }), (known, isBusy, gapSeconds) => {
        const after = observe(history(gapSeconds, known), [seen({ isBusy })], NOW).nodes.get('uid-a');
        expect(after?.firstSeenAt).toBe(known.firstSeenAt);
        expect(after?.lastBusyAt ?? 0).toBeGreaterThanOrEqual(known.lastBusyAt ?? 0);
      }),
    );
  });

  test('the order in which nodes are read does not matter', () => {
    const many = fc.uniqueArray(fc.record({ uid: fc.string(), isBusy: fc.boolean() }), {
      selector: (one) => one.uid,
    });
    fc.assert(
      fc.property(many, (nodes) => {
        const observations = nodes.map((node) => seen({ ...node, name: node.uid }));
        const forwards = observe(history(60, {}), observations, NOW);
        const backwards = observe(history(60, {}), observations.toReversed(), NOW);
        expect(new Map(forwards.nodes)).toEqual(new Map(backwards.nodes));
      }),
    );
  });
});
