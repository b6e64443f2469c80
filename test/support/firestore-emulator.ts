/**
 * The real Firestore emulator for the tests, started once for the whole run when the first test asks for it, or
 * the one that FIRESTORE_EMULATOR_HOST names. Where it cannot be had, its tests alone are skipped and a line says
 * how to get it; with CI=true that is a failure, so that nobody takes a skipped run for a tested one.
 */
import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with `HOST:PORT` once the emulator runs. Empty: there is none on this machine. */
    firestoreEmulatorUrl: string;
  }
}

const MAIN_CLASS = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore';
const START_SECONDS = 40;
const HOW_TO_GET_IT =
  'The tests against the Firestore emulator are skipped. It comes with `gcloud components install cloud-firestore-emulator` (or apt: google-cloud-cli-firestore-emulator) and needs Java 17; or set FIRESTORE_EMULATOR_HOST.';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['FIRESTORE_EMULATOR_HOST'];
  // Left set, it would also redirect the tests that speak to servers of their own.
  delete process.env['FIRESTORE_EMULATOR_HOST'];
  const jar = given === undefined ? findJar() : undefined;
  if (given === undefined && jar === undefined) {
    refuseInCi();
    process.stderr.write(`${HOW_TO_GET_IT}\n`);
    project.provide('firestoreEmulatorUrl', '');
    return () => Promise.resolve();
  }
  let emulator: Promise<Emulator> | undefined;
  const server = createServer((_request, response) => {
    emulator ??= jar === undefined ? Promise.resolve({ host: given ?? '', child: undefined }) : start(jar);
    emulator.then(
      ({ host }) => response.end(host),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  project.provide('firestoreEmulatorUrl', `http://127.0.0.1:${portOf(server.address())}/`);
  return async () => {
    server.closeAllConnections();
    server.close();
    await stop((await emulator?.catch(() => undefined))?.child);
  };
}

/** Whether its tests can run at all; for `describe.skipIf`. */
export function hasEmulator(): boolean {
  return inject('firestoreEmulatorUrl') !== '';
}

/** `HOST:PORT` of the running emulator; the first call waits for its start. */
export async function emulatorHost(): Promise<string> {
  const response = await fetch(inject('firestoreEmulatorUrl'));
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

interface Emulator {
  readonly host: string;
  readonly child: ChildProcess | undefined;
}

function refuseInCi(): void {
  if (process.env['CI'] === 'true') throw new Error(HOW_TO_GET_IT);
}

function findJar(): string | undefined {
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

async function start(jar: string): Promise<Emulator> {
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const flags = ['-Duser.language=en', '-cp', jar, MAIN_CLASS, 'start', '--host=127.0.0.1', `--port=${port}`];
  const child = spawn('java', flags, { stdio: 'ignore' });
  const deadlineAt = performance.now() + START_SECONDS * 1000;
  while (!(await answers(host))) {
    if (child.exitCode !== null) throw new Error(`the Firestore emulator ended with ${child.exitCode}`);
    if (performance.now() > deadlineAt) {
      await stop(child);
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

async function stop(child: ChildProcess | undefined): Promise<void> {
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

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('no port on loopback');
  return address.port;
}
