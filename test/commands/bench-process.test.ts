/** `npm run bench` as a process that is broken off, as by Ctrl-C. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';

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
