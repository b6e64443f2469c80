/** Nodes, pods and namespaces. */
import { isEqualJson, objectAt } from '../json.ts';
import type { ClusterModel, NewMeta } from '../model.ts';
import { isTerminal, keyOf } from '../model.ts';
import type { JsonObject, Namespace, Node, Pod, PodPhase } from '../objects.ts';
import { readPodNeeds, readTaints } from '../pod-spec.ts';
import { refuse } from '../refusal.ts';
import { checkPodSpec, readAllocatable, readReady } from './read-documents.ts';
import { renderMeta, renderNode, renderPod } from './render.ts';
import type { Handle, Resource } from './resource.ts';
import { mapIterable } from './resource.ts';

const CORE = { group: '', version: 'v1' } as const;
const PHASES: readonly PodPhase[] = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'];
/** Taints that follow from a node's state: shown in its spec, but not part of what a client sets. */
const DERIVED_TAINTS = /^node\.kubernetes\.io\/(unschedulable|not-ready|unreachable)$/;

export function nodeResource(model: ClusterModel): Resource {
  const handle = (node: Node): Handle => ({
    meta: node.meta,
    render: () => renderNode(node),
    update: (document) => {
      const spec = objectAt(document, 'spec');
      node.isCordoned = spec['unschedulable'] === true;
      node.taints = readTaints(spec).filter((taint) => !DERIVED_TAINTS.test(taint.key));
    },
    updateStatus: (status) => {
      takeStatus(node, status);
      const ready = readReady(status);
      if (ready !== undefined && ready !== node.ready) model.setReady(node, ready);
    },
    changed: () => {
      model.changeNode(node);
    },
    remove: () => {
      model.removeNode(node);
    },
  });
  return {
    ...CORE,
    plural: 'nodes',
    singular: 'node',
    kind: 'Node',
    shortNames: ['no'],
    isNamespaced: false,
    list: () => mapIterable(model.nodes.values(), handle),
    find: (_namespace, name) => orUndefined(model.nodes.get(name), handle),
    create: (document, meta) => {
      const node = nodeFrom(model, document, meta);
      model.addNode(node);
      // Whoever makes a Node object by hand has no kubelet behind it: it counts as Ready unless it says otherwise.
      model.setReady(node, readReady(objectAt(document, 'status')) ?? 'True');
      return handle(node);
    },
  };
}

function nodeFrom(model: ClusterModel, document: JsonObject, meta: NewMeta): Node {
  const spec = objectAt(document, 'spec');
  const node: Node = {
    meta: model.newMeta(meta),
    pool: '',
    zone: '',
    pods: new Set(),
    images: new Set(),
    pulls: new Map(),
    allocatable: undefined,
    taints: readTaints(spec).filter((taint) => !DERIVED_TAINTS.test(taint.key)),
    isCordoned: spec['unschedulable'] === true,
    ready: 'Unknown',
    readySinceAt: undefined,
    used: { cpuMillis: 0, memoryBytes: 0 },
    isGone: false,
    givenStatus: undefined,
  };
  takeStatus(node, objectAt(document, 'status'));
  return node;
}

function takeStatus(node: Node, status: JsonObject): void {
  node.givenStatus = status;
  node.allocatable = readAllocatable(status);
}

export function podResource(model: ClusterModel): Resource {
  const handle = (pod: Pod): Handle => ({
    meta: pod.meta,
    render: () => renderPod(pod),
    update: (document) => {
      const now = objectAt(renderPod(pod), 'spec');
      if (!isEqualJson(now, objectAt(document, 'spec'))) {
        const problem =
          'spec: Forbidden: pod updates may not change fields other than the image and tolerations';
        refuse(422, 'Invalid', `Pod "${pod.meta.name}" is invalid: ${problem}`);
      }
    },
    updateStatus: (status) => {
      pod.phase = PHASES.find((each) => each === status['phase']) ?? pod.phase;
      if (isTerminal(pod)) pod.readyAt = undefined;
    },
    changed: () => {
      model.changePod(pod);
    },
    remove: (graceSeconds) => {
      model.deletePod(pod, 'deleted', graceSeconds);
    },
  });
  return {
    ...CORE,
    plural: 'pods',
    singular: 'pod',
    kind: 'Pod',
    shortNames: ['po'],
    isNamespaced: true,
    list: () => mapIterable(model.pods.values(), handle),
    find: (namespace, name) => orUndefined(model.pods.get(keyOf(namespace, name)), handle),
    create: (document, meta) => {
      const spec = objectAt(document, 'spec');
      checkPodSpec(meta.name, spec);
      return handle(model.addPod({ ...meta, spec, needs: readPodNeeds(spec) }));
    },
  };
}

export function namespaceResource(model: ClusterModel): Resource {
  const handle = (namespace: Namespace): Handle => ({
    meta: namespace.meta,
    render: () => ({
      metadata: renderMeta(namespace.meta),
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    }),
    update: () => undefined,
    updateStatus: undefined,
    changed: () => {
      model.touch(namespace.meta);
    },
    remove: () => {
      removeNamespace(model, namespace.meta.name);
    },
  });
  return {
    ...CORE,
    plural: 'namespaces',
    singular: 'namespace',
    kind: 'Namespace',
    shortNames: ['ns'],
    isNamespaced: false,
    list: () => mapIterable(model.namespaces.values(), handle),
    find: (_namespace, name) => orUndefined(model.namespaces.get(name), handle),
    create: (_document, meta) => handle(model.addNamespace(meta.name, meta)),
  };
}

/** Everything in it goes first, as the namespace controller sees to it. */
function removeNamespace(model: ClusterModel, name: string): void {
  for (const deployment of [...model.deployments.values()]) {
    if (deployment.meta.namespace !== name) continue;
    model.deployments.delete(keyOf(name, deployment.meta.name));
    model.emit({ kind: 'deploymentRemoved', deployment });
  }
  for (const pod of [...model.pods.values()])
    if (pod.meta.namespace === name) model.removePod(pod, 'deleted');
  for (const [key, budget] of model.budgets) if (budget.meta.namespace === name) model.budgets.delete(key);
  model.namespaces.delete(name);
}

export function orUndefined<From, To>(value: From | undefined, map: (value: From) => To): To | undefined {
  return value === undefined ? undefined : map(value);
}
