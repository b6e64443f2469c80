/** Runs `work` over all items, at most `limit` at a time, and keeps the order of the results. */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const entries = items.entries();
  const takeTurns = async (): Promise<void> => {
    for (const [index, item] of entries) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, takeTurns));
  return results;
}

export interface Turns {
  /** Places: items that are begun at the same time. */
  readonly limit: number;
  /** Resolves when a place has been taken up for long enough. */
  readonly patience: () => Promise<void>;
}

/**
 * Likewise; but whoever outstays the patience gives his place to the next and goes on beside him, so that those who
 * wait for an answer that never comes do not keep others waiting, however many they are.
 */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  { limit, patience }: Turns,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const begun = await mapBounded(items, limit, async (item) => {
    const result = work(item);
    await Promise.race([result, patience()]);
    return { result };
  });
  return Promise.all(begun.map(({ result }) => result));
}
