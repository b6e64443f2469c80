/** Where a scenario file names pools, and which of them there are not. Reads the file as it came, valid or not. */
import type { Problem } from '../config/explain.ts';
import { closestName } from '../domain/closest-name.ts';

interface Mention {
  readonly pool: string;
  readonly path: readonly PropertyKey[];
  readonly isAboutKey: boolean;
}

export function unknownPools(root: unknown, pools: readonly string[]): readonly Problem[] {
  const named: readonly Mention[] = [
    ...Object.keys(childOf(root, 'pools')).map((pool) => ({ pool, path: ['pools', pool], isAboutKey: true })),
    ...listed(root, ['classes']),
    ...listed(root, ['trickle']),
    ...listed(root, ['faults', 'stockOuts']),
  ];
  return named.flatMap((mention) => (pools.includes(mention.pool) ? [] : [explain(mention, pools)]));
}

function listed(root: unknown, path: readonly string[]): readonly Mention[] {
  const entries = path.reduce<unknown>((value, key) => childOf(value, key), root);
  return Object.entries(isRecord(entries) ? entries : {}).flatMap(([index, entry]) => {
    const pool = isRecord(entry) ? entry['pool'] : undefined;
    return typeof pool === 'string'
      ? [{ pool, path: [...path, Number(index), 'pool'], isAboutKey: false }]
      : [];
  });
}

function explain({ pool, path, isAboutKey }: Mention, pools: readonly string[]): Problem {
  const near = closestName(pool, pools);
  const hint = near === undefined ? `pools are ${pools.join(', ')}` : `did you mean \`${near}\`?`;
  return { path, isAboutKey, message: `"${pool}" is no pool of the config; ${hint}` };
}

function childOf(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const child = isRecord(value) ? value[key] : undefined;
  return isRecord(child) ? child : {};
}

/** A list too: by its indexes. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
