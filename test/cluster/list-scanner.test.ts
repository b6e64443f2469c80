import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ListScanner } from '../../functions/cluster/list-scanner.ts';
import type { ListEnvelope } from '../../functions/cluster/list-scanner.ts';

interface Scanned {
  readonly items: readonly object[];
  readonly envelope: ListEnvelope;
}

function scan(text: string, chunkBytes: number): Scanned {
  const items: object[] = [];
  const scanner = new ListScanner({ onItem: (item) => items.push(item) });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    scanner.push(bytes.subarray(at, at + chunkBytes));
  }
  return { items, envelope: scanner.end() };
}

describe('reading a list', () => {
  const rows: { name: string; text: string; expected: Scanned }[] = [
    {
      name: 'an empty list',
      text: '{"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[]}',
      expected: {
        items: [],
        envelope: { kind: 'PodList', continueToken: undefined, remainingItemCount: undefined },
      },
    },
    {
      name: 'the token and the count of a page',
      text: '{"kind":"PodList","metadata":{"continue":"abc","remainingItemCount":7},"items":[{"a":1}]}',
      expected: {
        items: [{ a: 1 }],
        envelope: { kind: 'PodList', continueToken: 'abc', remainingItemCount: 7 },
      },
    },
    {
      name: 'metadata after the items, an empty token, and blanks everywhere',
      text: ' { "items" : [ { "a" : [ { } ] } , {} ] , "kind" : "NodeList" , "metadata" : { "continue" : "" } } ',
      expected: {
        items: [{ a: [{}] }, {}],
        envelope: { kind: 'NodeList', continueToken: undefined, remainingItemCount: undefined },
      },
    },
    {
      name: 'brackets, quotes and backslashes inside strings',
      text: String.raw`{"kind":"L","items":[{"a":"]}[{\"\\","b":"\\\\"},{"c":"\"items\":["}],"metadata":{}}`,
      expected: {
        items: [{ a: ']}[{"\\', b: '\\\\' }, { c: '"items":[' }],
        envelope: { kind: 'L', continueToken: undefined, remainingItemCount: undefined },
      },
    },
    {
      name: 'an array called items inside an item, and another array before the items',
      text: '{"kind":"L","more":[1,[2]],"items":[{"items":[{"x":1}]}]}',
      expected: {
        items: [{ items: [{ x: 1 }] }],
        envelope: { kind: 'L', continueToken: undefined, remainingItemCount: undefined },
      },
    },
    {
      name: 'arrays that nobody reads, cut out at any depth, and only arrays',
      text: '{"kind":"L","items":[{"managedFields":[{"a":["]"]}],"b":{"env":[[1],{"x":"}"}],"c":2},"env":"kept"},{"d":3}]}',
      expected: {
        items: [{ managedFields: [], b: { env: [], c: 2 }, env: 'kept' }, { d: 3 }],
        envelope: { kind: 'L', continueToken: undefined, remainingItemCount: undefined },
      },
    },
    {
      name: 'text of more than one byte a character',
      text: '{"kind":"L","items":[{"ä":"日本🎓"}]}',
      expected: {
        items: [{ ä: '日本🎓' }],
        envelope: { kind: 'L', continueToken: undefined, remainingItemCount: undefined },
      },
    },
  ];
  test.each(rows)('$name, whatever pieces it comes in', ({ text, expected }) => {
    const bySize = [1, 2, 3, 5, 17, 100_000].map((size) => scan(text, size));
    expect(bySize).toEqual(bySize.map(() => expected));
  });

  test('tells the token before the items have come', () => {
    const seen: string[] = [];
    const scanner = new ListScanner({
      onItem: () => seen.push('item'),
      onEnvelope: ({ continueToken }) => seen.push(`token ${String(continueToken)}`),
    });
    scanner.push(Buffer.from('{"kind":"L","metadata":{"continue":"next"},"items":[{}'));
    expect(seen).toEqual(['token next', 'item']);
  });

  test('gives what JSON.parse gives, for any list in any pieces', () => {
    // No object of this kind has the keys that are cut out: fast-check is told to leave them.
    const anyItem = fc.dictionary(
      fc.string().filter((key) => key !== 'env' && key !== 'managedFields'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(
        fc.array(anyItem),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(0, 2),
        (items, size, indent) => {
          const text = JSON.stringify({ kind: 'AnyList', items }, undefined, indent);
          expect(scan(text, size).items).toEqual((JSON.parse(text) as { items: object[] }).items);
        },
      ),
    );
  });
});

describe('refusing what is no whole list', () => {
  const whole = '{"kind":"PodList","metadata":{},"items":[{"a":"b"},{"c":[1,2]}]}';

  test('at whatever byte it ends too early', () => {
    const early = Array.from({ length: whole.length - 1 }, (_, length) => whole.slice(0, length));
    early.forEach((text) => {
      expect(() => scan(text, 1000), text).toThrow();
    });
    expect(early.length).toBeGreaterThan(60);
  });

  test.each([
    ['a page of a proxy', '<!DOCTYPE html><html><body>[{"items":[]}]</body></html>'],
    ['an object without items', '{"kind":"PodList","metadata":{}}'],
    ['items that are no array', '{"kind":"PodList","items":null}'],
    ['items inside something else', '{"kind":"PodList","metadata":{"items":[{}]}}'],
    ['an item that is not JSON', '{"kind":"PodList","items":[{"a":}]}'],
    ['a second document behind it', `${whole}${whole}`],
    ['a bracket too many', `${whole}]`],
    ['nothing', ''],
  ])('%s', (_, text) => {
    expect(() => scan(text, 1000)).toThrow();
  });
});
