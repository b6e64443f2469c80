/**
 * Sets of fields as `managedFields` writes them (FieldsV1): `f:name` for a key, `k:{"name":"x"}` for an item of a
 * list whose items have identity, `.` for the item itself, `{}` for a leaf.
 */
import { isEqualJson, isList, isObject } from '../json.ts';
import type { JsonObject, JsonValue } from '../objects.ts';

/** Lists whose items are merged by key; all others are replaced whole. */
const LIST_KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  env: ['name'],
  volumes: ['name'],
  imagePullSecrets: ['name'],
  ports: ['containerPort', 'protocol'],
  volumeMounts: ['mountPath'],
  ownerReferences: ['uid'],
  conditions: ['type'],
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
};

/** Maps that are replaced whole. */
const ATOMIC_MAPS: ReadonlySet<string> = new Set([
  'selector',
  'nodeSelector',
  'podSelector',
  'labelSelector',
]);

/** The keys that tell the items of a list apart; undefined when the list is replaced whole. */
export function listKeysOf(name: string, value: JsonValue | undefined): readonly string[] | undefined {
  const keys = LIST_KEYS[name];
  return keys !== undefined && isList(value) && value.every(isObject) ? keys : undefined;
}

export function isGranularMap(name: string, value: JsonValue | undefined): value is JsonObject {
  return isObject(value) && !ATOMIC_MAPS.has(name);
}

export function itemKey(item: JsonObject, keys: readonly string[]): string {
  const defaults: JsonObject = { protocol: 'TCP' };
  const found = keys.map((key): [string, JsonValue] => [key, item[key] ?? defaults[key] ?? '']);
  return `k:${JSON.stringify(Object.fromEntries(found))}`;
}

/** Every field that a document sets. `name` is the key under which the value stands. */
export function fieldsOf(value: JsonValue, name = ''): JsonObject {
  const keys = listKeysOf(name, value);
  if (keys !== undefined && isList(value)) {
    return Object.fromEntries(
      value
        .filter(isObject)
        .map((item): [string, JsonObject] => [itemKey(item, keys), { '.': {}, ...fieldsOf(item) }]),
    );
  }
  if (!isGranularMap(name, value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, child]): [string, JsonObject] => [`f:${key}`, fieldsOf(child, key)]),
  );
}

function isLeaf(fields: JsonObject): boolean {
  return Object.keys(fields).length === 0;
}

export function unite(a: JsonObject, b: JsonObject): JsonObject {
  const united: Record<string, JsonValue> = { ...a };
  for (const [key, child] of Object.entries(b)) {
    const mine = a[key];
    united[key] = isObject(mine) && isObject(child) ? unite(mine, child) : child;
  }
  return united;
}

/** Fields of `a` that are not in `b`; branches left empty go too. */
export function subtract(a: JsonObject, b: JsonObject): JsonObject {
  const left: Record<string, JsonValue> = {};
  for (const [key, child] of Object.entries(a)) {
    const other = b[key];
    if (!isObject(child)) continue;
    if (!isObject(other)) left[key] = child;
    else if (!isLeaf(child)) {
      const rest = subtract(child, other);
      if (!isLeaf(rest)) left[key] = rest;
    }
  }
  return left;
}

export function intersect(a: JsonObject, b: JsonObject): JsonObject {
  return subtract(a, subtract(a, b));
}

/** Fields whose value differs between two documents, or that only the second one has. */
export function changedFields(
  before: JsonValue | undefined,
  after: JsonValue,
  name = '',
): JsonObject | undefined {
  if (before === undefined) return fieldsOf(after, name);
  const keys = listKeysOf(name, after);
  if (keys !== undefined && isList(after) && isList(before)) {
    const old = new Map(before.filter(isObject).map((item) => [itemKey(item, keys), item]));
    return branches(
      after.filter(isObject).map((item) => {
        const key = itemKey(item, keys);
        const previous = old.get(key);
        return [key, previous === undefined ? { '.': {}, ...fieldsOf(item) } : changedFields(previous, item)];
      }),
    );
  }
  if (isGranularMap(name, after) && isObject(before)) {
    return branches(
      Object.entries(after).map(([key, child]) => [`f:${key}`, changedFields(before[key], child, key)]),
    );
  }
  return isEqualJson(before, after) ? undefined : {};
}

function branches(parts: readonly (readonly [string, JsonObject | undefined])[]): JsonObject | undefined {
  const found = parts.flatMap(([key, child]) => (child === undefined ? [] : [[key, child] as const]));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** Leaf paths in the words of a conflict message: `.spec.replicas`. */
export function pathsOf(fields: JsonObject, prefix = ''): readonly string[] {
  if (isLeaf(fields)) return [prefix];
  return Object.entries(fields).flatMap(([key, child]) => {
    if (!isObject(child) || key === '.') return [];
    return pathsOf(child, key.startsWith('f:') ? `${prefix}.${key.slice(2)}` : `${prefix}[${key.slice(2)}]`);
  });
}
