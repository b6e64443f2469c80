/** Runs a program and takes from the operating system what it cost. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';

export interface ChildRun {
  readonly exitCode: number | null;
  /** From spawning it to its exit. */
  readonly wallSeconds: number;
  /** User and system, all threads. */
  readonly cpuSeconds: number;
  /** The most that was resident at once, by getrusage. */
  readonly peakMegabytes: number;
  readonly startedAt: number;
  readonly output: string;
  readonly errors: string;
}

export interface ChildOptions {
  /** Where files may be written that the child needs. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Called as soon as the process is there. */
  readonly onSpawn?: ((pid: number) => void) | undefined;
}

/** Plain CommonJS, since that starts in no time: what measures must not show in what is measured. */
const PROBE = `
const { writeSync } = require('node:fs');
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeSync(3, JSON.stringify({ cpuMicros: userCPUTime + systemCPUTime, maxRSS }));
});
`;

/** @param args of Node: the program and its own arguments. */
export async function runNode(args: readonly string[], options: ChildOptions): Promise<ChildRun> {
  const probe = join(options.folder, 'probe.cjs');
  writeFileSync(probe, PROBE);
  const startedAt = Date.now();
  const started = performance.now();
  const child = spawn(process.execPath, ['--require', probe, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...inheritedEnvironment(), ...options.env },
  });
  if (child.pid !== undefined) options.onSpawn?.(child.pid);
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const ended = once(child, 'exit').then(([code]) => {
    process.off('exit', endWithUs);
    return { exitCode: code as number | null, wallSeconds: (performance.now() - started) / 1000 };
  });
  const [end, output = '', errors = '', usage = ''] = await Promise.all([
    ended,
    ...[1, 2, 3].map((descriptor) => text(child.stdio[descriptor] as Readable)),
  ]);
  const { cpuMicros, maxRSS } = parseUsage(usage);
  return {
    ...end,
    cpuSeconds: cpuMicros / 1e6,
    peakMegabytes: (maxRSS * 1024) / 1e6,
    startedAt,
    output,
    errors,
  };
}

function parseUsage(written: string): { readonly cpuMicros: number; readonly maxRSS: number } {
  // A killed process says nothing.
  return written === ''
    ? { cpuMicros: Number.NaN, maxRSS: Number.NaN }
    : (JSON.parse(written) as { readonly cpuMicros: number; readonly maxRSS: number });
}

/** Nothing of the caller's that would change what a pass does. */
function inheritedEnvironment(): Readonly<Record<string, string>> {
  return { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', TZ: 'UTC' };
}
