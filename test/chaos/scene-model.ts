/**
 * The cluster of the fault matrix and of the restarts: four nodes, three of them busy with room for one small
 * placeholder each, the fourth full until its crowd leaves. An event asks for three.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createCluster } from '../../functions/embedded/cluster.ts';
import type { EmbeddedApi } from '../../functions/embedded/https.ts';
import { startEmbeddedApi } from '../../functions/embedded/https.ts';
import { install } from '../../functions/embedded/installation.ts';
import type { ClusterModel } from '../../functions/embedded/model.ts';
import { readPodNeeds } from '../../functions/embedded/pod-spec.ts';
import { referencePool } from '../../functions/embedded/reference.ts';
import { HUB_NAMESPACE, USER_LABELS } from '../../functions/embedded/settings.ts';
import { aClusterOf, aPool } from '../pass/scene.ts';

export const CERTIFICATES = join(import.meta.dirname, '..', 'certs');
export const NOW = Date.UTC(2026, 2, 2, 9, 0);

export const LAB_ICS = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//test//EN',
  'BEGIN:VEVENT',
  'UID:lab',
  'SUMMARY:Data 8 lab',
  'DTSTART:20260302T080000Z',
  'DTEND:20260302T110000Z',
  'DESCRIPTION:base: 3',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

export function sceneModel(): ClusterModel {
  const settings = aClusterOf([aPool('base')]);
  const pools = settings.pools.map((pool) => ({ ...referencePool(settings, pool), initialNodes: 4 }));
  const model = createCluster({ startAt: NOW - 3_600_000, pools, autoscaler: undefined });
  install(model, settings);
  const names = [...model.nodes.keys()];
  // Busy, with room for one small placeholder each; the last one full, until its crowd leaves.
  names.forEach((node, index) => {
    addUser(model, { name: `user-${index}`, node, cpu: index === 3 ? '1' : '13' });
    addUser(model, { name: `other-${index}`, node, cpu: '10m' });
    addUser(model, { name: `third-${index}`, node, cpu: '10m' });
  });
  addUser(model, { name: 'crowd-1', node: names[3] ?? '', cpu: '14200m' });
  model.clock.settle();
  return model;
}

function addUser(model: ClusterModel, user: { name: string; node: string; cpu: string }): void {
  const spec = {
    nodeName: user.node,
    containers: [{ name: 'notebook', image: 'i', resources: { requests: { cpu: user.cpu } } }],
  };
  model.addPod({
    namespace: HUB_NAMESPACE,
    name: user.name,
    labels: USER_LABELS,
    spec,
    needs: readPodNeeds(spec),
  });
}

/** Everybody on the fourth node logs out. */
export function disperseCrowd(model: ClusterModel): void {
  model.clock.runUntil(model.clock.now() + 60_000);
  const crowd = [...model.pods.values()].filter(({ meta }) => meta.name.startsWith('crowd-'));
  for (const pod of crowd) model.removePod(pod, 'loggedOut');
}

export function replicasOf(model: ClusterModel): number | undefined {
  const deployments = [...model.deployments.values()];
  return deployments.find(({ meta }) => meta.name === 'base-placeholder')?.workload.replicas;
}

export async function openModelApi(model: ClusterModel): Promise<{ api: EmbeddedApi; ca: string }> {
  const [key, cert, ca] = ['server.key', 'server.pem', 'ca.pem'].map((name) =>
    readFileSync(join(CERTIFICATES, name), 'utf8'),
  ) as [string, string, string];
  return { api: await startEmbeddedApi({ model, tls: { key, cert, ca } }), ca };
}

export function kubeconfigFor(server: string): string {
  const cluster = { server, 'certificate-authority': join(CERTIFICATES, 'ca.pem') };
  return JSON.stringify({
    clusters: [{ name: 'model', cluster }],
    users: [{ name: 'somebody', user: { token: 'a-token' } }],
    contexts: [{ name: 'model', context: { cluster: 'model', user: 'somebody' } }],
    'current-context': 'model',
  });
}
