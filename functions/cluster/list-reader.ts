/**
 * Reads a Kubernetes list item by item, as ListScanner does, and twice as fast where the list looks as an API server
 * writes it: without spaces, and each item beginning with its metadata. There the text between two items is searched for
 * and not arrived at by looking at every byte.
 *
 * What is found need not be the end of an item; what tells is that all up to there is JSON. A text that is whole and ends
 * in front of a comma is an item, wherever else its beginning may stand again. Everything that looks different, and the
 * end of every list, is left to the scanner.
 */
import { ListScanner } from './list-scanner.ts';
import type { ListEnvelope, ListScannerOptions } from './list-scanner.ts';

const ITEMS_OPENING = Buffer.from('"items":[');
const FIRST_ITEM = Buffer.from('"items":[{"metadata":{');
const NEXT_ITEM = Buffer.from(',{"metadata":{');

/** Where the items of a list begin, if not far behind that: its own metadata is short. */
const LONGEST_HEAD_BYTES = 65_536;

export class ListReader {
  readonly #onItem: (item: object) => void;
  readonly #scanner: ListScanner;
  #mode: 'head' | 'items' | 'scan' = 'head';
  /** What was not taken yet; while items are read, it begins with one. */
  #pending: Buffer = Buffer.alloc(0);

  constructor(options: ListScannerOptions) {
    this.#onItem = options.onItem;
    this.#scanner = new ListScanner(options);
  }

  /** @throws SyntaxError when an item is not JSON. */
  push(chunk: Buffer): void {
    if (this.#mode === 'scan') {
      this.#scanner.push(chunk);
      return;
    }
    const seen = this.#pending.length;
    this.#pending = seen === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    if (this.#mode === 'items') this.#takeItems(Math.max(0, seen - NEXT_ITEM.length));
    else this.#takeHead();
  }

  /** @throws SyntaxError or TypeError when the whole was not one complete list. */
  end(): ListEnvelope {
    this.#leaveToScanner();
    return this.#scanner.end();
  }

  #takeHead(): void {
    const at = this.#pending.indexOf(FIRST_ITEM);
    if (at >= 0) {
      const start = at + ITEMS_OPENING.length;
      this.#scanner.push(this.#pending.subarray(0, start));
      this.#pending = this.#pending.subarray(start);
      if (this.#scanner.isBetweenItems()) {
        this.#mode = 'items';
        this.#takeItems(0);
      } else {
        this.#leaveToScanner();
      }
    } else if (this.#pending.length > LONGEST_HEAD_BYTES) {
      this.#leaveToScanner();
    }
  }

  /** @param from where an item's end may be found that was not found before. */
  #takeItems(from: number): void {
    const bytes = this.#pending;
    let start = 0;
    for (
      let comma = bytes.indexOf(NEXT_ITEM, from);
      comma >= 0;
      comma = bytes.indexOf(NEXT_ITEM, comma + 1)
    ) {
      const item = parseWhole(bytes.toString('utf8', start, comma));
      if (item !== undefined) {
        this.#onItem(item);
        start = comma + 1;
      }
    }
    this.#pending = bytes.subarray(start);
  }

  #leaveToScanner(): void {
    if (this.#mode === 'scan') return;
    this.#mode = 'scan';
    this.#scanner.push(this.#pending);
    this.#pending = Buffer.alloc(0);
  }
}

/** Undefined for what is not the whole of an object. */
function parseWhole(text: string): object | undefined {
  try {
    const item: unknown = JSON.parse(text);
    return typeof item === 'object' && item !== null ? item : undefined;
  } catch {
    return undefined;
  }
}
