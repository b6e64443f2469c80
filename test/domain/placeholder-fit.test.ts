import { describe, expect, test } from 'vitest';
import { judgePlaceholderFit, recommendRequest } from '../../functions/domain/placeholder-fit.ts';
import type { Capacity, PlaceholderFit } from '../../functions/domain/placeholder-fit.ts';

const GB = 10 ** 9;
const KI = 1024;

function node(cpuMillis: number, memoryBytes: number): Capacity {
  return { cpuMillis, memoryBytes };
}

describe('how often a placeholder fits on a node', () => {
  const big = node(16_000, 200 * GB);
  test.each<readonly [string, Readonly<Record<string, string>>, readonly Capacity[], PlaceholderFit]>([
    ['once', { memory: '150G' }, [big], { kind: 'one' }],
    ['four times', { memory: '48G' }, [big], { kind: 'several', count: 4 }],
    ['cpu keeps a second one out', { memory: '48G', cpu: '9' }, [big], { kind: 'one' }],
    [
      'twice on one node of two',
      { memory: '100G' },
      [node(16_000, 120 * GB), big],
      { kind: 'several', count: 2 },
    ],
    ['exactly', { memory: '200G' }, [big], { kind: 'one' }],
    [
      'never: 60000000Ki on 59350076Ki',
      { memory: '60000000Ki' },
      [node(16_000, 59_350_076 * KI)],
      { kind: 'never', resource: 'memory', requested: 60_000_000 * KI, offered: 59_350_076 * KI },
    ],
    [
      'never, for want of cpu',
      { cpu: '16001m', memory: '1G' },
      [big],
      { kind: 'never', resource: 'cpu', requested: 16_001, offered: 16_000 },
    ],
    [
      'never, for want of cpu: its memory fits exactly',
      { cpu: '17', memory: '200G' },
      [big],
      { kind: 'never', resource: 'cpu', requested: 17_000, offered: 16_000 },
    ],
    [
      'never: the roomiest of three nodes is what it is held against',
      { memory: '300G' },
      [node(16_000, 100 * GB), big, node(16_000, 120 * GB)],
      { kind: 'never', resource: 'memory', requested: 300 * GB, offered: 200 * GB },
    ],
    [
      'zero of cpu fits on a node without any left',
      { cpu: '0', memory: '150G' },
      [node(0, 200 * GB)],
      { kind: 'one' },
    ],
    ['never on one, once on another', { memory: '150G' }, [node(1000, GB), big], { kind: 'one' }],
    [
      'never on two nodes, each of which lacks something else',
      { cpu: '8', memory: '150G' },
      [node(4000, 200 * GB), node(16_000, 100 * GB)],
      { kind: 'never', resource: 'cpu', requested: 8000, offered: 4000 },
    ],
    [
      'on a node with less than nothing',
      { memory: '1G' },
      [node(1, -5)],
      { kind: 'never', resource: 'memory', requested: GB, offered: -5 },
    ],
    ['any number: nothing is asked for', {}, [big], { kind: 'unbounded' }],
    ['any number: zero is asked for', { cpu: '0', memory: '0' }, [big], { kind: 'unbounded' }],
    ['any number: only something else is asked for', { 'nvidia.com/gpu': '1' }, [big], { kind: 'unbounded' }],
    ['nobody knows: no node', { memory: '1G' }, [], { kind: 'unknown' }],
    [
      'nobody knows: no quantity',
      { memory: '60g' },
      [big],
      {
        kind: 'unreadable',
        problem:
          'memory: "60g" is not a Kubernetes quantity (suffixes are G for powers of 1000, Gi for powers of 1024)',
      },
    ],
  ])('%s', (...[, requests, offers, expected]) => {
    expect(judgePlaceholderFit(requests, offers)).toEqual(expected);
  });
});

describe('the recommended request', () => {
  test('is what is left beside other pods, less what is held free', () => {
    expect(recommendRequest(61_483_356_160, 466_964_736)).toEqual({
      memoryBytes: 60_738_518_784,
      allocatableBytes: 61_483_356_160,
      otherBytes: 466_964_736,
      heldFreeBytes: 277_872_640,
    });
  });

  test('there is none where nothing is left', () => {
    expect(recommendRequest(477_872_640, 200_000_000).memoryBytes).toBeUndefined();
    expect(recommendRequest(477_872_641, 200_000_000).memoryBytes).toBe(1);
  });

  test('fits once on the node that it was made for', () => {
    const { memoryBytes } = recommendRequest(61_483_356_160, 466_964_736);
    const offer = node(16_000, 61_483_356_160 - 466_964_736);
    expect(judgePlaceholderFit({ memory: String(memoryBytes) }, [offer])).toEqual({ kind: 'one' });
  });
});
