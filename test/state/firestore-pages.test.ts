import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Fields } from '../../functions/state/document.ts';
import { PAGE_BYTES, PAGE_ITEMS, assemble, paginate, sizeOf } from '../../functions/state/firestore-pages.ts';

const MEBIBYTE = 2 ** 20;
const INDEX_ENTRIES_ALLOWED = 40_000;
const AT = new Date(Date.UTC(2026, 2, 2, 9, 0));

const node = (name: string): Fields => ({ name, firstSeenAt: AT, lastBusyAt: AT });
const nodes = (count: number, name = 'gke-hub-user-base-0123.c.project.internal'): Fields =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`uid-${index}`, node(name)]));
const events = (count: number, title: string): readonly unknown[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `e${index}`,
    title,
    startAt: AT,
    endAt: AT,
    requests: [],
  }));
const record = (nodeMap: Fields, eventList?: readonly unknown[]): Fields => ({
  cluster: 'default',
  reported: [],
  nodes: nodeMap,
  keptEvents: eventList && { readAt: AT, source: 's', timeZone: 'UTC', events: eventList },
});

describe('a record', () => {
  test('that fits is one document, with the fields as they are', () => {
    const fields = record(nodes(3), events(2, 'lab'));
    expect(paginate(fields)).toEqual({ main: { ...fields, pages: 0 }, further: [] });
  });

  test('without nodes and without a calendar is one document', () => {
    expect(paginate(record({}))).toEqual({ main: { ...record({}), pages: 0 }, further: [] });
  });

  test.each([
    ['ten thousand nodes', record(nodes(10_001)), 2],
    ['few nodes with very long names', record(nodes(1_200, 'n'.repeat(2_000))), 3],
    ['a calendar of long titles', record(nodes(2), events(1_000, 't'.repeat(1_500))), 2],
    ['one node more than a page may hold', record(nodes(PAGE_ITEMS + 1)), 1],
  ])('of %s goes on to further pages, each within the limits of a document', (_, fields, pages) => {
    const { main, further } = paginate(fields);
    expect(further).toHaveLength(pages);
    expect(main['pages']).toBe(pages);
    expect(assemble(main, further)).toEqual({ ...fields, pages });
    const documents = [main, ...further];
    expect(Math.max(...documents.map(sizeOf))).toBeLessThan(MEBIBYTE);
    const entries = documents.map((page) => Object.keys(page['nodes'] ?? {}).length * 3 * 2);
    expect(Math.max(...entries)).toBeLessThan(INDEX_ENTRIES_ALLOWED);
  });

  test('comes back whole from its pages, events in their order', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'a.b', 'toString'));
    fc.assert(
      fc.property(
        fc.dictionary(text, fc.constant(node('n'.repeat(150_000))), { maxKeys: 20 }),
        fc.option(
          fc.array(fc.record({ id: text, title: fc.constant('t'.repeat(200_000)) }), {
            maxLength: 20,
          }),
        ),
        (nodeMap, eventList) => {
          const fields = record(nodeMap, eventList ?? undefined);
          const { main, further } = paginate(fields);
          expect(assemble(main, further)).toEqual({ ...fields, pages: further.length });
        },
      ),
      { numRuns: 40 },
    );
  });
});

const odd = { nodes: 'none' };

test.each([
  { name: 'the node map of the document', inMain: odd, inPage: {}, whole: odd },
  { name: 'the node map of a page', inMain: {}, inPage: odd, whole: odd },
  {
    name: 'what is kept of the calendar',
    inMain: { keptEvents: 'none' },
    inPage: {},
    whole: { keptEvents: 'none' },
  },
  {
    name: 'the list of kept events',
    inMain: { keptEvents: { events: 'none' } },
    inPage: {},
    whole: { keptEvents: { events: 'none' } },
  },
  {
    name: 'the list of kept events of a page',
    inMain: {},
    inPage: { events: 'none' },
    whole: { keptEvents: { events: 'none' } },
  },
])('$name comes back as it is where it is something else', ({ inMain, inPage, whole }) => {
  const main = { nodes: {}, keptEvents: { events: [] }, ...inMain };
  expect(assemble(main, [{ nodes: {}, events: [], ...inPage }])).toMatchObject(whole);
});

test.each([
  ['text, in bytes and one', 'größe', 8],
  ['a number', 5, 8],
  ['an instant', AT, 8],
  ['a list', ['a', 'b'], 4],
  ['a map, keys counted as text', { ab: 'c', d: undefined }, 5],
])('the size of %s is counted as Firestore counts it', (_, value, bytes) => {
  expect(sizeOf(value)).toBe(bytes);
});

test('a page leaves a third of a document free for the other fields', () => {
  expect(PAGE_BYTES).toBeLessThan((MEBIBYTE * 2) / 3 + 1_000);
});
