import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../functions/embedded/clock.ts';

describe('the virtual clock', () => {
  it('runs what is due in order of time, and what falls on one instant in order of scheduling', () => {
    const clock = new VirtualClock(0);
    const seen: string[] = [];
    clock.at(2000, () => seen.push('c'));
    clock.at(1000, () => seen.push('a'));
    clock.at(1000, () => seen.push('b'));
    clock.at(2001, () => seen.push('d'));
    clock.runUntil(2000);
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(clock.now()).toBe(2000);
    expect(clock.nextAt()).toBe(2001);
  });

  it('takes an instant that has passed for now', () => {
    const clock = new VirtualClock(5000);
    const seen: number[] = [];
    clock.at(1000, () => seen.push(clock.now()));
    clock.settle();
    expect(seen).toEqual([5000]);
  });

  it('leaves out what was cancelled', () => {
    const clock = new VirtualClock(0);
    const seen: string[] = [];
    clock.after(1, () => seen.push('cancelled')).cancel();
    clock.after(2, () => seen.push('kept'));
    clock.runUntil(10_000);
    expect(seen).toEqual(['kept']);
    expect(clock.nextAt()).toBeUndefined();
  });

  it('runs once what is asked for several times before it runs, and again afterwards', () => {
    const clock = new VirtualClock(0);
    let runs = 0;
    const ask = (): void => {
      clock.soon('key', () => (runs += 1));
    };
    ask();
    ask();
    clock.settle();
    expect(runs).toBe(1);
    ask();
    clock.settle();
    expect(runs).toBe(2);
  });

  it('never runs back, whatever is scheduled from within', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(1000), fc.integer({ min: -500, max: 500 })), { maxLength: 60 }),
        (plan) => {
          const clock = new VirtualClock(0);
          const times: number[] = [];
          for (const [at, delta] of plan) {
            clock.at(at, () => {
              times.push(clock.now());
              clock.at(clock.now() + delta, () => times.push(clock.now()));
            });
          }
          clock.runUntil(5000);
          expect(times).toHaveLength(plan.length * 2);
          expect(times).toEqual([...times].sort((a, b) => a - b));
          expect(clock.now()).toBe(5000);
        },
      ),
    );
  });
});
