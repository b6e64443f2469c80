/** Reading documents that anybody may have written: a missing or odd value is undefined or empty, never a crash. */
import type { JsonObject, JsonValue, Labels } from './objects.ts';

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isObject(value) ? value : {};
}

export function listAt(object: JsonObject, key: string): readonly JsonValue[] {
  const value = object[key];
  return isList(value) ? value : [];
}

export function textAt(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(object: JsonObject, key: string): number | undefined {
  const value = object[key];
  return typeof value === 'number' ? value : undefined;
}

/** A map of texts, such as labels; anything else in it is left out. */
export function textsAt(object: JsonObject, key: string): Labels {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(objectAt(object, key))) {
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}

/** Equal as documents: the order of keys does not matter, that of lists does. */
export function isEqualJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (isList(a) && isList(b)) {
    return a.length === b.length && a.every((each, index) => isEqualJson(each, b[index]));
  }
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((key) => isEqualJson(a[key], b[key]));
  }
  return a === b;
}

/** The document without keys whose value is undefined, for objects put together from optional parts. */
export function compact(parts: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const found: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(parts)) if (value !== undefined) found[key] = value;
  return found;
}
