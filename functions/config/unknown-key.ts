/** A key that nothing reads is refused, with the key or the place that was probably meant. */
import { closestName } from '../domain/closest-name.ts';
import { excerpt, formatPath, type SettingPath } from './path.ts';
import { KEYS } from './schema.ts';

type Place = 'file' | 'cluster' | 'pool' | 'resources' | 'toleration';

/** What to tell about the unknown `key` of the mapping at `parent`. */
export function explainUnknownKey(parent: SettingPath, key: string, value: unknown): string {
  const place = placeOf(parent);
  const near = closestName(key.replaceAll(/[-_\s]/g, ''), KEYS[place]);
  // A key that is right one level up or down was indented wrongly; that is surer than a resemblance.
  const elsewhere = placeElsewhere(place, parent, { key, value });
  if (elsewhere !== undefined) {
    return `does not belong here: ${elsewhere}`;
  }
  return near === undefined
    ? `is not a key that is known here; known are ${[...KEYS[place]].sort().join(', ')}`
    : `is not a key that is known here; did you mean \`${near}\`?`;
}

function placeOf(path: SettingPath): Place {
  const last = path.at(-1);
  if (typeof last === 'number') {
    return 'toleration';
  }
  if (path.at(-2) === 'nodePools') {
    return 'pool';
  }
  if (path.at(-2) === 'clusters') {
    return 'cluster';
  }
  return last === 'resources' ? 'resources' : 'file';
}

interface Entry {
  readonly key: string;
  readonly value: unknown;
}

function placeElsewhere(place: Place, parent: SettingPath, { key, value }: Entry): string | undefined {
  switch (place) {
    case 'pool':
      return placeForPoolKey(parent, key);
    case 'resources':
      return /^(cpu|memory|mem)$/i.test(key)
        ? `indent it under \`${formatPath([...parent, 'requests'])}\``
        : undefined;
    case 'file':
    case 'cluster':
      return placeForUpperKey(place, { key, value });
    case 'toleration':
      return undefined;
  }
}

function placeForPoolKey(parent: SettingPath, key: string): string | undefined {
  if (key.includes('/')) {
    return `it is a node label; indent it under \`${formatPath([...parent, 'nodeSelector'])}\``;
  }
  if (isOneOf(KEYS.resources, key)) {
    return `indent it under \`${formatPath([...parent, 'resources'])}\``;
  }
  return isOneOf(KEYS.file, key) ? 'it is a setting of the whole file; move it to the left' : undefined;
}

function placeForUpperKey(place: 'file' | 'cluster', { key, value }: Entry): string | undefined {
  if (isOneOf(KEYS.pool, key) && !isOneOf(KEYS[place], key)) {
    return 'it is a setting of a pool; indent it under `nodePools.<name>`';
  }
  if (isOneOf(KEYS.file, key)) {
    return 'it is a setting of the whole file; move it to the left';
  }
  const looksLikePool =
    typeof value === 'object' && value !== null && Object.keys(value).some((one) => isOneOf(KEYS.pool, one));
  return looksLikePool ? `a pool stands under \`nodePools\`: indent \`${excerpt(key)}\` below it` : undefined;
}

function isOneOf(keys: readonly string[], key: string): boolean {
  return keys.includes(key);
}
