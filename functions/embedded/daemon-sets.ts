/** What comes with every node of a pool: GKE's own pods, and JupyterHub's continuous image puller. */
import { compact } from './json.ts';
import type { ClusterModel } from './model.ts';
import type { JsonObject, Node } from './objects.ts';
import { readPodNeeds } from './pod-spec.ts';
import type { PoolSpec } from './settings.ts';
import { HUB_NAMESPACE, PULLER_LABELS, SYSTEM_LABELS } from './settings.ts';

export function runDaemonSets(model: ClusterModel): void {
  model.listen((event) => {
    if (event.kind !== 'nodeAdded') return;
    const pool = model.poolOf(event.node);
    if (pool === undefined) return;
    addSystemPod(model, event.node, pool);
    if (pool.userImage !== undefined && pool.hasImagePuller) addPuller(model, event.node, pool.userImage);
  });
}

function addSystemPod(model: ClusterModel, node: Node, pool: PoolSpec): void {
  const { cpuMillis, memoryBytes } = pool.system;
  const spec = daemonSpec(node, {
    image: 'registry.example/system:1',
    priorityClassName: 'system-node-critical',
    requests: { cpu: `${String(cpuMillis)}m`, memory: String(memoryBytes) },
  });
  addDaemonPod(model, {
    namespace: 'kube-system',
    set: 'system',
    labels: SYSTEM_LABELS,
    node,
    spec,
  });
}

function addPuller(model: ClusterModel, node: Node, image: string): void {
  const spec = daemonSpec(node, { image, priorityClassName: undefined, requests: {} });
  addDaemonPod(model, {
    namespace: HUB_NAMESPACE,
    set: 'continuous-image-puller',
    labels: PULLER_LABELS,
    node,
    spec,
  });
}

function daemonSpec(
  node: Node,
  wanted: {
    readonly image: string;
    readonly priorityClassName: string | undefined;
    readonly requests: Readonly<Record<string, string>>;
  },
): JsonObject {
  return compact({
    nodeName: node.meta.name,
    priorityClassName: wanted.priorityClassName,
    terminationGracePeriodSeconds: 0,
    tolerations: [{ operator: 'Exists' }],
    containers: [{ name: 'main', image: wanted.image, resources: { requests: wanted.requests } }],
  });
}

interface DaemonPod {
  readonly namespace: string;
  readonly set: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly node: Node;
  readonly spec: JsonObject;
}

function addDaemonPod(model: ClusterModel, pod: DaemonPod): void {
  model.addPod({
    namespace: pod.namespace,
    name: model.newPodName(pod.namespace, `${pod.set}-`),
    labels: pod.labels,
    owner: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: pod.set, uid: `daemonset-${pod.set}` },
    spec: pod.spec,
    needs: readPodNeeds(pod.spec),
  });
}
