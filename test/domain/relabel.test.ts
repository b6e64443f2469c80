import { describe, expect, test } from 'vitest';
import type { PlaceholderPod } from '../../functions/domain/placeholder.ts';
import { chooseRelabels } from '../../functions/domain/relabel.ts';
import type { NodeWarmth } from '../../functions/domain/warmth.ts';
import { aPlaceholder } from '../support/fakes.ts';

function warm(nodeName: string): NodeWarmth {
  return { nodeName, isWarm: true, reason: { kind: 'imagePullerReady' }, expectedWarmAt: undefined };
}

function cold(nodeName: string, expectedWarmAt: number | undefined): NodeWarmth {
  return {
    nodeName,
    isWarm: false,
    reason: { kind: 'imagePullerWorks', readySeconds: 1 },
    expectedWarmAt,
  };
}

function pod(name: string, overrides: Partial<PlaceholderPod> = {}): PlaceholderPod {
  return aPlaceholder({ name, nodeName: `on-${name}`, warmth: 'cold', createdAt: 1000, ...overrides });
}

function chosen(pods: readonly PlaceholderPod[], nodes: readonly NodeWarmth[]): readonly string[] {
  const byName = new Map(nodes.map((node) => [node.nodeName, node]));
  return chooseRelabels(pods, byName).map(({ pod: one, reason }) => `${one.name}: ${reason}`);
}

describe('placeholders to mark warm', () => {
  test.each<readonly [string, readonly PlaceholderPod[], readonly NodeWarmth[], readonly string[]]>([
    ['none without placeholders', [], [warm('on-a')], []],
    [
      'those whose node is warm',
      [pod('a'), pod('b'), pod('c')],
      [warm('on-a'), cold('on-b', 5), warm('on-c')],
      ['a: nodeIsWarm', 'c: nodeIsWarm'],
    ],
    ['each once: a marked one is left alone', [pod('a', { warmth: 'warm' })], [warm('on-a')], []],
    ['never back', [pod('a', { warmth: 'warm' })], [cold('on-a', 5)], []],
    [
      'with none warm left, the nearest to warm',
      [pod('a'), pod('b'), pod('c')],
      [cold('on-a', 9), cold('on-b', 5), cold('on-c', undefined)],
      ['b: nearestToWarm'],
    ],
    [
      'one that is marked is one left, though its node is cold',
      [pod('a', { warmth: 'warm' }), pod('b')],
      [cold('on-a', 9), cold('on-b', 5)],
      [],
    ],
    [
      'a marked one on its way out is none',
      [pod('a', { warmth: 'warm', isTerminating: true }), pod('b')],
      [warm('on-a'), cold('on-b', 5)],
      ['b: nearestToWarm'],
    ],
    [
      'of two as near, the older',
      [pod('a'), pod('b', { createdAt: 500 })],
      [cold('on-a', 5), cold('on-b', 5)],
      ['b: nearestToWarm'],
    ],
    [
      'of two as near and as old, always the same',
      [pod('b'), pod('a')],
      [cold('on-a', 5), cold('on-b', 5)],
      ['a: nearestToWarm'],
    ],
    ['none that has no node', [pod('a', { nodeName: undefined, phase: 'Pending' })], [], []],
    ['none that is on its way out', [pod('a', { isTerminating: true })], [warm('on-a')], []],
    [
      'on a node that nobody knows, only as the last',
      [pod('a'), pod('b')],
      [cold('on-b', 5)],
      ['b: nearestToWarm'],
    ],
  ])('%s', (...[, pods, nodes, expected]) => {
    expect(chosen(pods, nodes)).toEqual(expected);
  });
});
