import { describe, expect, it } from 'vitest';
import { mapBounded } from '../../functions/pass/bounded.ts';

describe('bounded concurrency', () => {
  it('keeps the order of the results, and no more at a time than the bound', async () => {
    let running = 0;
    let most = 0;
    const work = async (item: number): Promise<number> => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return item * 2;
    };
    expect(await mapBounded([1, 2, 3, 4, 5], 2, work)).toEqual([2, 4, 6, 8, 10]);
    expect(most).toBe(2);
  });

  it('lets one that never ends take up one place only', async () => {
    const done: number[] = [];
    const never = new Promise<never>(() => undefined);
    const finished = Promise.withResolvers<undefined>();
    void mapBounded([0, 1, 2, 3], 2, async (item) => {
      await [never, Promise.resolve()][Math.min(item, 1)];
      done.push(item);
      [finished.resolve].slice(0, Number(item === 3)).forEach((resolve) => {
        resolve(undefined);
      });
    });
    await finished.promise;
    expect(done).toEqual([1, 2, 3]);
  });

  it('does nothing for no items', async () => {
    expect(await mapBounded([], 4, () => Promise.reject(new Error('never called')))).toEqual([]);
  });
});
