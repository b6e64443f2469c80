/** Sets a scene on the real control plane: nodes, users, puller pods; named for what a cluster has, not for the API. */
import type { V1Node, V1Pod } from '@kubernetes/client-node';

import type { AdminClient } from './admin-client.ts';

export interface NodeScene {
  readonly name: string;
  readonly pool: string;
  readonly cpu?: string;
  readonly memory?: string;
  readonly images?: readonly string[];
  /** Stays NotReady until `makeReady`. */
  readonly isBooting?: boolean;
}

export interface PodScene {
  readonly name: string;
  readonly namespace: string;
  readonly cpu?: string;
  readonly memory?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Bound at once, past the scheduler. */
  readonly nodeName?: string;
  readonly priorityClassName?: string;
}

/** The label key of pools: each test file has its own nodes on the one control plane, told apart by its values. */
export const POOL_LABEL = 'hub.jupyter.org/pool-name';

export async function addNode(admin: AdminClient, scene: NodeScene): Promise<V1Node> {
  const resources = { cpu: scene.cpu ?? '4', memory: scene.memory ?? '16Gi', pods: '110' };
  const hold = scene.isBooting === true ? { 'test.hold': 'true' } : {};
  const node = await admin.create<V1Node>('/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: scene.name, labels: { [POOL_LABEL]: scene.pool, ...hold } },
    status: {
      capacity: resources,
      allocatable: resources,
      images: (scene.images ?? []).map((name) => ({ names: [name], sizeBytes: 1 })),
    },
  });
  return node;
}

export async function addPod(admin: AdminClient, scene: PodScene): Promise<V1Pod> {
  return await admin.create<V1Pod>(`/api/v1/namespaces/${scene.namespace}/pods`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: scene.name, ...(scene.labels === undefined ? {} : { labels: scene.labels }) },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'registry.example/app:1',
          resources: { requests: { cpu: scene.cpu ?? '100m', memory: scene.memory ?? '64Mi' } },
        },
      ],
      ...(scene.nodeSelector === undefined ? {} : { nodeSelector: scene.nodeSelector }),
      ...(scene.nodeName === undefined ? {} : { nodeName: scene.nodeName }),
      ...(scene.priorityClassName === undefined ? {} : { priorityClassName: scene.priorityClassName }),
      terminationGracePeriodSeconds: 0,
    },
  });
}

export async function addNamespace(admin: AdminClient, name: string): Promise<void> {
  await admin.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

/**
 * Sets the instant at which a pod started, as its kubelet would. It decides which pod the scheduler evicts, in whole
 * seconds; setting it spares the test from waiting for the next second.
 */
export async function setStartedAt(admin: AdminClient, pod: V1Pod, startedAt: number): Promise<void> {
  const { namespace, name } = identityOf(pod);
  await admin.merge(`/api/v1/namespaces/${namespace}/pods/${name}/status`, {
    status: { startTime: new Date(startedAt).toISOString() },
  });
}

export function identityOf(object: V1Pod): { readonly namespace: string; readonly name: string } {
  const namespace = object.metadata?.namespace;
  const name = object.metadata?.name;
  if (namespace === undefined || name === undefined) throw new Error('a pod without a name');
  return { namespace, name };
}
