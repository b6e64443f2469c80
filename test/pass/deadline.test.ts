import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startClusterDeadline, startDeadline } from '../../functions/pass/deadline.ts';

const terminated = () => new AbortController();

describe('the end of a pass', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('comes after its own time, with a reason that is no time-out of a server', () => {
    const deadline = startDeadline(terminated().signal, 50);
    vi.advanceTimersByTime(49_999);
    expect([deadline.stop.aborted, deadline.isOver()]).toEqual([false, false]);
    vi.advanceTimersByTime(1);
    expect([deadline.stop.aborted, deadline.isOver()]).toEqual([true, true]);
    expect(deadline.stop.reason).toMatchObject({
      name: 'Error',
      message: 'the pass has come to its own deadline',
    });
  });

  it('comes with SIGTERM', () => {
    const term = terminated();
    const deadline = startDeadline(term.signal, 50);
    term.abort();
    expect([deadline.stop.aborted, deadline.isOver()]).toEqual([true, true]);
  });

  it('comes by the clock where a frozen process has not run its timers yet', () => {
    const deadline = startDeadline(terminated().signal, 50);
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    expect([deadline.stop.aborted, deadline.isOver()]).toEqual([false, true]);
    now.mockRestore();
  });

  it('comes for one cluster of a fleet before it comes for all', () => {
    const pass = startDeadline(terminated().signal, 50);
    const cluster = startClusterDeadline(pass, 40);
    vi.advanceTimersByTime(40_000);
    expect([cluster.isOver(), pass.isOver()]).toEqual([true, false]);
  });

  it('comes for a cluster whose turn came late with that of the pass', () => {
    const pass = startDeadline(terminated().signal, 50);
    vi.advanceTimersByTime(30_000);
    const cluster = startClusterDeadline(pass, 40);
    vi.advanceTimersByTime(20_000);
    expect([cluster.stop.aborted, cluster.isOver()]).toEqual([true, true]);
  });

  it('ends taking the lease with it, which has ten seconds at most, so that time is left for the cluster', () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const term = terminated();
    const taking = startDeadline(term.signal, 50).forState();
    expect(timeout.mock.calls).toEqual([[10_000]]);
    expect(taking.aborted).toBe(false);
    term.abort();
    expect(taking.aborted).toBe(true);
    timeout.mockRestore();
  });

  it('leaves a write in flight its own time', () => {
    const term = terminated();
    const deadline = startDeadline(term.signal, 50);
    const write = deadline.forWrite();
    term.abort();
    expect(write.aborted).toBe(false);
  });
});
