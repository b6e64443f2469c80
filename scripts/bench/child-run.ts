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
  /** The most that was resident at once, by /proc; where there is none, by getrusage. */
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

/**
 * Plain CommonJS, since that starts in no time: what measures must not show in what is measured. Linux hands maxRSS of
 * getrusage on from the process that was forked, which here is the bench itself; VmHWM begins anew with the program.
 */
const PROBE = `
const { readFileSync, writeSync } = require('node:fs');
function peakKilobytes() {
  try {
    return Number(/^VmHWM:\\s+(\\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
process.on('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  writeSync(3, JSON.stringify({ cpuMicros: userCPUTime + systemCPUTime, peakKilobytes: peakKilobytes() }));
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
  // Before the folder that it writes to is removed.
  process.prependOnceListener('exit', endWithUs);
  const ended = once(child, 'exit').then(([code]) => {
    process.off('exit', endWithUs);
    return { exitCode: code as number | null, wallSeconds: (performance.now() - started) / 1000 };
  });
  const [end, output = '', errors = '', usage = ''] = await Promise.all([
    ended,
    ...[1, 2, 3].map((descriptor) => text(child.stdio[descriptor] as Readable)),
  ]);
  const { cpuMicros, peakKilobytes } = parseUsage(usage);
  return {
    ...end,
    cpuSeconds: cpuMicros / 1e6,
    peakMegabytes: (peakKilobytes * 1024) / 1e6,
    startedAt,
    output,
    errors,
  };
}

interface Usage {
  readonly cpuMicros: number;
  readonly peakKilobytes: number;
}

function parseUsage(written: string): Usage {
  // A killed process says nothing.
  return written === ''
    ? { cpuMicros: Number.NaN, peakKilobytes: Number.NaN }
    : (JSON.parse(written) as Usage);
}

/** Nothing of the caller's that would change what a pass does. */
function inheritedEnvironment(): Readonly<Record<string, string>> {
  return { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', TZ: 'UTC' };
}
