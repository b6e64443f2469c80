/**
 * Virtual time: a queue of things that happen at an instant. Time only moves when somebody runs the clock, and it
 * never runs back. What falls on the same instant happens in the order in which it was scheduled, so the same
 * seed gives the same run.
 */
import type { Instant } from '../domain/instant.ts';

export interface Timer {
  cancel(): void;
}

interface Entry {
  readonly at: Instant;
  readonly sequence: number;
  action: (() => void) | undefined;
}

export class VirtualClock {
  #now: Instant;
  #sequence = 0;
  /** A binary heap; its root is the next thing to happen. */
  readonly #heap: Entry[] = [];
  readonly #soon = new Set<string>();

  constructor(startAt: Instant) {
    this.#now = startAt;
  }

  now(): Instant {
    return this.#now;
  }

  /** Runs `action` at an instant; one that has passed already means now, after what is due now. */
  at(at: Instant, action: () => void): Timer {
    // Whole milliseconds, like every instant: drawn durations are not.
    const entry: Entry = { at: Math.max(Math.round(at), this.#now), sequence: this.#sequence++, action };
    push(this.#heap, entry);
    return {
      cancel: () => {
        entry.action = undefined;
      },
    };
  }

  /** Runs `action` after that many seconds. */
  after(seconds: number, action: () => void): Timer {
    return this.at(this.#now + seconds * 1000, action);
  }

  /** Runs `action` once at the present instant, however often it is asked for before it runs. */
  soon(key: string, action: () => void): void {
    if (this.#soon.has(key)) return;
    this.#soon.add(key);
    this.at(this.#now, () => {
      this.#soon.delete(key);
      action();
    });
  }

  /** When the next thing happens; undefined when nothing is left to do. */
  nextAt(): Instant | undefined {
    while (this.#heap[0] !== undefined && this.#heap[0].action === undefined) pop(this.#heap);
    return this.#heap[0]?.at;
  }

  /** Lets everything up to and including an instant happen; time then stands at that instant. */
  runUntil(at: Instant): void {
    for (let next = this.nextAt(); next !== undefined && next <= at; next = this.nextAt()) {
      const entry = pop(this.#heap);
      this.#now = next;
      entry?.action?.();
    }
    this.#now = Math.max(this.#now, at);
  }

  /** Lets what is due now happen. */
  settle(): void {
    this.runUntil(this.#now);
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.sequence < b.sequence);
}

function push(heap: Entry[], entry: Entry): void {
  let index = heap.length;
  heap.push(entry);
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    const parent = heap[parentIndex];
    if (parent === undefined || !isBefore(entry, parent)) break;
    heap[index] = parent;
    index = parentIndex;
  }
  heap[index] = entry;
}

function pop(heap: Entry[]): Entry | undefined {
  const root = heap[0];
  const last = heap.pop();
  if (root === undefined || last === undefined || heap.length === 0) return root;
  sink(heap, last);
  return root;
}

/** Puts an entry in at the root and lets it sink to its place. */
function sink(heap: Entry[], entry: Entry): void {
  let index = 0;
  for (;;) {
    const child = smallerChild(heap, index);
    const found = child === undefined ? undefined : heap[child];
    if (child === undefined || found === undefined || !isBefore(found, entry)) break;
    heap[index] = found;
    index = child;
  }
  heap[index] = entry;
}

function smallerChild(heap: readonly Entry[], index: number): number | undefined {
  const left = heap[2 * index + 1];
  const right = heap[2 * index + 2];
  if (left === undefined) return undefined;
  return right !== undefined && isBefore(right, left) ? 2 * index + 2 : 2 * index + 1;
}
