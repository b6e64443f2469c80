import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { mapInTurns } from '../../functions/pass/bounded.ts';
import { CLUSTER_SECONDS, startClusterDeadline, startDeadline } from '../../functions/pass/deadline.ts';
import { aDeadline } from '../pass/scene.ts';

const NEVER = new Promise<never>(() => undefined);

describe('turns', () => {
  it('are given on by whoever outstays the patience, so the last is reached past any number of dead ones', async () => {
    const lastIsReached = Promise.withResolvers<string>();
    const dead = Array.from({ length: 40 }, (_, index) => `dead-${index}`);
    void mapInTurns([...dead, 'alive'], { limit: 4, patience: () => Promise.resolve() }, (name) => {
      [lastIsReached.resolve].slice(0, Number(name === 'alive')).forEach((reach) => {
        reach(name);
      });
      return NEVER;
    });
    expect(await lastIsReached.promise).toBe('alive');
  });

  it('are kept while the patience lasts: no more begin at a time than there are places', async () => {
    const begun: number[] = [];
    void mapInTurns([0, 1, 2, 3, 4], { limit: 2, patience: () => NEVER }, (item) => {
      begun.push(item);
      return NEVER;
    });
    await new Promise(setImmediate);
    expect(begun).toEqual([0, 1]);
  });

  it('end with the results of all, in order, those that were waited for no longer included', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean()), fc.integer({ min: 1, max: 5 }), async (slowness, limit) => {
        const steps = { true: 5, false: 1 };
        const work = async (isSlow: boolean) => {
          for (let step = 0; step < steps[`${isSlow}`]; step += 1) await new Promise(setImmediate);
          return isSlow;
        };
        const patience = async () => {
          await new Promise(setImmediate);
        };
        expect(await mapInTurns(slowness, { limit, patience }, work)).toEqual(slowness);
      }),
      { numRuns: 50 },
    );
  });
});

describe("a cluster's own deadline", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('ends that cluster, and neither the pass nor another cluster whose turn came later', () => {
    const pass = startDeadline(new AbortController().signal);
    const first = startClusterDeadline(pass);
    vi.advanceTimersByTime(5_000);
    const second = startClusterDeadline(pass);
    vi.advanceTimersByTime((CLUSTER_SECONDS - 5) * 1000);
    expect([first, second, pass].map(({ stop }) => stop.aborted)).toEqual([true, false, false]);
    vi.advanceTimersByTime(5_000);
    expect([second, pass].map(({ stop }) => stop.aborted)).toEqual([true, false]);
  });

  it("is never beyond the pass's own end", () => {
    const end = new AbortController();
    const cluster = startClusterDeadline(aDeadline(end.signal));
    end.abort();
    expect([cluster.stop.aborted, cluster.forState().aborted]).toEqual([true, true]);
  });

  it('leaves a write that is under way its time', () => {
    const cluster = startClusterDeadline(startDeadline(new AbortController().signal));
    vi.advanceTimersByTime(CLUSTER_SECONDS * 1000);
    expect([cluster.stop.aborted, cluster.forWrite().aborted]).toEqual([true, false]);
  });
});
