import { describe, expect, test } from 'vitest';
import { decidePool } from '../../functions/domain/decision.ts';
import type { PoolSituation } from '../../functions/domain/decision.ts';
import { explainDecision } from '../../functions/domain/explanation.ts';

const SETTINGS = {
  name: 'base',
  baseline: 2,
  maxReplicas: 10,
  calendarOverrideEnabled: false,
  warmFirst: true,
} as const;

function asks(count: number, eventTitle = 'Data 8 lecture'): PoolSituation['demand'] {
  return { count, eventId: 'e1', eventTitle, endAt: 0 };
}

function cut(asked: number, count: number): PoolSituation['demand'] {
  const by = [{ by: 'maxReplicasTotal', left: count }] as const;
  return { count, cut: { asked, by }, eventId: 'e1', eventTitle: 'Data 8 lecture', endAt: 0 };
}

function explain(overrides: Partial<PoolSituation>): string {
  return explainDecision(
    decidePool({
      settings: SETTINGS,
      demand: undefined,
      nodesWithRoom: [],
      pendingPods: [],
      coming: { onColdNodes: 0, newlyPending: 0 },
      liveReplicas: 5,
      floors: [],
      ...overrides,
    }),
  );
}

const OVERRIDE = { ...SETTINGS, calendarOverrideEnabled: true };

describe('one sentence says why', () => {
  test.each<readonly [string, Partial<PoolSituation>, string]>([
    ['baseline', {}, '2 = replicas 2'],
    ['baseline less room', { nodesWithRoom: ['gke-a-1'] }, '1 = replicas 2 - 1 node with room (gke-a-1)'],
    [
      'event less room',
      { demand: asks(4), nodesWithRoom: ['gke-a-1'] },
      "3 = event 'Data 8 lecture' asks 4 - 1 node with room (gke-a-1)",
    ],
    [
      'more room than is asked, more names than are shown',
      { nodesWithRoom: ['a', 'b', 'c', 'd', 'e'] },
      '0 = replicas 2 - 5 nodes with room (a, b, c and 2 more)',
    ],
    ['cool-off', { demand: asks(0, 'Evening') }, "0 = event 'Evening' asks 0"],
    [
      'override',
      { settings: OVERRIDE, demand: asks(4), nodesWithRoom: ['a'] },
      "4 = event 'Data 8 lecture' asks 4 (calendarOverrideEnabled)",
    ],
    [
      'cut by the bound over the fleet',
      { demand: cut(9, 5), nodesWithRoom: ['a'] },
      "4 = event 'Data 8 lecture' asks 9, cut to 5 by maxReplicasTotal - 1 node with room (a)",
    ],
    ['pending', { pendingPods: ['p'] }, '2 = hold, replicas 2 while 1 placeholder (p) is Pending'],
    [
      'pending under a larger event',
      { pendingPods: ['p', 'q'], demand: asks(5) },
      "5 = hold, event 'Data 8 lecture' asks 5 while 2 placeholders (p, q) are Pending",
    ],
    [
      'pending under a cool-off',
      { pendingPods: ['p'], demand: asks(0) },
      '2 = hold, replicas 2 while 1 placeholder (p) is Pending',
    ],
    [
      'covered',
      { coming: { onColdNodes: 2, newlyPending: 1 } },
      '3 = replicas 2, kept at 3 for what is coming (2 on nodes that still warm up, 1 waiting for a node)',
    ],
    [
      'covered, none waiting',
      { coming: { onColdNodes: 4, newlyPending: 0 } },
      '4 = replicas 2, kept at 4 for what is coming (4 on nodes that still warm up)',
    ],
    [
      'covered, all waiting',
      { coming: { onColdNodes: 0, newlyPending: 3 } },
      '3 = replicas 2, kept at 3 for what is coming (3 waiting for a node)',
    ],
    [
      'calendar unread',
      { floors: ['calendarUnread'] },
      '5 = replicas 2, held at the live 5: the calendar cannot be read and no fresh enough events are kept',
    ],
    [
      'state unread',
      { floors: ['stateUnread'] },
      '5 = replicas 2, held at the live 5: the state cannot be read',
    ],
    [
      'state unwritable',
      { floors: ['stateUnwritable'] },
      '5 = replicas 2, held at the live 5: the state cannot be written',
    ],
    [
      'cut while a sharer is unread',
      { demand: cut(9, 3), floors: ['sharerUnread'] },
      "5 = event 'Data 8 lecture' asks 9, cut to 3 by maxReplicasTotal, held at the live 5: another calendar under the same cap cannot be read",
    ],
    ['clamped', { demand: asks(300) }, "10 = event 'Data 8 lecture' asks 300, limited to maxReplicas 10"],
    [
      'clamped while held',
      { floors: ['stateUnread'], liveReplicas: 12 },
      '10 = replicas 2, held at the live 12: the state cannot be read, limited to maxReplicas 10 (the Deployment had 12)',
    ],
    ['no title', { demand: asks(3, ' ') }, '3 = event without a title asks 3'],
    [
      'a title of several lines',
      { demand: asks(3, 'Data 8\n  lecture\tone') },
      "3 = event 'Data 8 lecture one' asks 3",
    ],
    ['a very long title', { demand: asks(3, 'x'.repeat(500)) }, `3 = event '${'x'.repeat(80)}…' asks 3`],
  ])('%s', (_name, overrides, sentence) => {
    expect(explain(overrides)).toBe(sentence);
  });
});
