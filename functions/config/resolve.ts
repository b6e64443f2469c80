/** A valid config into settings: defaults applied, a pool inheriting from its cluster and a cluster from the file. */
import type { Cap, CapName } from '../domain/cap.ts';
import type { PlaceholderSettings, Toleration } from '../domain/placeholder.ts';
import type { PoolSettings } from '../domain/pool.ts';
import type { SettingPath } from './path.ts';
import { type ClusterConfig, type Config, DEFAULTS, type PoolConfig } from './schema.ts';
import type { CalendarSettings, ClusterSettings, ManagedPool, Settings } from './settings.ts';
import { parseCalendarSource } from './sources.ts';
import { parseClusterTarget } from './target.ts';

export interface ResolveOptions {
  /** How the config is named in messages. */
  readonly source: string;
  /** Folder that a relative calendar file is found from. */
  readonly folder: string;
  /** The file, or colon-separated files, that `kubeconfig` stands for. */
  readonly kubeconfigPath: string;
  readonly notices: readonly string[];
  /** Keys of the mapping at a path, in the order of the file. */
  readonly listKeys: (path: SettingPath) => readonly string[];
}

/** What a cluster says, else the file: every key but those of one level only. */
type Layer = ClusterConfig;
type NamedLayer = readonly [name: string, layer: Layer];

/** Where a config with neither `cluster` nor `clusters` acts: where kubectl and helm would. */
const DEFAULT_TARGET = 'kubeconfig';

export function resolveSettings(config: Config, options: ResolveOptions): Settings {
  const { clusters, ...file } = config;
  const layers: readonly NamedLayer[] =
    clusters === undefined
      ? [['default', file]]
      : inFileOrder(clusters, options.listKeys(['clusters'])).map(([name, cluster]) => [
          name,
          overlay(file, cluster),
        ]);
  return {
    source: options.source,
    caps: resolveCaps(config, layers, options.folder),
    clusters: layers.map(([name, layer]) => {
      const path = clusters === undefined ? ['nodePools'] : ['clusters', name, 'nodePools'];
      return resolveCluster(name, layer, { ...options, poolNames: options.listKeys(path) });
    }),
    notices: [...options.notices, ...noticesOf(config)],
  };
}

/** Each calendar's own in config order, then the one over all. */
function resolveCaps(
  { maxReplicasTotal }: Config,
  layers: readonly NamedLayer[],
  folder: string,
): readonly Cap[] {
  const sharers = Map.groupBy(layers, ([, layer]) => JSON.stringify(parseCalendarSource(layer, folder)));
  return [
    ...[...sharers.values()].flatMap((members) =>
      // The checks have seen to it that all of them have the same.
      capOver('calendarMaxReplicas', members[0]?.[1].calendarMaxReplicas, members),
    ),
    ...capOver('maxReplicasTotal', maxReplicasTotal, layers),
  ];
}

function capOver(name: CapName, most: number | undefined, layers: readonly NamedLayer[]): readonly Cap[] {
  return most === undefined ? [] : [{ name, most, clusters: new Set(layers.map(([cluster]) => cluster)) }];
}

function inFileOrder<Value>(
  mapping: Readonly<Record<string, Value>>,
  keys: readonly string[],
): readonly (readonly [string, Value])[] {
  return Object.entries(mapping).sort(([one], [other]) => keys.indexOf(one) - keys.indexOf(other));
}

/** A cluster that names a calendar of its own does not also read the file's, nor is it under that one's cap. */
function overlay(file: Layer, cluster: ClusterConfig): Layer {
  const hasCalendar = cluster.calendarId !== undefined || cluster.calendarUrl !== undefined;
  const { calendarId, calendarUrl, calendarMaxReplicas, ...rest } = file;
  return hasCalendar
    ? { ...rest, ...cluster }
    : { ...rest, ...definedOnly({ calendarId, calendarUrl, calendarMaxReplicas }), ...cluster };
}

type Defined<Value> = { [Key in keyof Value]?: Exclude<Value[Key], undefined> };

/** Without keys that stand for nothing, so that a spread never puts undefined over a value. */
function definedOnly<Value extends object>(value: Value): Defined<Value> {
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  // The type of fromEntries forgets which key had which value; nothing was changed but for what is left out.
  return Object.fromEntries(entries) as Defined<Value>;
}

function resolveCluster(
  name: string,
  layer: Layer,
  options: ResolveOptions & { readonly poolNames: readonly string[] },
): ClusterSettings {
  const target = parseClusterTarget(layer.cluster ?? DEFAULT_TARGET, options.kubeconfigPath);
  if (target === undefined) {
    throw new TypeError(`cluster target of ${name} passed the schema but cannot be read`);
  }
  const own = { ...DEFAULTS, ...definedOnly(layer) };
  return {
    name,
    target,
    calendar: resolveCalendar(layer, options.folder),
    namespace: own.namespace,
    nodePoolSelectorKey: own.nodePoolSelectorKey,
    priorityClassName: own.priorityClassName,
    warmFirst: own.warmFirst,
    userImages: own.userImages,
    imagePullerSelectors: own.imagePullerSelectors,
    userPodSelectors: own.userPodSelectors,
    pools: inFileOrder(layer.nodePools ?? {}, options.poolNames).map(([poolName, pool]) =>
      resolvePool(poolName, pool, layer),
    ),
  };
}

function resolveCalendar(layer: Layer, folder: string): CalendarSettings | undefined {
  const source = parseCalendarSource(layer, folder);
  return source === undefined
    ? undefined
    : {
        source,
        timeZone: layer.calendarTimezone,
        staleAfterSeconds: layer.calendarStaleAfter ?? DEFAULTS.calendarStaleAfter,
      };
}

function resolvePool(name: string, pool: PoolConfig, layer: Layer): ManagedPool {
  const selectorKey = layer.nodePoolSelectorKey ?? DEFAULTS.nodePoolSelectorKey;
  const nodeSelector = pool.nodeSelector ?? { [selectorKey]: name };
  return {
    settings: resolvePoolSettings({ name, nodeLabel: nodeSelector[selectorKey] ?? name }, pool, layer),
    placeholder: resolvePlaceholder({ poolName: name, nodeSelector }, pool, layer),
  };
}

function resolvePoolSettings(
  identity: Pick<PoolSettings, 'name' | 'nodeLabel'>,
  pool: PoolConfig,
  layer: Layer,
): PoolSettings {
  const own = { ...DEFAULTS, ...definedOnly(layer), ...definedOnly(pool) };
  return {
    ...identity,
    scalingStrategy: own.scalingStrategy,
    cpuThreshold: own.cpuThreshold,
    memoryThreshold: own.memoryThreshold,
    nodeGraceSeconds: own.nodeGracePeriod,
    baseline: own.replicas,
    maxReplicas: own.maxReplicas,
    calendarOverrideEnabled: own.calendarOverrideEnabled,
    warmFirst: own.warmFirst,
    nodeWarmSeconds: own.nodeWarmSeconds,
  };
}

function resolvePlaceholder(
  identity: Pick<PlaceholderSettings, 'poolName' | 'nodeSelector'>,
  pool: PoolConfig,
  layer: Layer,
): PlaceholderSettings {
  return {
    ...identity,
    namespace: layer.namespace ?? DEFAULTS.namespace,
    image: layer.placeholderImage ?? DEFAULTS.placeholderImage,
    priorityClassName: layer.priorityClassName ?? DEFAULTS.priorityClassName,
    requests: toTexts(pool.resources?.requests),
    limits: toTexts(pool.resources?.limits),
    tolerations: mergeTolerations(layer.tolerations ?? DEFAULTS.tolerations, pool.tolerations ?? []),
  };
}

function toTexts(quantities: Readonly<Record<string, string | number>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(quantities).map(([name, value]) => [name, String(value)]));
}

/** Tolerations add up, as in Kubernetes; one that is written twice is kept once. */
function mergeTolerations(ours: readonly Toleration[], pools: readonly Toleration[]): readonly Toleration[] {
  const distinct = new Map([...ours, ...pools].map((one) => [fingerprint(one), one]));
  return [...distinct.values()];
}

function fingerprint({ key, operator, value, effect, tolerationSeconds }: Toleration): string {
  return JSON.stringify([key, operator ?? 'Equal', value, effect, tolerationSeconds]);
}

function noticesOf(config: Config): readonly string[] {
  return config.cluster === undefined && config.clusters === undefined
    ? ['No `cluster` is set: acting on the current context of the kubeconfig']
    : [];
}
