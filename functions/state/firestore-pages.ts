/**
 * A Firestore document holds 1 MiB and 40,000 index entries. A record that fits is one document; what does not
 * fit of its two long parts, the node map and the kept events, goes on to further pages. Pure.
 */
import type { Fields } from './document.ts';

/** Leaves room below 1 MiB for the other fields and for a mistaken estimate. */
export const PAGE_BYTES = 700_000;
/** Six index entries a node where the index exemption has not been set up: 24,000 of 40,000. */
export const PAGE_ITEMS = 4_000;

export interface Pages {
  /** Fields of the cluster's own document, `pages` saying how many follow. */
  readonly main: Fields;
  readonly further: readonly Fields[];
}

type Item =
  | { readonly kind: 'event'; readonly event: unknown }
  | { readonly kind: 'node'; readonly uid: string; readonly node: unknown };

/** @param fields what `encodeState` made, and whatever else belongs in the document. */
export function paginate(fields: Fields): Pages {
  const [first = [], ...rest] = split(listItems(fields));
  return {
    main: { ...fields, ...fill(fields, first), pages: rest.length },
    further: rest.map((items) => ({ nodes: nodesOf(items), events: eventsOf(items) })),
  };
}

/**
 * The fields as they were before `paginate`. A part that is no part, as after a slip in the console, comes back as it
 * is, for the schema to refuse: dropped, it would be a history or a calendar with nothing in it.
 */
export function assemble(main: Fields, further: readonly Fields[]): Fields {
  const kept = main['keptEvents'];
  const events = (first: unknown): unknown => joinLists([first, ...further.map((page) => page['events'])]);
  return {
    ...main,
    nodes: joinMaps([main, ...further].map((page) => page['nodes'])),
    keptEvents: isFields(kept) ? { ...kept, events: events(kept['events']) } : kept,
  };
}

function joinMaps(parts: readonly unknown[]): unknown {
  // Not by assignment: a key `__proto__` must be a key.
  return parts.every(isFields)
    ? Object.fromEntries(parts.flatMap((part) => Object.entries(part)))
    : parts.find((part) => !isFields(part));
}

function joinLists(parts: readonly unknown[]): unknown {
  return parts.every((part) => Array.isArray(part))
    ? parts.flat()
    : parts.find((part) => !Array.isArray(part));
}

function listItems(fields: Fields): Item[] {
  const events = isFields(fields['keptEvents']) ? fields['keptEvents']['events'] : undefined;
  const nodes = fields['nodes'];
  return [
    ...(Array.isArray(events) ? events.map((event: unknown): Item => ({ kind: 'event', event })) : []),
    ...(isFields(nodes)
      ? Object.entries(nodes).map(([uid, node]): Item => ({ kind: 'node', uid, node }))
      : []),
  ];
}

function split(items: readonly Item[]): Item[][] {
  const pages: Item[][] = [];
  let bytes = Infinity;
  for (const item of items) {
    const size = item.kind === 'event' ? sizeOf(item.event) : sizeOf({ [item.uid]: item.node });
    const page = pages.at(-1);
    if (page === undefined || bytes + size > PAGE_BYTES || page.length >= PAGE_ITEMS) {
      pages.push([item]);
      bytes = size;
    } else {
      page.push(item);
      bytes += size;
    }
  }
  return pages;
}

function fill(fields: Fields, items: readonly Item[]): Fields {
  const kept = fields['keptEvents'];
  return {
    nodes: nodesOf(items),
    keptEvents: isFields(kept) ? { ...kept, events: eventsOf(items) } : undefined,
  };
}

function nodesOf(items: readonly Item[]): Fields {
  const entries = items.flatMap((item) => (item.kind === 'node' ? [[item.uid, item.node] as const] : []));
  return Object.fromEntries(entries);
}

function eventsOf(items: readonly Item[]): readonly unknown[] {
  return items.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
}

/** Bytes as Firestore counts them: firebase.google.com/docs/firestore/storage-size. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 1;
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + sizeOf(each), 0);
  if (value instanceof Date || !isFields(value)) return 8;
  return Object.entries(value).reduce(
    (sum, [key, each]) => (each === undefined ? sum : sum + Buffer.byteLength(key) + 1 + sizeOf(each)),
    0,
  );
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
