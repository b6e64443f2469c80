/**
 * The real Firestore emulator for the tests, started once for the whole run when the first test asks for it, or
 * the one that FIRESTORE_EMULATOR_HOST names. Where it cannot be had, its tests alone are skipped and a line says
 * how to get it; with CI=true that is a failure, so that nobody takes a skipped run for a tested one.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';

import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';

import type { Emulator } from './emulator-process.ts';
import { findJar, portOf, startEmulator, stopEmulator } from './emulator-process.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with `HOST:PORT` once the emulator runs. Empty: there is none on this machine. */
    firestoreEmulatorUrl: string;
  }
}

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
    emulator ??=
      jar === undefined ? Promise.resolve({ host: given ?? '', child: undefined }) : startEmulator(jar);
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
    await stopEmulator((await emulator?.catch(() => undefined))?.child);
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

function refuseInCi(): void {
  if (process.env['CI'] === 'true') throw new Error(HOW_TO_GET_IT);
}
