import { describe, expect, it } from 'vitest';
import { allWarmAt, describeSpares, pendingMessage } from '../../functions/domain/spares-text.ts';

const at = (minute: number, second = 0) => Date.UTC(2026, 2, 2, 9, minute, second);
const warming = (expectedWarmAt: number | undefined) => ({ podName: 'p', nodeName: 'n', expectedWarmAt });
const pending = (sinceAt: number, message: string | undefined) => ({ podName: 'p', sinceAt, message });

describe('how spares stand, in words', () => {
  it.each([
    { name: 'none at all', spares: { warm: 0, warming: [], pending: [] }, expected: '0 warm' },
    {
      name: 'the last minute of those that warm up, rounded up',
      spares: { warm: 1, warming: [warming(at(10)), warming(at(11, 1))], pending: [] },
      expected: '1 warm, 2 warming (by 09:12Z)',
    },
    {
      name: 'no minute where one of them gives none',
      spares: { warm: 0, warming: [warming(at(10)), warming(undefined)], pending: [] },
      expected: '0 warm, 2 warming',
    },
    {
      name: 'the words of the scheduler on the one that has waited longest',
      spares: { warm: 2, warming: [], pending: [pending(at(5), 'later'), pending(at(1), 'no node fits')] },
      expected: '2 warm, 2 Pending (no node fits)',
    },
    {
      name: 'a scheduler that has said nothing yet',
      spares: { warm: 0, warming: [], pending: [pending(at(5), undefined)] },
      expected: '0 warm, 1 Pending',
    },
  ])('$name', ({ spares, expected }) => {
    expect(describeSpares(spares)).toBe(expected);
  });

  it('cuts what the scheduler says to a bound', () => {
    expect(pendingMessage({ pending: [pending(at(1), 'x'.repeat(5000))] })).toHaveLength(201);
  });

  it('gives no instant when nothing warms up', () => {
    expect(allWarmAt({ warming: [] })).toBeUndefined();
  });
});
