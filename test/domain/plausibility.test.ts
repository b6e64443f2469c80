import { describe, expect, it } from 'vitest';
import { countPods, findImplausibility } from '../../functions/domain/plausibility.ts';
import { aNode, aUsage } from '../support/fakes.ts';

const history = (...names: string[]) => ({
  observedAt: 0,
  nodes: new Map(names.map((name) => [`uid-of-${name}`, { name, firstSeenAt: 0, lastBusyAt: undefined }])),
});
const usage = (pods: Readonly<Record<string, number>>) =>
  new Map(Object.entries(pods).map(([name, podCount]) => [name, aUsage({ podCount })]));
const nodes = (...names: string[]) => names.map((name) => aNode({ name }));

const ROWS = [
  {
    name: 'every node that was known is listed',
    reading: { nodes: nodes('a', 'b'), usage: usage({ a: 3, b: 3 }), history: history('a', 'b') },
    before: 6,
    expected: undefined,
  },
  {
    name: 'the list of nodes is suddenly empty while their pods are listed',
    reading: { nodes: [], usage: usage({ a: 3, b: 3 }), history: history('a', 'b') },
    before: 6,
    expected: { kind: 'nodesLost', lost: 2, known: 2 },
  },
  {
    name: 'more than half of the nodes with pods are missing',
    reading: { nodes: nodes('a'), usage: usage({ a: 1, b: 1, c: 1 }), history: history('a', 'b', 'c') },
    before: 3,
    expected: { kind: 'nodesLost', lost: 2, known: 3 },
  },
  {
    name: 'half of them may be: two nodes were scaled down',
    reading: {
      nodes: nodes('a', 'b'),
      usage: usage({ a: 1, b: 1, c: 1, d: 1 }),
      history: history('a', 'b', 'c', 'd'),
    },
    before: 4,
    expected: undefined,
  },
  {
    name: 'nodes that went with their pods are gone, not unread',
    reading: { nodes: [], usage: usage({ other: 20 }), history: history('a', 'b') },
    before: 22,
    expected: undefined,
  },
  {
    name: 'the list of pods is suddenly empty',
    reading: { nodes: nodes('a'), usage: usage({}), history: history('a') },
    before: 40,
    expected: { kind: 'podsLost', expected: 40, now: 0 },
  },
  {
    name: 'the list of pods lost more than half',
    reading: { nodes: nodes('a'), usage: usage({ a: 19 }), history: history('a') },
    before: 40,
    expected: { kind: 'podsLost', expected: 40, now: 19 },
  },
  {
    name: 'half of the pods may leave between two passes',
    reading: { nodes: nodes('a'), usage: usage({ a: 20 }), history: history('a') },
    before: 40,
    expected: undefined,
  },
  {
    name: 'a small cluster may lose its last user',
    reading: { nodes: nodes('a'), usage: usage({ a: 1 }), history: history('a') },
    before: 9,
    expected: undefined,
  },
  {
    name: 'ten pods are enough to doubt',
    reading: { nodes: nodes('a'), usage: usage({ a: 4 }), history: history('a') },
    before: 10,
    expected: { kind: 'podsLost', expected: 10, now: 4 },
  },
  {
    name: 'nodes that joined since bring no pods with them',
    reading: { nodes: nodes('a', 'new', 'newer'), usage: usage({ a: 15 }), history: history('a', 'b') },
    before: 40,
    expected: undefined,
  },
  {
    name: 'nodes that were scaled down took their pods along',
    reading: { nodes: nodes('a'), usage: usage({ a: 10 }), history: history('a', 'b', 'c', 'd') },
    before: 40,
    expected: undefined,
  },
  {
    name: 'of the nodes that are left, most pods are missing',
    reading: { nodes: nodes('a', 'b'), usage: usage({ a: 4, b: 4 }), history: history('a', 'b', 'c', 'd') },
    before: 80,
    expected: { kind: 'podsLost', expected: 40, now: 8 },
  },
  {
    name: 'pods of nodes that are not managed do not count',
    reading: { nodes: nodes('a'), usage: usage({ a: 12, other: 400 }), history: history('a') },
    before: 12,
    expected: undefined,
  },
  {
    name: 'the first pass has nothing to compare with',
    reading: { nodes: [], usage: usage({}), history: history() },
    before: undefined,
    expected: undefined,
  },
];

describe('whether what was listed can be what stands in the cluster', () => {
  it.each(ROWS)('$name', ({ reading, before, expected }) => {
    expect(findImplausibility({ ...reading, podsSeenBefore: before })).toEqual(expected);
  });

  it('counts the pods of the managed nodes', () => {
    expect(countPods({ nodes: nodes('a', 'b', 'c'), usage: usage({ a: 2, b: 5, other: 9 }) })).toBe(7);
  });
});
