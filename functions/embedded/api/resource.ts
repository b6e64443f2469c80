/** One kind of object as the API serves it, whatever it is inside the model. */
import { isObject } from '../json.ts';
import type { NewMeta } from '../model.ts';
import type { JsonObject, JsonValue, Meta } from '../objects.ts';

export interface ResourceNames {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly isNamespaced: boolean;
}

/** One object, ready to be shown or changed. */
export interface Handle {
  readonly meta: Meta;
  /** The whole document without apiVersion and kind. */
  render(): JsonObject;
  /** Takes over everything but metadata and status. @throws RefusalError */
  update(document: JsonObject): void;
  /** Takes over the status; undefined where clients do not write it. */
  readonly updateStatus: ((status: JsonObject) => void) | undefined;
  /** Called after labels, annotations or anything else changed. */
  changed(): void;
  remove(graceSeconds: number | undefined): void;
}

export interface Resource extends ResourceNames {
  list(): Iterable<Handle>;
  find(namespace: string, name: string): Handle | undefined;
  /** @throws RefusalError */
  create(document: JsonObject, meta: NewMeta): Handle;
}

export function apiVersionOf(names: ResourceNames): string {
  return names.group === '' ? names.version : `${names.group}/${names.version}`;
}

/** As messages name it: `deployments.apps`. */
export function qualifiedName(names: ResourceNames): string {
  return names.group === '' ? names.plural : `${names.plural}.${names.group}`;
}

/** A field by its dotted path as text, for field selectors; empty where there is none. */
export function fieldOf(document: JsonObject, path: string): string {
  let value: JsonValue | undefined = document;
  for (const key of path.split('.')) value = isObject(value) ? value[key] : undefined;
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

export function* mapIterable<From, To>(values: Iterable<From>, map: (value: From) => To): Iterable<To> {
  for (const value of values) yield map(value);
}
