/** Settings that are allowed and yet probably not meant: told, not refused. */
import { formatPath, type SettingPath } from './path.ts';
import { isImplausibleMemory } from './resources.ts';
import type { ClusterConfig, Config } from './schema.ts';

export function noticeOddities(config: Config): readonly string[] {
  const scopes: readonly (readonly [SettingPath, ClusterConfig])[] =
    config.clusters === undefined
      ? [[[], config]]
      : Object.entries(config.clusters).map(([name, cluster]) => [['clusters', name], cluster]);
  return [
    ...noticeNoCalendar(
      config,
      scopes.map(([, cluster]) => cluster),
    ),
    ...scopes.flatMap(([path, cluster]) => noticeSmallMemory(path, cluster)),
  ];
}

function noticeNoCalendar(config: Config, clusters: readonly ClusterConfig[]): readonly string[] {
  const hasCalendar = [config, ...clusters].some((one) => (one.calendarId ?? one.calendarUrl) !== undefined);
  return hasCalendar ? [] : ['No calendar is set (`calendarId` or `calendarUrl`): only the baselines count'];
}

function noticeSmallMemory(path: SettingPath, cluster: ClusterConfig): readonly string[] {
  return Object.entries(cluster.nodePools ?? {}).flatMap(([name, pool]) => {
    const memory = pool.resources?.requests?.['memory'];
    const at = formatPath([...path, 'nodePools', name, 'resources', 'requests', 'memory']);
    return memory !== undefined && isImplausibleMemory(memory)
      ? [`${at} is ${memory} bytes: is a unit such as Gi missing?`]
      : [];
  });
}
