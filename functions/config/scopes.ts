/**
 * The parts of a config that rules about several settings walk over: plain values as the file has them, readable or
 * not.
 */
import type { Problem } from './explain.ts';
import type { SettingPath } from './path.ts';
import { DEFAULTS } from './schema.ts';

export type Mapping = Readonly<Record<string, unknown>>;

/** One cluster's part of the file: the file itself, or an entry of `clusters`. */
export interface Scope {
  readonly path: SettingPath;
  readonly value: Mapping;
  readonly selectorKey: string;
}

export interface PoolScope {
  readonly path: SettingPath;
  readonly name: string;
  readonly value: Mapping;
  readonly selectorKey: string;
}

export function scopesOf(file: Mapping): readonly Scope[] {
  const selectorKey = textOr(file['nodePoolSelectorKey'], DEFAULTS.nodePoolSelectorKey);
  if (!Object.hasOwn(file, 'clusters')) {
    return [{ path: [], value: file, selectorKey }];
  }
  return entriesOf(file['clusters']).map(([name, value]) => ({
    path: ['clusters', name],
    value,
    selectorKey: textOr(value['nodePoolSelectorKey'], selectorKey),
  }));
}

export function poolsOf({ path, value, selectorKey }: Scope): readonly PoolScope[] {
  return entriesOf(value['nodePools']).map(([name, pool]) => ({
    path: [...path, 'nodePools', name],
    name,
    value: pool,
    selectorKey,
  }));
}

export function about(path: SettingPath, message: string): Problem {
  return { path, isAboutKey: false, message };
}

export function mappingOf(value: unknown): Mapping | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}

export function entriesOf(value: unknown): readonly (readonly [string, Mapping])[] {
  return Object.entries(mappingOf(value) ?? {}).flatMap(([key, entry]) => {
    const mapping = mappingOf(entry);
    return mapping === undefined ? [] : [[key, mapping] as const];
  });
}

export function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
