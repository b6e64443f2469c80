import { readFileSync } from 'node:fs';

import type { V1Pod } from '@kubernetes/client-node';

import type { AdminClient } from './admin-client.ts';
import { usersNamespace, type ApiFace } from './api-face.ts';
import { AuditLog } from './audit-log.ts';
import { connectAdapter } from './connect.ts';
import { tokenOf, type JobUserName } from './files.ts';
import { connectControlPlane, installFor, waitUntil } from './harness.ts';
import { livePods, podPath, podsPath } from './scene.ts';

const MINUTE_MS = 60_000;

/** The real control plane, with the project's YAML applied for one job user in a namespace of its own. */
export async function openRealFace(user: JobUserName, namespace: string): Promise<ApiFace> {
  const { info, admin } = await connectControlPlane();
  await installFor(admin, user, namespace);
  const ca = readFileSync(info.caFile, 'utf8');
  const audit = new AuditLog(info.auditLog, user);
  return {
    admin,
    namespace,
    connect: (pageSize) =>
      connectAdapter({ server: info.server, ca, token: tokenOf(user), namespace, pageSize }),
    waitUntil,
    letTimePass: async (minutes) => {
      const pods = await Promise.all(
        [namespace, usersNamespace(namespace)].map((each) => livePods(admin, each, '')),
      );
      for (const pod of pods.flat()) await makeOlder(admin, pod, minutes);
    },
    requestsDuring: async (action) => await audit.during(action),
    watchPodCount: async (selector) => await watchPodCount(admin, namespace, selector),
    close: async () => {
      await admin.close();
    },
  };
}

/**
 * Sets back the instants at which a pod started and became Ready, as its kubelet would have written them. They decide,
 * in whole seconds, whom the scheduler evicts and whom the ReplicaSet deletes; a test need not wait for them.
 */
async function makeOlder(admin: AdminClient, pod: V1Pod, minutes: number): Promise<void> {
  const startTime = pod.status?.startTime;
  if (startTime === undefined) return;
  const earlier = (time: Date | string) =>
    new Date(new Date(time).getTime() - minutes * MINUTE_MS).toISOString();
  await admin.merge(`${podPath(pod)}/status`, {
    status: {
      startTime: earlier(startTime),
      conditions: (pod.status?.conditions ?? []).map(({ type, status, lastTransitionTime }) => ({
        type,
        status,
        lastTransitionTime: earlier(lastTransitionTime ?? startTime),
      })),
    },
  });
}

interface WatchEvent {
  readonly type: string;
  readonly object: V1Pod;
}

/** Follows the API server's own events, so that no pod is missed however short it lived. */
async function watchPodCount(
  admin: AdminClient,
  namespace: string,
  selector: string,
): Promise<{ stop(): Promise<number> }> {
  const query = `labelSelector=${encodeURIComponent(selector)}`;
  const present = new Set<string>();
  let most = 0;
  const watch = await admin.watch(`${podsPath(namespace)}?${query}`, (event) => {
    const { type, object } = event as WatchEvent;
    const uid = object.metadata?.uid ?? '';
    if (type === 'DELETED') present.delete(uid);
    else present.add(uid);
    most = Math.max(most, present.size);
  });
  return {
    stop: async () => {
      await watch.stop();
      return most;
    },
  };
}
