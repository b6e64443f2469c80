/**
 * What `kubectl get` prints: whoever accepts a `Table` gets his list as rows and columns, as a real server does it
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables).
 */
import type { Instant } from '../../domain/instant.ts';
import { isObject, listAt, numberAt, objectAt, textAt } from '../json.ts';
import type { JsonObject, JsonValue } from '../objects.ts';
import { SERVER_VERSION } from './discovery.ts';
import type { Resource } from './resource.ts';

interface Column {
  readonly name: string;
  readonly type?: 'string' | 'integer';
  /** Shown only with `-o wide`. */
  readonly isWide?: boolean;
  readonly cell: (document: JsonObject, now: Instant) => JsonValue;
}

const NONE = '<none>';
const NAME: Column = {
  name: 'Name',
  cell: (document) => textAt(objectAt(document, 'metadata'), 'name') ?? '',
};
const AGE: Column = {
  name: 'Age',
  cell: (document, now) =>
    age(now - Date.parse(textAt(objectAt(document, 'metadata'), 'creationTimestamp') ?? '')),
};

function statusNumber(name: string, key: string): Column {
  return { name, type: 'integer', cell: (document) => numberAt(objectAt(document, 'status'), key) ?? 0 };
}

function specText(name: string, key: string): Column {
  return { name, cell: (document) => objectAt(document, 'spec')[key] ?? 'N/A' };
}

const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  nodes: [
    NAME,
    { name: 'Status', cell: nodeStatus },
    { name: 'Roles', cell: () => NONE },
    AGE,
    { name: 'Version', cell: () => SERVER_VERSION },
  ],
  pods: [
    NAME,
    { name: 'Ready', cell: podReady },
    { name: 'Status', cell: podStatus },
    { name: 'Restarts', type: 'integer', cell: () => 0 },
    AGE,
    { name: 'Node', isWide: true, cell: (pod) => textAt(objectAt(pod, 'spec'), 'nodeName') ?? NONE },
    {
      name: 'Nominated Node',
      isWide: true,
      cell: (pod) => textAt(objectAt(pod, 'status'), 'nominatedNodeName') ?? NONE,
    },
  ],
  deployments: [
    NAME,
    { name: 'Ready', cell: deploymentReady },
    statusNumber('Up-to-date', 'updatedReplicas'),
    statusNumber('Available', 'availableReplicas'),
    AGE,
  ],
  replicasets: [
    NAME,
    { name: 'Desired', type: 'integer', cell: (set) => numberAt(objectAt(set, 'spec'), 'replicas') ?? 0 },
    statusNumber('Current', 'replicas'),
    statusNumber('Ready', 'readyReplicas'),
    AGE,
  ],
  daemonsets: [
    NAME,
    statusNumber('Desired', 'desiredNumberScheduled'),
    statusNumber('Current', 'currentNumberScheduled'),
    statusNumber('Ready', 'numberReady'),
    AGE,
  ],
  poddisruptionbudgets: [
    NAME,
    specText('Min Available', 'minAvailable'),
    specText('Max Unavailable', 'maxUnavailable'),
    statusNumber('Allowed Disruptions', 'disruptionsAllowed'),
    AGE,
  ],
  priorityclasses: [
    NAME,
    { name: 'Value', type: 'integer', cell: (document) => numberAt(document, 'value') ?? 0 },
    { name: 'Global-Default', cell: (document) => String(document['globalDefault'] === true) },
    AGE,
    { name: 'PreemptionPolicy', cell: (document) => textAt(document, 'preemptionPolicy') ?? '' },
  ],
  namespaces: [
    NAME,
    { name: 'Status', cell: (document) => textAt(objectAt(document, 'status'), 'phase') ?? '' },
    AGE,
  ],
};

/** The first of the accepted types is a table of the version that the model speaks. */
export function wantsTable(accept: string): boolean {
  return /^\s*application\/json;\s*as=Table;\s*v=v1;\s*g=meta\.k8s\.io\s*(,|$)/.test(accept);
}

export interface TableQuery {
  readonly resource: Resource;
  readonly now: Instant;
  /** `includeObject`: `None`, `Metadata` (unless told), `Object`. */
  readonly include: string | null;
}

/** @param answer a list, or one object. */
export function toTable(answer: JsonObject, { resource, now, include }: TableQuery): JsonObject {
  const isList = 'items' in answer;
  const documents = isList ? listAt(answer, 'items').filter(isObject) : [answer];
  const columns = COLUMNS[resource.plural] ?? [NAME, AGE];
  const { resourceVersion = '' } = objectAt(answer, 'metadata');
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: isList ? objectAt(answer, 'metadata') : { resourceVersion },
    columnDefinitions: columns.map(({ name, type = 'string', isWide = false }) => ({
      name,
      type,
      format: name === 'Name' ? 'name' : '',
      description: '',
      priority: isWide ? 1 : 0,
    })),
    rows: documents.map((document) => ({
      cells: columns.map(({ cell }) => cell(document, now)),
      ...objectOf(document, include),
    })),
  };
}

function objectOf(document: JsonObject, include: string | null): JsonObject {
  if (include === 'None') return {};
  if (include === 'Object') return { object: document };
  const metadata = objectAt(document, 'metadata');
  return { object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata } };
}

function nodeStatus(node: JsonObject): string {
  const ready = listAt(objectAt(node, 'status'), 'conditions')
    .filter(isObject)
    .find((condition) => condition['type'] === 'Ready');
  const words = [ready?.['status'] === 'True' ? 'Ready' : 'NotReady'];
  if (objectAt(node, 'spec')['unschedulable'] === true) words.push('SchedulingDisabled');
  return words.join(',');
}

function podReady(pod: JsonObject): string {
  const ready = containerStatuses(pod).filter((status) => status['ready'] === true).length;
  return `${String(ready)}/${String(listAt(objectAt(pod, 'spec'), 'containers').length)}`;
}

function podStatus(pod: JsonObject): string {
  if ('deletionTimestamp' in objectAt(pod, 'metadata')) return 'Terminating';
  const phase = textAt(objectAt(pod, 'status'), 'phase') ?? 'Unknown';
  if (phase === 'Succeeded') return 'Completed';
  const waiting = containerStatuses(pod)
    .map((status) => objectAt(objectAt(status, 'state'), 'waiting'))
    .find((state) => 'reason' in state);
  return (waiting && textAt(waiting, 'reason')) ?? phase;
}

function containerStatuses(pod: JsonObject): readonly JsonObject[] {
  return listAt(objectAt(pod, 'status'), 'containerStatuses').filter(isObject);
}

function deploymentReady(deployment: JsonObject): string {
  const ready = numberAt(objectAt(deployment, 'status'), 'readyReplicas') ?? 0;
  return `${String(ready)}/${String(numberAt(objectAt(deployment, 'spec'), 'replicas') ?? 0)}`;
}

/** As kubectl writes it: two units where the first alone would hide too much. */
function age(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [minutes, hours, days] = [seconds / 60, seconds / 3600, seconds / 86_400].map(Math.floor) as [
    number,
    number,
    number,
  ];
  if (seconds < 120) return `${String(seconds)}s`;
  if (minutes < 10) return pair([minutes, 'm'], [seconds % 60, 's']);
  if (hours < 3) return `${String(minutes)}m`;
  if (hours < 8) return pair([hours, 'h'], [minutes % 60, 'm']);
  if (hours < 48) return `${String(hours)}h`;
  return days < 8 ? pair([days, 'd'], [hours % 24, 'h']) : `${String(days)}d`;
}

function pair(large: readonly [number, string], small: readonly [number, string]): string {
  return [large, small].flatMap(([count, unit]) => (count === 0 ? [] : `${String(count)}${unit}`)).join('');
}
