/** Sets a scene through the API: nodes, users' pods; and looks at what came of it. Works on either face. */
import type { V1Deployment, V1Node, V1Pod } from '@kubernetes/client-node';

import type { AdminClient } from './admin-client.ts';

export interface NodeScene {
  readonly name: string;
  readonly pool: string;
  /** Allocatable; 4 by default. */
  readonly cpu?: string;
  readonly memory?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly images?: readonly string[];
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
}

export interface PodScene {
  readonly name: string;
  readonly namespace: string;
  /** Requested; `100m` by default. */
  readonly cpu?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly pool?: string;
  /** Bound at once, past the scheduler. */
  readonly nodeName?: string;
  readonly priorityClassName?: string;
  readonly topologySpreadConstraints?: readonly object[];
}

/** The label key of pools: each test has nodes of its own, told apart by its value. */
export const POOL_LABEL = 'hub.jupyter.org/pool-name';

/** A node that is Ready at once. */
export async function addNode(admin: AdminClient, scene: NodeScene): Promise<V1Node> {
  const resources = { cpu: scene.cpu ?? '4', memory: scene.memory ?? '16Gi', pods: '110' };
  return await admin.create<V1Node>('/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: scene.name, labels: { ...scene.labels, [POOL_LABEL]: scene.pool } },
    spec: { taints: scene.taints ?? [] },
    status: {
      capacity: resources,
      allocatable: resources,
      images: (scene.images ?? []).map((name) => ({ names: [name], sizeBytes: 1 })),
    },
  });
}

export async function addPod(admin: AdminClient, scene: PodScene): Promise<V1Pod> {
  return await admin.create<V1Pod>(podsPath(scene.namespace), {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: scene.name, labels: scene.labels ?? {} },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'registry.example/app:1',
          resources: { requests: { cpu: scene.cpu ?? '100m', memory: '64Mi' } },
        },
      ],
      ...(scene.pool === undefined ? {} : { nodeSelector: { [POOL_LABEL]: scene.pool } }),
      ...(scene.nodeName === undefined ? {} : { nodeName: scene.nodeName }),
      ...(scene.priorityClassName === undefined ? {} : { priorityClassName: scene.priorityClassName }),
      ...(scene.topologySpreadConstraints === undefined
        ? {}
        : { topologySpreadConstraints: scene.topologySpreadConstraints }),
      terminationGracePeriodSeconds: 0,
    },
  });
}

export async function addNamespace(admin: AdminClient, name: string): Promise<void> {
  await admin.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

/** Of a label selector; all of the namespace when it is empty. Those that are on their way out are left out. */
export async function livePods(
  admin: AdminClient,
  namespace: string,
  selector: string,
): Promise<readonly V1Pod[]> {
  const query = `?labelSelector=${encodeURIComponent(selector)}`;
  const pods = await admin.list<V1Pod>(`${podsPath(namespace)}${query}`);
  return pods.filter((pod) => pod.metadata?.deletionTimestamp === undefined);
}

export function isRunning(pod: V1Pod | undefined): boolean {
  return pod?.status?.phase === 'Running';
}

export function nodeOf(pod: V1Pod | undefined): string | undefined {
  return pod?.spec?.nodeName;
}

export function nameOf(object: V1Pod | V1Deployment): string {
  const name = object.metadata?.name;
  if (name === undefined) throw new Error('an object without a name');
  return name;
}

export function podsPath(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/pods`;
}

export function podPath(pod: V1Pod): string {
  return `${podsPath(pod.metadata?.namespace ?? '')}/${nameOf(pod)}`;
}

export function deploymentsPath(namespace: string): string {
  return `/apis/apps/v1/namespaces/${namespace}/deployments`;
}

export function deploymentPath(namespace: string, name: string): string {
  return `${deploymentsPath(namespace)}/${name}`;
}
