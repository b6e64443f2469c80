/** Starts and stops the Firestore emulator of the gcloud command line, on a free port of loopback. */
import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const MAIN_CLASS = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore';
const START_SECONDS = 40;

export interface Emulator {
  readonly host: string;
  readonly child: ChildProcess | undefined;
}

/** Undefined where it is not installed, or Java is missing. */
export function findJar(): string | undefined {
  const root = run('gcloud', ['info', '--format=value(installation.sdk_root)']);
  if (root === undefined || run('java', ['-version']) === undefined) return undefined;
  const jar = join(root.trim(), 'platform', 'cloud-firestore-emulator', 'cloud-firestore-emulator.jar');
  return existsSync(jar) ? jar : undefined;
}

function run(program: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}

export async function startEmulator(jar: string): Promise<Emulator> {
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const flags = ['-Duser.language=en', '-cp', jar, MAIN_CLASS, 'start', '--host=127.0.0.1', `--port=${port}`];
  const child = spawn('java', flags, { stdio: 'ignore' });
  const deadlineAt = performance.now() + START_SECONDS * 1000;
  while (!(await answers(host))) {
    if (child.exitCode !== null) throw new Error(`the Firestore emulator ended with ${child.exitCode}`);
    if (performance.now() > deadlineAt) {
      await stopEmulator(child);
      throw new Error(`the Firestore emulator did not start within ${START_SECONDS} seconds`);
    }
    await wait(100);
  }
  return { host, child };
}

async function answers(host: string): Promise<boolean> {
  try {
    return (await fetch(`http://${host}/`)).ok;
  } catch {
    return false;
  }
}

export async function stopEmulator(child: ChildProcess | undefined): Promise<void> {
  if (child?.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server.address());
  server.close();
  await once(server, 'close');
  return port;
}

export function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('no port on loopback');
  return address.port;
}
