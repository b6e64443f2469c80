/** JSON merge patch (RFC 7386) and JSON patch (RFC 6902), as far as clients of Kubernetes use them. */
import { isEqualJson, isList, isObject, textAt } from '../json.ts';
import type { JsonObject, JsonValue } from '../objects.ts';
import { refuse } from '../refusal.ts';

export function mergePatch(target: JsonValue | undefined, patch: JsonObject): JsonObject {
  const merged: Record<string, JsonValue> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(merged, key);
    else merged[key] = isObject(value) ? mergePatch(merged[key], value) : value;
  }
  return merged;
}

/** @throws RefusalError 422 when an operation cannot be carried out or a test fails. */
export function jsonPatch(target: JsonObject, operations: JsonValue): JsonObject {
  if (!isList(operations)) refuse(400, 'BadRequest', 'a JSON patch is a list of operations');
  let document: JsonValue = target;
  for (const operation of operations) {
    if (!isObject(operation)) refuse(400, 'BadRequest', 'an operation of a JSON patch is an object');
    document = applyOperation(document, operation);
  }
  return isObject(document) ? document : refuse(422, 'Invalid', 'a JSON patch must leave an object');
}

function applyOperation(document: JsonValue, operation: JsonObject): JsonValue {
  const pointer = textAt(operation, 'path') ?? '';
  const path = parsePointer(pointer);
  const value = operation['value'] ?? null;
  const name = textAt(operation, 'op') ?? '';
  if (!['test', 'add', 'replace', 'remove'].includes(name)) {
    return refuse(400, 'BadRequest', 'the operation of a JSON patch is add, remove, replace or test');
  }
  const found = valueAt(document, path);
  if (name === 'test')
    return isEqualJson(found, value) ? document : failPatch(`testing value ${pointer} failed`);
  if (name === 'add') return setAt(document, path, { value, mode: 'add' });
  if (found === undefined) return failPatch(`${name} operation does not apply: ${pointer}`);
  return setAt(document, path, { value: name === 'remove' ? undefined : value, mode: 'replace' });
}

function parsePointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueAt(document: JsonValue, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const part of path) {
    if (isList(value)) value = value[Number(part)];
    else value = isObject(value) ? value[part] : undefined;
  }
  return value;
}

interface Change {
  /** Undefined removes. */
  readonly value: JsonValue | undefined;
  readonly mode: 'add' | 'replace';
}

function setAt(document: JsonValue | undefined, path: readonly string[], change: Change): JsonValue {
  const [head, ...rest] = path;
  if (head === undefined) return change.value ?? {};
  if (isList(document)) return setInList(document, { head, rest }, change);
  if (!isObject(document)) return failPatch(`add operation does not apply: ${head} has no parent`);
  const copy: Record<string, JsonValue> = { ...document };
  if (rest.length > 0) copy[head] = setAt(document[head], rest, change);
  else if (change.value === undefined) Reflect.deleteProperty(copy, head);
  else copy[head] = change.value;
  return copy;
}

function setInList(
  list: readonly JsonValue[],
  path: { readonly head: string; readonly rest: readonly string[] },
  change: Change,
): JsonValue {
  const index = path.head === '-' ? list.length : Number(path.head);
  if (path.rest.length > 0) return list.with(index, setAt(list[index], path.rest, change));
  if (change.value === undefined) return list.toSpliced(index, 1);
  return list.toSpliced(index, change.mode === 'add' ? 0 : 1, change.value);
}

function failPatch(problem: string): never {
  refuse(422, 'Invalid', `the server rejected our request due to an error in our request: ${problem}`);
}
