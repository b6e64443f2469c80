/** `size`: what a placeholder should request, read from the nodes of a real cluster. Writes nothing. */
import type { ClusterSettings, ManagedPool } from '../config/settings.ts';
import { closestName } from '../domain/closest-name.ts';
import { ConfigError, EXIT } from '../errors.ts';
import type { ClusterQuery, ClusterReading } from '../ports.ts';
import type { SizeArguments } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { createOpeners, type Openers } from './openers.ts';
import { adviseSize } from './size-advice.ts';
import { describeSize } from './size-text.ts';

const READ_MILLIS = 50_000;

/**
 * @returns 1 when nothing can be recommended.
 * @throws ConfigError for a name that the config does not have, ClusterError when the cluster cannot be read
 */
export async function runSize(
  context: CommandContext,
  chosen: SizeArguments,
  { openCluster }: Pick<Openers, 'openCluster'> = createOpeners(context),
): Promise<number> {
  const { clusters } = context.settings;
  const settings = chooseCluster(clusters, chosen);
  const signal = AbortSignal.any([context.stop, AbortSignal.timeout(READ_MILLIS)]);
  const cluster = await openCluster(settings, signal);
  try {
    const reading = await cluster.read(queryOf(settings, chosen), signal);
    const { pool, nodes } = chooseNodes(settings, chosen, reading);
    const advice = adviseSize(pool, { nodes, usage: reading.usage });
    context.print(describeSize(advice, { cluster: clusters.length > 1 ? settings.name : undefined }));
    return advice.memoryBytes === undefined ? EXIT.failed : EXIT.ok;
  } finally {
    await cluster.close();
  }
}

function chooseCluster(
  clusters: readonly ClusterSettings[],
  { cluster, of }: SizeArguments,
): ClusterSettings {
  const names = clusters.map(({ name }) => name);
  const named = clusters.filter(({ name }) => cluster === undefined || name === cluster);
  if (named.length === 0) {
    throw refuse('--cluster', `no such cluster: \`${cluster ?? ''}\`${hint(cluster ?? '', names)}`);
  }
  const [only, ...others] = named.filter(
    ({ pools }) => of.kind === 'node' || pools.some(({ settings }) => settings.name === of.name),
  );
  if (only === undefined) {
    const pools = new Set(named.flatMap((one) => one.pools.map(({ settings }) => settings.name)));
    const place = cluster === undefined ? '' : ` in cluster ${cluster}`;
    throw refuse('--pool', `no such pool${place}: \`${of.name}\`${hint(of.name, [...pools])}`);
  }
  if (others.length > 0) {
    throw refuse('--cluster', `is needed, since the config has several clusters: ${names.join(', ')}`);
  }
  return only;
}

function queryOf(settings: ClusterSettings, { of }: SizeArguments): ClusterQuery {
  const { namespace, nodePoolSelectorKey, priorityClassName, userImages } = settings;
  const { imagePullerSelectors, userPodSelectors } = settings;
  const pools =
    of.kind === 'node' ? settings.pools : settings.pools.filter((pool) => pool.settings.name === of.name);
  return {
    namespace,
    nodePoolSelectorKey,
    priorityClassName,
    userImages,
    imagePullerSelectors,
    userPodSelectors,
    nodeLabels: pools.map((pool) => pool.settings.nodeLabel),
    withObjects: false,
  };
}

function chooseNodes(
  { pools, nodePoolSelectorKey }: ClusterSettings,
  { of }: SizeArguments,
  { nodes }: ClusterReading,
): { readonly pool: ManagedPool; readonly nodes: ClusterReading['nodes'] } {
  const named = nodes.filter((node) => of.kind === 'pool' || node.name === of.name);
  const pool = pools.find(({ settings }) =>
    of.kind === 'pool' ? settings.name === of.name : settings.nodeLabel === named[0]?.poolLabel,
  );
  if (pool !== undefined && named.length > 0) {
    return { pool, nodes: named };
  }
  const known = nodes.map(({ name }) => name);
  throw of.kind === 'node'
    ? refuse('size NODE', `names no node in a pool of the config: \`${of.name}\`${hint(of.name, known)}`)
    : refuse(
        '--pool',
        `pool \`${of.name}\` has no node now (${nodePoolSelectorKey}=${pool?.settings.nodeLabel ?? of.name}): start one and ask again`,
      );
}

function hint(name: string, known: readonly string[]): string {
  const near = closestName(name, known);
  if (near !== undefined) {
    return `; did you mean \`${near}\`?`;
  }
  return known.length === 0 ? '' : `; there are ${known.slice(0, 10).join(', ')}`;
}

function refuse(path: string, message: string): ConfigError {
  return new ConfigError('command line', [{ path, line: undefined, column: undefined, message }]);
}
