/**
 * The values file of the in-cluster Helm chart that this program replaces works as it is: its block may stand
 * under the chart's name or bare, and keys that only say how the chart is installed are accepted and named.
 */
import type { Problem } from './explain.ts';
import type { SettingPath } from './path.ts';
import { KEYS } from './schema.ts';
import { mappingOf } from './scopes.ts';

export const CHART_NAME = 'node-placeholder-scaler';

export interface UnwrappedConfig {
  /** Path of the settings in the file: empty, or the chart's name. */
  readonly prefix: SettingPath;
  readonly value: unknown;
  readonly problems: readonly Problem[];
  readonly notices: readonly string[];
}

export function unwrapChart(root: unknown): UnwrappedConfig {
  const file = mappingOf(root);
  if (file === undefined || !Object.hasOwn(file, CHART_NAME)) {
    return { prefix: [], value: root, problems: [], notices: noticeChartKeys(root) };
  }
  const { [CHART_NAME]: value, ...beside } = file;
  const settings = Object.keys(beside).filter((key) => KEYS.file.includes(key));
  const others = Object.keys(beside).filter((key) => !KEYS.file.includes(key));
  return {
    prefix: [CHART_NAME],
    value,
    problems: settings.map((key) => ({
      path: [key],
      isAboutKey: true,
      message: `stands beside \`${CHART_NAME}:\`: indent it below`,
    })),
    notices: [
      ...(others.length === 0 ? [] : [`Keys beside ${CHART_NAME} have no effect here: ${others.join(', ')}`]),
      ...noticeChartKeys(value),
    ],
  };
}

function noticeChartKeys(value: unknown): readonly string[] {
  const keys = Object.keys(mappingOf(value) ?? {}).filter((key) => KEYS.chartOnly.includes(key));
  return keys.length === 0 ? [] : [`Keys of the Helm chart that have no effect here: ${keys.join(', ')}`];
}
