/**
 * Rules about several settings at once. They read the file's plain values and judge only what is readable, so
 * that one wrong key does not hide the others.
 */
import { checkCaps } from './cap-checks.ts';
import type { Problem } from './explain.ts';
import { checkClusterName, checkPoolName } from './formats.ts';
import { formatPath, type SettingPath } from './path.ts';
import { DEFAULTS } from './schema.ts';
import {
  about,
  type Mapping,
  mappingOf,
  poolsOf,
  type PoolScope,
  type Scope,
  scopesOf,
  textOr,
} from './scopes.ts';
import { parseClusterTarget } from './target.ts';

export interface CheckOptions {
  /** `size` works out what to request, so it reads a config that does not say yet. */
  readonly mayLackRequests: boolean;
  /** Folder that a relative calendar file is found from. */
  readonly folder: string;
}

export function findContradictions(root: unknown, options: CheckOptions): readonly Problem[] {
  const file = mappingOf(root);
  if (file === undefined) {
    return [];
  }
  const scopes = scopesOf(file);
  const pools = scopes.map(poolsOf);
  return [
    ...checkShape(file),
    ...checkInherited([], file),
    ...scopes.flatMap(checkScope),
    ...checkSameTarget(scopes),
    ...pools.flatMap((inCluster) => [
      ...inCluster.flatMap((pool) => checkPool(pool, options)),
      ...checkSharedNodes(inCluster),
    ]),
    ...checkCaps(file, scopes, options.folder),
  ];
}

function checkNames(
  path: SettingPath,
  mapping: unknown,
  check: (name: string) => string | undefined,
): Problem[] {
  return Object.keys(mappingOf(mapping) ?? {}).flatMap((name) => {
    const message = check(name);
    return message === undefined ? [] : [{ path: [...path, name], isAboutKey: true, message }];
  });
}

function checkShape(file: Mapping): Problem[] {
  if (!Object.hasOwn(file, 'clusters')) {
    return [];
  }
  const problems = checkNames(['clusters'], file['clusters'], checkClusterName);
  for (const key of ['cluster', 'nodePools']) {
    if (Object.hasOwn(file, key)) {
      problems.push(about([key], `stands beside \`clusters\`: move it into the cluster it belongs to`));
    }
  }
  if (isEmptyMapping(file['clusters'])) {
    problems.push(about(['clusters'], 'names no cluster'));
  }
  return problems;
}

/** What the file may say, and a cluster of a fleet again. */
function checkInherited(path: SettingPath, value: Mapping): Problem[] {
  return [
    ...(Object.hasOwn(value, 'calendarId') && Object.hasOwn(value, 'calendarUrl')
      ? [about([...path, 'calendarUrl'], 'stands beside `calendarId`: keep one of the two')]
      : []),
    ...checkTolerations([...path, 'tolerations'], value['tolerations']),
  ];
}

function checkScope({ path, value }: Scope): Problem[] {
  const isOfFleet = path.length > 0;
  const problems = checkNames([...path, 'nodePools'], value['nodePools'], checkPoolName);
  if (isOfFleet) {
    problems.push(...checkInherited(path, value));
  }
  if (isOfFleet && !Object.hasOwn(value, 'cluster')) {
    problems.push(about([...path, 'cluster'], 'is missing: write projects/P/locations/L/clusters/C'));
  }
  if (!Object.hasOwn(value, 'nodePools')) {
    problems.push(about([...path, 'nodePools'], 'is missing: name at least one pool'));
  } else if (isEmptyMapping(value['nodePools'])) {
    problems.push(about([...path, 'nodePools'], 'names no pool'));
  }
  return problems;
}

/** Two entries for one cluster would write the same Deployments in turn, and count each other's nodes as their own. */
function checkSameTarget(scopes: readonly Scope[]): Problem[] {
  const seen = new Map<string, SettingPath>();
  const problems: Problem[] = [];
  for (const { path, value } of scopes) {
    const { cluster } = value;
    const target = typeof cluster === 'string' ? parseClusterTarget(cluster, '') : undefined;
    // Each embedded cluster is one of its own.
    if (target === undefined || target.kind === 'embedded') {
      continue;
    }
    // A GKE cluster can be written in three ways.
    const key = JSON.stringify(target);
    const earlier = seen.get(key);
    if (earlier !== undefined) {
      problems.push(
        about([...path, 'cluster'], `is the cluster of \`${formatPath(earlier)}\`: merge the two`),
      );
    }
    seen.set(key, path);
  }
  return problems;
}

function checkPool(pool: PoolScope, options: CheckOptions): Problem[] {
  return [
    ...checkReplicas(pool),
    ...checkNodeSelector(pool),
    ...checkTolerations([...pool.path, 'tolerations'], pool.value['tolerations']),
    ...(options.mayLackRequests ? [] : checkRequests(pool)),
  ];
}

function checkReplicas({ path, value }: PoolScope): Problem[] {
  const { replicas, maxReplicas = DEFAULTS.maxReplicas } = value;
  return typeof replicas === 'number' && typeof maxReplicas === 'number' && replicas > maxReplicas
    ? [
        about(
          [...path, 'replicas'],
          `is ${replicas}, above \`maxReplicas\` (${maxReplicas}): raise that or lower this`,
        ),
      ]
    : [];
}

function checkNodeSelector({ path, value, selectorKey }: PoolScope): Problem[] {
  const selector = mappingOf(value['nodeSelector']);
  return selector === undefined || Object.hasOwn(selector, selectorKey)
    ? []
    : [
        about(
          [...path, 'nodeSelector'],
          `lacks \`${selectorKey}\`, the label that tells pools apart: add it, or set \`nodePoolSelectorKey\``,
        ),
      ];
}

function checkRequests({ path, value, name }: PoolScope): Problem[] {
  const isAbsent = value['resources'] === undefined;
  const resources = mappingOf(value['resources']);
  if (!isAbsent && resources === undefined) {
    return [];
  }
  const requests = resources?.['requests'];
  return requests === undefined || isEmptyMapping(requests)
    ? [
        about(
          [...path, 'resources', 'requests'],
          `is missing: a placeholder must nearly fill a node (\`size --pool ${name}\` works out how much)`,
        ),
      ]
    : [];
}

/** The API server would refuse such a toleration, and with it every apply. */
function checkTolerations(path: SettingPath, tolerations: unknown): Problem[] {
  return listOf(tolerations).flatMap((entry, index) => {
    const toleration = mappingOf(entry);
    return toleration === undefined ? [] : checkToleration([...path, index], toleration);
  });
}

function checkToleration(path: SettingPath, toleration: Mapping): Problem[] {
  const { key, operator = 'Equal', value = '', effect, tolerationSeconds } = toleration;
  const problems: Problem[] = [];
  if (key === undefined && operator !== 'Exists') {
    problems.push(about(path, 'has no `key`; without one, `operator` must be Exists'));
  }
  if (operator === 'Exists' && value !== '') {
    problems.push(
      about([...path, 'value'], 'is not compared with `operator: Exists`: remove one of the two'),
    );
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    problems.push(about([...path, 'tolerationSeconds'], 'needs `effect: NoExecute`'));
  }
  return problems;
}

/** Each node with room would be counted for both pools, and both would hold too few placeholders. */
function checkSharedNodes(pools: readonly PoolScope[]): Problem[] {
  const owners = new Map<string, string>();
  const problems: Problem[] = [];
  for (const { path, name, value, selectorKey } of pools) {
    const label = textOr(mappingOf(value['nodeSelector'])?.[selectorKey], name);
    const owner = owners.get(label);
    if (owner !== undefined) {
      problems.push(
        about(
          path,
          `selects the nodes of \`${owner}\` (${selectorKey}: ${label}), whose room would count twice: ` +
            'give each its own label, or make one pool of the two',
        ),
      );
    }
    owners.set(label, owner ?? name);
  }
  return problems;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isEmptyMapping(value: unknown): boolean {
  return mappingOf(value) !== undefined && Object.keys(mappingOf(value) ?? {}).length === 0;
}
