import { describe, expect, test } from 'vitest';
import { chooseReadPlan, isCountWorthAsking } from '../../functions/cluster/read-plan.ts';

describe('which pods to list', () => {
  test.each([
    {
      name: 'a hub’s own cluster: all nodes managed',
      managedNodes: 100,
      podsInCluster: 2_000,
      expected: 'cluster',
    },
    {
      name: 'ten of a hundred nodes: the list is few pages',
      managedNodes: 10,
      podsInCluster: 2_000,
      expected: 'cluster',
    },
    { name: 'five of a hundred nodes', managedNodes: 5, podsInCluster: 2_000, expected: 'managedNodes' },
    { name: 'eighty of a thousand nodes', managedNodes: 79, podsInCluster: 20_500, expected: 'managedNodes' },
    { name: 'one node too many', managedNodes: 80, podsInCluster: 20_500, expected: 'cluster' },
    {
      name: 'a thousand of fifteen thousand nodes',
      managedNodes: 1_000,
      podsInCluster: 450_000,
      expected: 'managedNodes',
    },
    {
      name: 'no node at all, and more than one page',
      managedNodes: 0,
      podsInCluster: 600,
      expected: 'managedNodes',
    },
    { name: 'no node at all, and one page', managedNodes: 0, podsInCluster: 500, expected: 'cluster' },
    { name: 'a server that does not say', managedNodes: 1, podsInCluster: undefined, expected: 'cluster' },
  ])('$name', ({ managedNodes, podsInCluster, expected }) => {
    expect(chooseReadPlan({ managedNodes, podsInCluster, pageSize: 500 })).toEqual({
      podsOf: expected,
      managedNodes,
      podsInCluster,
    });
  });
});

describe('whether to ask how many pods there are', () => {
  test.each([
    { name: 'every node seen is managed', seenNodes: 25, seenManagedNodes: 25, expected: false },
    { name: 'a quarter of them is', seenNodes: 100, seenManagedNodes: 25, expected: false },
    { name: 'less than a quarter is', seenNodes: 100, seenManagedNodes: 24, expected: true },
    { name: 'none is', seenNodes: 3, seenManagedNodes: 0, expected: true },
    { name: 'no pod has a node', seenNodes: 0, seenManagedNodes: 0, expected: false },
  ])('$name', ({ seenNodes, seenManagedNodes, expected }) => {
    expect(isCountWorthAsking({ seenNodes, seenManagedNodes })).toBe(expected);
  });
});
