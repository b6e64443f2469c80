/** `npm run bench` as a process that is broken off, as by Ctrl-C. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runNode } from '../../scripts/bench/child-run.ts';

const BENCH = join(import.meta.dirname, '..', '..', 'scripts', 'bench.ts');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bench-process-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('a bench that %s ends leaves no folder behind, nor a result', async (signal, code) => {
  const child = spawn(process.execPath, [BENCH, '--only', 'throttled', '--smoke', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], TMPDIR: folder },
  });
  const output: unknown[] = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  await lines.next();
  // The first says on what it runs, the second that the scenario begins.
  expect(await lines.next()).toEqual({ done: false, value: 'throttled …' });
  expect(readdirSync(folder)).toHaveLength(1);
  child.kill(signal);
  expect(await ended).toEqual([code, null]);
  expect(readdirSync(folder)).toEqual([]);
  expect(output).toEqual([]);
});

test('a peak of memory is that of the program, not of whoever started it', async () => {
  const ballast = Buffer.alloc(300_000_000, 1);
  const { peakMegabytes, exitCode } = await runNode(['--eval', '0'], { folder });
  expect(exitCode).toBe(0);
  expect(peakMegabytes).toBeGreaterThan(10);
  expect(peakMegabytes).toBeLessThan(ballast.length / 2e6);
});

test('a scenario that this machine lacks something for is refused when it is asked for', async () => {
  const child = spawn(process.execPath, [BENCH, '--only', 'real-pass'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], TMPDIR: folder, KUBEBUILDER_ASSETS: '/nonexistent' },
  });
  const ended = once(child, 'exit');
  expect(await text(child.stderr)).toMatch(/^error: --only real-pass: .*build-control-plane/);
  expect(await ended).toEqual([2, null]);
});
