/** The model's objects as a Kubernetes API shows them. */
import type { Instant } from '../../domain/instant.ts';
import { setsOf } from '../deployment-controller.ts';
import { countBudget } from '../disruption.ts';
import { compact, isObject, listAt, textAt } from '../json.ts';
import type { ClusterModel } from '../model.ts';
import { isTerminal } from '../model.ts';
import type {
  Budget,
  Deployment,
  JsonObject,
  JsonValue,
  Meta,
  Node,
  Pod,
  PriorityClass,
  ReplicaSet,
  Selector,
  Taint,
} from '../objects.ts';
import { effectiveTaints } from '../placement.ts';

const timestamps = new Map<Instant, string>();
const MOST_TIMESTAMPS = 4096;

/** RFC 3339 to the second, as the API writes it. A term writes the same few thousand times over. */
export function timestamp(at: Instant): string {
  const known = timestamps.get(at);
  if (known !== undefined) return known;
  if (timestamps.size >= MOST_TIMESTAMPS) timestamps.clear();
  const text = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
  timestamps.set(at, text);
  return text;
}

function optional<T extends JsonValue>(value: T, isThere: boolean): T | undefined {
  return isThere ? value : undefined;
}

export function renderMeta(meta: Meta): JsonObject {
  return compact({
    name: meta.name,
    namespace: optional(meta.namespace, meta.namespace !== ''),
    uid: meta.uid,
    resourceVersion: String(meta.resourceVersion),
    generation: meta.generation,
    creationTimestamp: timestamp(meta.createdAt),
    deletionTimestamp: meta.deletionAt === undefined ? undefined : timestamp(meta.deletionAt),
    labels: optional(meta.labels, Object.keys(meta.labels).length > 0),
    annotations: optional(meta.annotations, Object.keys(meta.annotations).length > 0),
    ownerReferences:
      meta.owner === undefined
        ? undefined
        : [
            {
              apiVersion: meta.owner.apiVersion,
              kind: meta.owner.kind,
              name: meta.owner.name,
              uid: meta.owner.uid,
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
    managedFields: optional(
      meta.managedFields.map((entry) => ({
        manager: entry.manager,
        operation: entry.operation,
        apiVersion: entry.apiVersion,
        time: timestamp(entry.at),
        fieldsType: 'FieldsV1',
        fieldsV1: entry.fields,
      })),
      meta.managedFields.length > 0,
    ),
  });
}

export function renderPod(pod: Pod): JsonObject {
  const spec = compact({
    ...pod.spec,
    nodeName: pod.node?.meta.name ?? pod.needs.nodeName,
    priority: pod.priority,
    preemptionPolicy: pod.mayPreempt ? 'PreemptLowerPriority' : 'Never',
  });
  return {
    metadata: renderMeta(pod.meta),
    spec,
    status: compact({
      phase: pod.phase,
      conditions: podConditions(pod),
      startTime: pod.startedAt === undefined ? undefined : timestamp(pod.startedAt),
      nominatedNodeName: pod.nominatedNode?.meta.name,
      containerStatuses: optional(containerStatuses(pod), pod.startedAt !== undefined),
    }),
  };
}

function podConditions(pod: Pod): readonly JsonObject[] {
  const isReady = pod.readyAt !== undefined && !isTerminal(pod);
  const since = timestamp(pod.readyAt ?? pod.startedAt ?? pod.meta.createdAt);
  if (pod.node === undefined) {
    if (pod.pendingMessage === undefined) return [];
    return [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: pod.pendingMessage,
        lastTransitionTime: timestamp(pod.meta.createdAt),
      },
    ];
  }
  const status = isReady ? 'True' : 'False';
  return [
    {
      type: 'PodScheduled',
      status: 'True',
      lastTransitionTime: timestamp(pod.startedAt ?? pod.meta.createdAt),
    },
    { type: 'Ready', status, lastTransitionTime: since },
    { type: 'ContainersReady', status, lastTransitionTime: since },
  ];
}

function containerStatuses(pod: Pod): readonly JsonObject[] {
  const isReady = pod.readyAt !== undefined && !isTerminal(pod);
  const state: JsonObject = isTerminal(pod)
    ? { terminated: { exitCode: pod.phase === 'Succeeded' ? 0 : 1, reason: 'Completed' } }
    : isReady
      ? { running: { startedAt: timestamp(pod.readyAt ?? 0) } }
      : { waiting: { reason: 'ContainerCreating' } };
  return listAt(pod.spec, 'containers')
    .filter(isObject)
    .map((container) => ({
      name: textAt(container, 'name') ?? '',
      image: textAt(container, 'image') ?? '',
      imageID: '',
      ready: isReady,
      started: isReady,
      restartCount: 0,
      state,
    }));
}

export function renderNode(node: Node): JsonObject {
  const taints = effectiveTaints(node).map(renderTaint);
  return {
    metadata: renderMeta(node.meta),
    spec: compact({
      taints: optional(taints, taints.length > 0),
      unschedulable: optional(true, node.isCordoned),
    }),
    status: { ...node.givenStatus, ...nodeStatus(node) },
  };
}

export function renderTaint(taint: Taint): JsonObject {
  return compact({ key: taint.key, value: taint.value, effect: taint.effect });
}

function nodeStatus(node: Node): JsonObject {
  const { allocatable } = node;
  const offered =
    allocatable === undefined
      ? undefined
      : {
          cpu: `${String(allocatable.cpuMillis)}m`,
          memory: String(allocatable.memoryBytes),
          pods: String(allocatable.pods),
        };
  return compact({
    // What was given over the API is shown as it was given.
    ...(node.givenStatus?.['allocatable'] === undefined ? { allocatable: offered, capacity: offered } : {}),
    conditions: [
      {
        type: 'Ready',
        status: node.ready,
        reason: node.ready === 'True' ? 'KubeletReady' : 'KubeletNotReady',
        lastHeartbeatTime: timestamp(node.readySinceAt ?? node.meta.createdAt),
        lastTransitionTime: timestamp(node.readySinceAt ?? node.meta.createdAt),
      },
    ],
    images: optional(
      [...node.images].map((image) => ({ names: [image], sizeBytes: 5_000_000_000 })),
      node.images.size > 0,
    ),
  });
}

export function renderSelector(selector: Selector): JsonObject {
  return compact({
    matchLabels: selector.matchLabels,
    matchExpressions: optional(
      selector.matchExpressions.map((term) => ({
        key: term.key,
        operator: term.operator,
        values: term.values,
      })),
      selector.matchExpressions.length > 0,
    ),
  });
}

export function renderDeployment(model: ClusterModel, deployment: Deployment): JsonObject {
  const sets = setsOf(model, deployment);
  const pods = sets.flatMap((set) => [...set.pods]).filter((pod) => !isTerminal(pod));
  const updated = sets.find((set) => set.template.hash === deployment.workload.template.hash);
  const ready = pods.filter((pod) => pod.readyAt !== undefined).length;
  const { replicas } = deployment.workload;
  const failure = sets.find((set) => set.failure !== undefined)?.failure;
  return {
    metadata: renderMeta(deployment.meta),
    spec: { ...deployment.spec, replicas },
    status: compact({
      observedGeneration: deployment.observedGeneration,
      replicas: pods.length,
      updatedReplicas: updated?.pods.size ?? 0,
      readyReplicas: ready,
      availableReplicas: ready,
      unavailableReplicas: optional(Math.max(0, replicas - ready), replicas > ready),
      conditions: [
        { type: 'Available', status: ready >= replicas ? 'True' : 'False' },
        ...(failure === undefined
          ? []
          : [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: failure }]),
      ],
    }),
  };
}

export function renderReplicaSet(set: ReplicaSet): JsonObject {
  const { labels, annotations, spec } = set.template;
  const ready = [...set.pods].filter((pod) => pod.readyAt !== undefined).length;
  return {
    metadata: renderMeta(set.meta),
    spec: {
      replicas: set.replicas,
      selector: renderSelector(set.selector),
      template: { metadata: { labels, annotations }, spec },
    },
    status: {
      replicas: set.pods.size,
      readyReplicas: ready,
      availableReplicas: ready,
      observedGeneration: set.meta.generation,
    },
  };
}

export function renderBudget(model: ClusterModel, budget: Budget): JsonObject {
  return {
    metadata: renderMeta(budget.meta),
    spec: budget.spec,
    status: { ...countBudget(model, budget), observedGeneration: budget.meta.generation },
  };
}

export function renderPriorityClass(priorityClass: PriorityClass): JsonObject {
  return compact({
    metadata: renderMeta(priorityClass.meta),
    value: priorityClass.value,
    preemptionPolicy: priorityClass.preemptionPolicy,
    globalDefault: optional(true, priorityClass.isGlobalDefault),
  });
}
