import { describe, expect, test } from 'vitest';
import type { NodeFacts } from '../../functions/domain/node.ts';
import type { NodeUsage } from '../../functions/domain/usage.ts';
import { judgeWarmth } from '../../functions/domain/warmth.ts';
import type { WarmthReason } from '../../functions/domain/warmth.ts';
import { aNode, aUsage } from '../support/fakes.ts';

const NOW = Date.UTC(2026, 2, 2, 9);

function node(readySeconds: number, overrides: Partial<NodeFacts> = {}): NodeFacts {
  return aNode({ name: 'a', readySinceAt: NOW - readySeconds * 1000, ...overrides });
}

function fromNow(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : NOW + seconds * 1000;
}

function warmthOf(facts: NodeFacts, usage: NodeUsage | undefined): ReturnType<typeof judgeWarmth> {
  return judgeWarmth({ node: facts, usage, nodeWarmSeconds: 600, now: NOW });
}

describe('a node is warm', () => {
  test.each<readonly [string, NodeFacts, NodeUsage | undefined, WarmthReason]>([
    ["a user's pod runs", node(10), aUsage({ hasRunningUserPod: true }), { kind: 'userPodRuns' }],
    [
      "a user's pod runs, whatever the puller says",
      node(10, { userImage: 'absent' }),
      aUsage({ hasRunningUserPod: true, imagePuller: 'notReady' }),
      { kind: 'userPodRuns' },
    ],
    ['the puller is Ready', node(10), aUsage({ imagePuller: 'ready' }), { kind: 'imagePullerReady' }],
    [
      'the puller is Ready, and no pattern matches',
      node(10, { userImage: 'absent' }),
      aUsage({ imagePuller: 'ready' }),
      { kind: 'imagePullerReady' },
    ],
    ['the image is there', node(10, { userImage: 'present' }), undefined, { kind: 'userImagePresent' }],
    ['neither known, Ready for 600 s', node(600), undefined, { kind: 'readyLongEnough', readySeconds: 600 }],
    [
      'the puller never succeeds',
      node(1200),
      aUsage({ imagePuller: 'notReady' }),
      { kind: 'waitedTooLong', readySeconds: 1200 },
    ],
    [
      'the image never comes',
      node(1200, { userImage: 'absent' }),
      undefined,
      { kind: 'waitedTooLong', readySeconds: 1200 },
    ],
  ])('%s', (...[, facts, usage, reason]) => {
    expect(warmthOf(facts, usage)).toEqual({
      nodeName: 'a',
      isWarm: true,
      reason,
      expectedWarmAt: undefined,
    });
  });
});

describe('a node is not warm yet', () => {
  test.each<readonly [string, NodeFacts, NodeUsage | undefined, WarmthReason, number | undefined]>([
    ['neither known, Ready for 599 s', node(599), undefined, { kind: 'readyTooShort', readySeconds: 599 }, 1],
    [
      'the puller works',
      node(100),
      aUsage({ imagePuller: 'notReady' }),
      { kind: 'imagePullerWorks', readySeconds: 100 },
      500,
    ],
    [
      'the puller decides, though the image is listed already',
      node(100, { userImage: 'present' }),
      aUsage({ imagePuller: 'notReady' }),
      { kind: 'imagePullerWorks', readySeconds: 100 },
      500,
    ],
    [
      'the puller takes longer than usual',
      node(700),
      aUsage({ imagePuller: 'notReady' }),
      { kind: 'imagePullerWorks', readySeconds: 700 },
      500,
    ],
    [
      'the image is not there, however long by the clock',
      node(1199, { userImage: 'absent' }),
      undefined,
      { kind: 'userImageAbsent', readySeconds: 1199 },
      1,
    ],
    [
      'not Ready',
      node(10, { ready: 'False', readySinceAt: undefined }),
      aUsage({ imagePuller: 'ready' }),
      { kind: 'notReady', ready: 'False' },
      undefined,
    ],
    [
      'silent',
      node(10, { ready: 'Unknown', readySinceAt: undefined, userImage: 'present' }),
      undefined,
      { kind: 'notReady', ready: 'Unknown' },
      undefined,
    ],
  ])('%s', (...[, facts, usage, reason, inSeconds]) => {
    expect(warmthOf(facts, usage)).toEqual({
      nodeName: 'a',
      isWarm: false,
      reason,
      expectedWarmAt: fromNow(inSeconds),
    });
  });
});

test('when the API does not say since when, since it joined', () => {
  const facts = node(0, { readySinceAt: undefined, createdAt: NOW - 600_000 });
  expect(warmthOf(facts, undefined).reason).toEqual({ kind: 'readyLongEnough', readySeconds: 600 });
});
