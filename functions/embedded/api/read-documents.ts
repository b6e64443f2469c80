/** Documents that clients send, read into the model's objects; what the API server would refuse is refused. */
import { createHash } from 'node:crypto';
import { exactMillis, exactUnits, parseQuantity } from '../../domain/quantity.ts';
import { isList, isObject, listAt, numberAt, objectAt, textAt, textsAt } from '../json.ts';
import type { JsonObject, JsonValue, Node, PodTemplate, Workload } from '../objects.ts';
import { matchesSelector, readSelector } from '../labels.ts';
import { refuse } from '../refusal.ts';

export function readWorkload(name: string, spec: JsonObject): Workload {
  const selector = readSelector(objectAt(spec, 'selector'));
  const template = readTemplate(objectAt(spec, 'template'));
  const isEmpty = Object.keys(selector.matchLabels).length + selector.matchExpressions.length === 0;
  if (isEmpty) invalid(name, 'spec.selector: Required value');
  if (!matchesSelector(template.labels, selector)) {
    invalid(
      name,
      'spec.template.metadata.labels: Invalid value: `selector` does not match template `labels`',
    );
  }
  const replicas = spec['replicas'] ?? 1;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas) || replicas < 0) {
    invalid(name, 'spec.replicas: Invalid value: must be greater than or equal to 0');
  }
  if (listAt(template.spec, 'containers').length === 0) {
    invalid(name, 'spec.template.spec.containers: Required value');
  }
  checkQuantities(name, template.spec, 'spec.template.spec');
  const isRecreate = textAt(objectAt(spec, 'strategy'), 'type') === 'Recreate';
  return { replicas, selector, strategy: isRecreate ? 'Recreate' : 'RollingUpdate', template };
}

function readTemplate(document: JsonObject): PodTemplate {
  const metadata = objectAt(document, 'metadata');
  return {
    labels: textsAt(metadata, 'labels'),
    annotations: textsAt(metadata, 'annotations'),
    spec: objectAt(document, 'spec'),
    hash: createHash('sha256').update(canonical(document)).digest('hex').slice(0, 10),
  };
}

/** Text of a document that does not depend on the order of its keys. */
function canonical(value: JsonValue): string {
  if (isList(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(',')}}`;
}

export function checkPodSpec(name: string, spec: JsonObject): void {
  if (listAt(spec, 'containers').length === 0) invalidPod(name, 'spec.containers: Required value');
  checkQuantities(name, spec, 'spec');
}

function checkQuantities(name: string, spec: JsonObject, path: string): void {
  for (const container of [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')].filter(
    isObject,
  )) {
    const requests = objectAt(objectAt(container, 'resources'), 'requests');
    for (const [resource, value] of Object.entries(requests)) {
      const isText = typeof value === 'string' || typeof value === 'number';
      if (isText && parseQuantity(value).kind === 'known') continue;
      // A real server fails while decoding the body, before it validates anything.
      refuse(
        400,
        'BadRequest',
        `"${name}" ${path}.containers.resources.requests.${resource}: quantities must match the regular expression`,
      );
    }
  }
}

export function readAllocatable(status: JsonObject): Node['allocatable'] {
  const allocatable = status['allocatable'] ?? status['capacity'];
  if (!isObject(allocatable)) return undefined;
  const cpuMillis = exactMillis(nanosAt(allocatable, 'cpu'));
  const memoryBytes = exactUnits(nanosAt(allocatable, 'memory'));
  return { cpuMillis, memoryBytes, pods: exactUnits(nanosAt(allocatable, 'pods')) };
}

function nanosAt(object: JsonObject, key: string): bigint {
  const value = object[key];
  if (typeof value !== 'string' && typeof value !== 'number') return 0n;
  const quantity = parseQuantity(value);
  return quantity.kind === 'known' ? quantity.nanos : 0n;
}

/** The Ready condition of a node status; undefined when it has none. */
export function readReady(status: JsonObject): Node['ready'] | undefined {
  const condition = listAt(status, 'conditions')
    .filter(isObject)
    .find((each) => each['type'] === 'Ready');
  const value = condition?.['status'];
  return value === 'True' || value === 'False' || value === 'Unknown' ? value : undefined;
}

export function countOrPercent(document: JsonObject, key: string): string | number | undefined {
  return numberAt(document, key) ?? textAt(document, key);
}

function invalid(name: string, problem: string): never {
  refuse(422, 'Invalid', `Deployment.apps "${name}" is invalid: ${problem}`);
}

function invalidPod(name: string, problem: string): never {
  refuse(422, 'Invalid', `Pod "${name}" is invalid: ${problem}`);
}
