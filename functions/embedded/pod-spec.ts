/** Reads what the model acts on out of a pod's spec, once for each spec document. */
import type { RawPod } from '../domain/pod.ts';
import type { Toleration } from '../domain/placeholder.ts';
import { createPodRequestsReader } from '../domain/pod-requests.ts';
import { isList, isObject, listAt, numberAt, objectAt, textAt, textsAt } from './json.ts';
import type { JsonObject, PodNeeds, Taint } from './objects.ts';
import { readSpread } from './topology-spread.ts';

const DEFAULT_GRACE_SECONDS = 30;
const known = new WeakMap<JsonObject, PodNeeds>();
const readRequests = createPodRequestsReader();

export function readPodNeeds(spec: JsonObject): PodNeeds {
  const remembered = known.get(spec);
  if (remembered !== undefined) return remembered;
  const needs = parse(spec);
  known.set(spec, needs);
  return needs;
}

function parse(spec: JsonObject): PodNeeds {
  const requests = readRequests({ spec: asRawSpec(spec) });
  return {
    cpuMillis: requests.kind === 'known' ? requests.cpuMillis : 0,
    memoryBytes: requests.kind === 'known' ? requests.memoryBytes : 0,
    unreadable: requests.kind === 'unreadable' ? requests.problem : undefined,
    nodeSelector: textsAt(spec, 'nodeSelector'),
    tolerations: listAt(spec, 'tolerations').filter(isObject).map(readToleration),
    spread: readSpread(spec),
    priorityClassName: textAt(spec, 'priorityClassName'),
    preemptionPolicy: textAt(spec, 'preemptionPolicy'),
    schedulerName: textAt(spec, 'schedulerName') ?? 'default-scheduler',
    graceSeconds: numberAt(spec, 'terminationGracePeriodSeconds') ?? DEFAULT_GRACE_SECONDS,
    image: firstImage(spec),
    nodeName: textAt(spec, 'nodeName'),
  };
}

/** The same document under the names that the domain's counting knows; numbers as quantities stay numbers. */
function asRawSpec(spec: JsonObject): NonNullable<RawPod['spec']> {
  return {
    containers: listAt(spec, 'containers').filter(isObject).map(asRawContainer),
    initContainers: listAt(spec, 'initContainers').filter(isObject).map(asRawContainer),
    overhead: quantitiesAt(spec, 'overhead'),
    ...(isObject(spec['resources'])
      ? { resources: { requests: quantitiesAt(spec['resources'], 'requests') } }
      : {}),
  };
}

function asRawContainer(container: JsonObject): {
  name: string | undefined;
  restartPolicy: string | undefined;
  resources: { requests: Record<string, string | number> };
} {
  return {
    name: textAt(container, 'name'),
    restartPolicy: textAt(container, 'restartPolicy'),
    resources: { requests: quantitiesAt(objectAt(container, 'resources'), 'requests') },
  };
}

function quantitiesAt(object: JsonObject, key: string): Record<string, string | number> {
  const found: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(objectAt(object, key))) {
    if (typeof value === 'string' || typeof value === 'number') found[name] = value;
  }
  return found;
}

function firstImage(spec: JsonObject): string | undefined {
  const first = listAt(spec, 'containers')[0];
  return isObject(first) ? textAt(first, 'image') : undefined;
}

const OPERATORS = ['Equal', 'Exists'] as const;
export const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

function readToleration(document: JsonObject): Toleration {
  return {
    key: textAt(document, 'key'),
    operator: OPERATORS.find((each) => each === document['operator']),
    value: textAt(document, 'value'),
    effect: EFFECTS.find((each) => each === document['effect']),
  };
}

export function readTaints(spec: JsonObject): readonly Taint[] {
  const taints = spec['taints'];
  if (!isList(taints)) return [];
  return taints.filter(isObject).map((each) => {
    const value = textAt(each, 'value');
    return {
      key: textAt(each, 'key') ?? '',
      ...(value === undefined ? {} : { value }),
      effect: EFFECTS.find((effect) => effect === each['effect']) ?? 'NoSchedule',
    };
  });
}
