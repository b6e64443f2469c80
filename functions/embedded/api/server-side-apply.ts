/**
 * Server-side apply: a manager says what it wants of an object, and only that. What it wanted before and wants no
 * more goes, unless somebody else wants it too; what others set stays; where they disagree it is a conflict, or, by
 * force, the newcomer's.
 */
import type { Instant } from '../../domain/instant.ts';
import { isList, isObject } from '../json.ts';
import type { JsonObject, JsonValue, ManagedFields } from '../objects.ts';
import { refuse } from '../refusal.ts';
import {
  changedFields,
  fieldsOf,
  intersect,
  isGranularMap,
  itemKey,
  listKeysOf,
  pathsOf,
  subtract,
  unite,
} from './field-sets.ts';

export interface ApplyRequest {
  readonly live: JsonObject;
  readonly wanted: JsonObject;
  readonly managers: readonly ManagedFields[];
  readonly manager: string;
  readonly force: boolean;
  readonly apiVersion: string;
  readonly at: Instant;
  readonly name: string;
}

export interface Applied {
  readonly document: JsonObject;
  readonly managers: readonly ManagedFields[];
}

/** Fields that identify an object or that the server alone writes: nobody owns them. */
const UNOWNED: JsonObject = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:status': {},
  'f:metadata': {
    'f:name': {},
    'f:namespace': {},
    'f:uid': {},
    'f:resourceVersion': {},
    'f:generation': {},
    'f:creationTimestamp': {},
    'f:deletionTimestamp': {},
    'f:managedFields': {},
  },
};

export function ownedFields(document: JsonObject): JsonObject {
  return subtract(fieldsOf(document), UNOWNED);
}

/** @throws RefusalError 409 when other managers hold other values and `force` is not set. */
export function applyDocument(request: ApplyRequest): Applied {
  const { live, wanted, manager } = request;
  const mine = ownedFields(wanted);
  const previous = request.managers.find((entry) => isOf(entry, manager))?.fields ?? {};
  const others = request.managers.filter((entry) => !isOf(entry, manager));
  const disputed = intersect(subtract(changedFields(live, merge(live, wanted)) ?? {}, UNOWNED), mine);
  if (!request.force) refuseConflicts(request, others, disputed);

  const kept = others.map((entry) => ({ ...entry, fields: subtract(entry.fields, disputed) }));
  const heldByOthers = kept.reduce<JsonObject>((all, entry) => unite(all, entry.fields), {});
  const abandoned = subtract(subtract(previous, mine), heldByOthers);
  const document = merge(remove(live, abandoned), wanted);
  const entry: ManagedFields = {
    manager,
    operation: 'Apply',
    apiVersion: request.apiVersion,
    at: request.at,
    fields: mine,
  };
  return { document, managers: [entry, ...kept.filter((each) => Object.keys(each.fields).length > 0)] };
}

function isOf(entry: ManagedFields, manager: string): boolean {
  return entry.manager === manager && entry.operation === 'Apply';
}

function refuseConflicts(
  request: ApplyRequest,
  others: readonly ManagedFields[],
  disputed: JsonObject,
): void {
  const conflicts = others.flatMap((entry) =>
    pathsOf(intersect(entry.fields, disputed))
      .filter((path) => path !== '')
      .map((path) => `conflict with "${entry.manager}": ${path}`),
  );
  if (conflicts.length === 0) return;
  const count = conflicts.length === 1 ? '1 conflict' : `${String(conflicts.length)} conflicts`;
  refuse(409, 'Conflict', `Apply failed with ${count}: ${conflicts.join('; ')}`);
}

/** What a plain update does to ownership: what it changed becomes its own, what it removed nobody's. */
export function afterUpdate(request: Omit<ApplyRequest, 'force' | 'name'>): readonly ManagedFields[] {
  const changed = subtract(changedFields(request.live, request.wanted) ?? {}, UNOWNED);
  const present = ownedFields(request.wanted);
  const rest = request.managers.map((entry) => ({
    ...entry,
    fields: intersect(subtract(entry.fields, changed), present),
  }));
  const isMine = (entry: ManagedFields): boolean =>
    entry.manager === request.manager && entry.operation === 'Update';
  const mine = unite(rest.find(isMine)?.fields ?? {}, changed);
  const entry: ManagedFields = {
    manager: request.manager,
    operation: 'Update',
    apiVersion: request.apiVersion,
    at: request.at,
    fields: mine,
  };
  return [...rest.filter((each) => !isMine(each)), entry].filter(
    (each) => Object.keys(each.fields).length > 0,
  );
}

/** The live value with everything that is wanted put in. */
function merge(live: JsonValue | undefined, wanted: JsonObject): JsonObject {
  const merged: Record<string, JsonValue> = isObject(live) ? { ...live } : {};
  for (const [key, value] of Object.entries(wanted)) {
    const before = merged[key];
    const keys = listKeysOf(key, value);
    if (keys !== undefined && isList(value))
      merged[key] = mergeList(isList(before) ? before : [], value, keys);
    else merged[key] = isGranularMap(key, value) ? merge(before, value) : value;
  }
  return merged;
}

/** Items keep their place; new ones come last. */
function mergeList(
  live: readonly JsonValue[],
  wanted: readonly JsonValue[],
  keys: readonly string[],
): readonly JsonValue[] {
  const items = new Map(live.filter(isObject).map((item) => [itemKey(item, keys), item]));
  for (const item of wanted.filter(isObject)) {
    const key = itemKey(item, keys);
    items.set(key, merge(items.get(key), item));
  }
  return [...items.values()];
}

function remove(document: JsonObject, fields: JsonObject): JsonObject {
  const left: Record<string, JsonValue> = { ...document };
  for (const [key, child] of Object.entries(fields)) {
    if (!key.startsWith('f:') || !isObject(child)) continue;
    const name = key.slice(2);
    const value = left[name];
    const keys = listKeysOf(name, value);
    if (Object.keys(child).length === 0) Reflect.deleteProperty(left, name);
    else if (keys !== undefined && isList(value)) left[name] = removeItems(value, child, keys);
    else if (isObject(value)) left[name] = remove(value, child);
  }
  return left;
}

function removeItems(
  items: readonly JsonValue[],
  fields: JsonObject,
  keys: readonly string[],
): readonly JsonValue[] {
  return items.filter(isObject).flatMap((item) => {
    const gone = fields[itemKey(item, keys)];
    if (!isObject(gone)) return [item];
    return gone['.'] === undefined ? [remove(item, gone)] : [];
  });
}
