import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ListReader } from '../../functions/cluster/list-reader.ts';
import type { ListEnvelope } from '../../functions/cluster/list-scanner.ts';

interface Read {
  readonly items: readonly object[];
  readonly envelope: ListEnvelope;
  readonly announced: readonly ListEnvelope[];
}

function read(text: string, chunkBytes: number): Read {
  const items: object[] = [];
  const announced: ListEnvelope[] = [];
  const reader = new ListReader({
    onItem: (item) => items.push(item),
    onEnvelope: (envelope) => announced.push(envelope),
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) reader.push(bytes.subarray(at, at + chunkBytes));
  return { items, envelope: reader.end(), announced };
}

function listOf(items: readonly unknown[]): string {
  return JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: { continue: 'next' }, items });
}

/** Texts and objects that hold what the reader looks for where no item ends. */
const lure = fc.oneof(
  fc.constant('},{"metadata":{'),
  fc.constant(',{"metadata":{"name":"x"}}'),
  fc.string({ unit: 'binary' }),
);
const nested = fc.array(fc.record({ metadata: fc.record({ name: lure }), more: fc.jsonValue() }), {
  maxLength: 4,
});
const item = fc.record({ metadata: fc.record({ name: lure }), spec: fc.jsonValue(), nested });

describe('the reader of lists', () => {
  it('gives what JSON.parse gives, in order, however the bytes arrive and whatever the items hold', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 8 }), fc.integer({ min: 1, max: 300 }), (items, chunkBytes) => {
        const text = listOf(items);
        const parsed = JSON.parse(text) as { readonly items: readonly object[] };
        const found = read(text, chunkBytes);
        expect(found.items).toEqual(parsed.items);
        expect(found.envelope).toMatchObject({ kind: 'PodList', continueToken: 'next' });
        expect(found.announced).toHaveLength(1);
      }),
      { numRuns: 400 },
    );
  });

  it('hands over an item when the next begins, and not only at the end', () => {
    const items: object[] = [];
    const reader = new ListReader({ onItem: (one) => items.push(one) });
    const text = listOf([
      { metadata: { name: 'a' } },
      { metadata: { name: 'b' } },
      { metadata: { name: 'c' } },
    ]);
    reader.push(Buffer.from(text.slice(0, -4)));
    expect(items).toEqual([{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }]);
  });

  it.each([
    ['no items', listOf([]), 0],
    [
      'items that begin otherwise',
      listOf([
        { kind: 'Pod', metadata: {} },
        { kind: 'Pod', metadata: {} },
      ]),
      2,
    ],
    [
      'an item among them that begins otherwise',
      listOf([{ metadata: {} }, { kind: 'Pod' }, { metadata: {} }]),
      3,
    ],
    ['spaces', JSON.stringify(JSON.parse(listOf([{ metadata: {} }, { metadata: {} }])), undefined, 2), 2],
    [
      'metadata behind the items',
      '{"kind":"PodList","items":[{"metadata":{}}],"metadata":{"continue":"next"}}',
      1,
    ],
    ['a line end', `${listOf([{ metadata: {} }])}\n`, 1],
    ['a long head', listOf([{ metadata: {} }]).replace('PodList', `PodList","x":"${'y'.repeat(200_000)}`), 1],
  ])('reads a list with %s', (_, text, count) => {
    expect(read(text, 1000).items).toHaveLength(count);
  });

  it('is not misled by a first item that begins otherwise and has such a list inside', () => {
    const items = [
      {
        kind: 'Pod',
        inside: { items: [{ metadata: { name: 'x' } }, { metadata: {} }] },
        metadata: { name: 'a' },
      },
      { metadata: { name: 'b' } },
    ];
    expect(read(listOf(items), 7).items).toEqual(items);
  });

  const whole = listOf([
    { metadata: { name: 'a' } },
    { metadata: { name: 'b' } },
    { metadata: { name: 'c' } },
  ]);

  it('takes no list that breaks off, wherever it does', () => {
    for (let end = 0; end < whole.length; end += 1) {
      expect(() => read(whole.slice(0, end), 7)).toThrow();
    }
  });

  it.each([
    ['an item that is no JSON', whole.replace('"b"', 'b')],
    ['an item that is no object', listOf([{ metadata: {} }, 7, { metadata: {} }]).replace('7', '{7}')],
    ['no items', '{"kind":"PodList","metadata":{}}'],
    ['something else altogether', '<html>'],
  ])('refuses %s', (_, text) => {
    expect(() => read(text, 7)).toThrow();
  });
});
