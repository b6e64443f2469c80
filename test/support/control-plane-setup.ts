/**
 * Lets test files share one control plane that is started when the first of them asks, and not at all when none does.
 * It lives here, in vitest's own process, since test files run in workers that come and go.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import type { TestProject } from 'vitest/node';

import { findPrograms } from '../control-plane/programs.ts';
import type { ControlPlaneInfo } from '../control-plane/readiness.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with a ControlPlaneInfo, once it runs. */
    controlPlaneUrl: string;
  }
}

interface Supervised {
  readonly process: ChildProcess;
  readonly info: Promise<ControlPlaneInfo>;
}

function startSupervisor(): Supervised {
  const program = join(import.meta.dirname, '..', 'control-plane', 'supervisor.ts');
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  return { process: child, info: readInfo(child) };
}

async function readInfo(child: ChildProcess): Promise<ControlPlaneInfo> {
  if (child.stdout === null) throw new Error('the control plane has no standard output');
  for await (const line of createInterface({ input: child.stdout })) {
    return JSON.parse(line) as ControlPlaneInfo;
  }
  throw new Error('the control plane did not start; the reason stands above');
}

async function stopSupervisor({ process: child }: Supervised): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.stdin?.end();
  await ended;
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const found = findPrograms(process.env);
  if (found.kind === 'missing') {
    const consequence =
      process.env['CI'] === 'true' ? 'In CI they fail without.' : 'They are skipped without.';
    process.stderr.write(`${found.message} ${consequence}\n`);
  }
  let supervised: Supervised | undefined;
  const server = createServer((_request, response) => {
    supervised ??= startSupervisor();
    supervised.info.then(
      (info) => response.end(JSON.stringify(info)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port on loopback');
  project.provide('controlPlaneUrl', `http://127.0.0.1:${address.port}/`);
  return async () => {
    server.closeAllConnections();
    server.close();
    if (supervised !== undefined) await stopSupervisor(supervised);
  };
}
