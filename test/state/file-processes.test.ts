/** What only processes can show: kills, a full disk, several at once. */
import { execFile, spawnSync } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, test } from 'vitest';

import type { Lease } from '../../functions/ports.ts';
import { FileStateStore } from '../../functions/state/file.ts';
import { folder, never, NOW, path, peek, put, useScratchFile } from './scratch-file.ts';

const WORKER = join(import.meta.dirname, 'file-worker.ts');
const runFile = promisify(execFile);

useScratchFile();

test('a disk that fills up during a save keeps the state of before', async () => {
  await put({ podsSeen: 1 });
  const before = await readFile(path, 'utf8');
  // `ulimit -f 8`: no file grows beyond 8 KiB; a write that crosses it is cut short without an error.
  const result = spawnSync(
    'bash',
    ['-c', 'ulimit -f 8; exec "$@"', 'bash', process.execPath, WORKER, 'kill', '0', path],
    { encoding: 'utf8' },
  );
  expect(result.stderr).toContain('no space left');
  expect(result.stderr).toContain("kind: 'unavailable'");
  expect(await readdir(folder)).toEqual(['state.json']);
  const after = await peek();
  expect(after.podsSeen).toBe(1);
  expect(JSON.parse(before)).toMatchObject({ clusters: { default: { podsSeen: 1 } } });
});

describe('a process that is killed', () => {
  test('at any step of a save leaves the old state or the new, and keeps nobody waiting', async () => {
    const calls = await countCalls();
    expect(calls).toBeGreaterThan(10);
    const outcomes: string[] = [];
    for (let step = 1; step <= calls; step += 1) outcomes.push(await outcomeOfKillAt(step));
    // It turns from old to new once, at the rename.
    expect(outcomes.join(' ')).toMatch(/^(?:old )+(?:new ?)+$/);
  }, 120_000);

  async function countCalls(): Promise<number> {
    await put({ podsSeen: 1 });
    const { stdout } = await runFile(process.execPath, [WORKER, 'kill', '0', path]);
    expect((await peek()).podsSeen).toBe(2);
    return Number(/calls (\d+)/.exec(stdout)?.[1]);
  }

  async function outcomeOfKillAt(step: number): Promise<string> {
    await put({ podsSeen: 1 });
    const worker = runFile(process.execPath, [WORKER, 'kill', String(step), path]);
    await expect(worker).rejects.toMatchObject({ signal: 'SIGKILL' });
    const left = await peek();
    // The next pass goes on at once, although the lock still stands, and clears away what was left.
    const next = new FileStateStore(path);
    const claim = { owner: 'next', now: NOW + 60_000, leaseSeconds: 58 };
    const answer = await next.acquire('default', claim, never);
    expect(answer).toMatchObject({ kind: 'acquired', state: left });
    const change = { lease: (answer as { lease: Lease }).lease, state: {}, release: true };
    await next.save('default', change, never);
    expect(await readdir(folder)).toEqual(['state.json']);
    return { 1: 'old', 2: 'new' }[left.podsSeen ?? 0] ?? 'lost';
  }
});

describe('processes that write at once', () => {
  test('lose nothing of each other', async () => {
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((name) => runFile(process.execPath, [WORKER, 'count', '15', name, path])));
    const file = JSON.parse(await readFile(path, 'utf8')) as { clusters: Record<string, unknown> };
    const expected = { lease: { fence: 15 }, podsSeen: 15 };
    expect(file.clusters).toMatchObject(Object.fromEntries(names.map((name) => [name, expected])));
    expect(await readdir(folder)).toEqual(['state.json']);
  }, 60_000);

  test('a process that was suspended until another took its lock starts over, on what that one saved', async () => {
    const other = join(folder, 'other.json');
    // The lease that the worker is about to hold, and a cluster that the other pass added meanwhile.
    await new FileStateStore(other).acquire(
      'default',
      { owner: 'worker', now: NOW, leaseSeconds: 58 },
      never,
    );
    await new FileStateStore(other).acquire('west', { owner: 'o', now: NOW, leaseSeconds: 58 }, never);
    await runFile(process.execPath, [WORKER, 'displace', path, other]);
    const file = JSON.parse(await readFile(path, 'utf8')) as { clusters: unknown };
    expect(file.clusters).toMatchObject({
      default: { podsSeen: 2, lease: { owner: 'worker', isReleased: true } },
      west: { lease: { owner: 'o' } },
    });
  });
});
