/** What a test file needs of the real control plane: whether to run, the connection, and waiting. */
import { readFileSync } from 'node:fs';

import { inject } from 'vitest';

import { AdminClient } from './admin-client.ts';
import { tokenOf, type JobUserName } from './files.ts';
import { install, isAllowed } from './installation.ts';
import { findPrograms } from './programs.ts';
import type { ControlPlaneInfo } from './readiness.ts';

const POLL_INTERVAL_MS = 25;
const WAIT_TIMEOUT_MS = 25_000;

export interface ControlPlane {
  /** The folder that its programs are in, kubectl among them. */
  readonly programs: string;
  readonly info: ControlPlaneInfo;
  readonly admin: AdminClient;
}

/**
 * Whether tests on the real control plane run here: where its programs are, and always in CI, where a missing one is
 * a failure and not a reason to skip.
 */
export function isControlPlaneWanted(): boolean {
  return findPrograms(process.env).kind === 'found' || process.env['CI'] === 'true';
}

/** The one control plane of this test run, started when the first test file asks. */
export async function connectControlPlane(): Promise<ControlPlane> {
  const response = await fetch(inject('controlPlaneUrl'));
  if (!response.ok) throw new Error(await response.text());
  const info = (await response.json()) as ControlPlaneInfo;
  const found = findPrograms(process.env);
  if (found.kind === 'missing') throw new Error(found.message);
  return {
    programs: found.folder,
    info,
    admin: new AdminClient(info.server, { ca: readFileSync(info.caFile), token: tokenOf('admin') }),
  };
}

/** Asks until there is an answer, and fails with what was awaited. */
export async function waitUntil<T>(
  what: string,
  probe: () => Promise<T | undefined | false>,
  timeoutMs: number = WAIT_TIMEOUT_MS,
): Promise<T> {
  const deadlineAt = Date.now() + timeoutMs;
  for (;;) {
    const answer = await probe();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadlineAt) throw new Error(`waited ${timeoutMs / 1000} s in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

/** Applies the project's YAML for one job user and waits until its rights have reached the authorizer. */
export async function installFor(admin: AdminClient, user: JobUserName, namespace: string): Promise<void> {
  await install(admin, user, namespace);
  const inNamespace = { verb: 'list', group: 'apps', resource: 'deployments', namespace };
  const inCluster = { verb: 'list', group: '', resource: 'pods' };
  for (const access of [inNamespace, inCluster]) {
    await waitUntil(`${user} may list ${access.resource}`, async () => isAllowed(admin, user, access));
  }
}
