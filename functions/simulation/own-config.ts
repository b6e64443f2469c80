/** The config that a scenario may bring along; what is wrong with it is told under its path in the scenario. */
import { stringify } from 'yaml';
import type { ConfigDocument } from '../config/document.ts';
import { parseSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import type { ConfigFinding } from '../errors.ts';
import { ConfigError } from '../errors.ts';

export interface OwnConfig {
  /** Undefined: there is none, or it is not valid. */
  readonly settings: Settings | undefined;
  readonly findings: readonly ConfigFinding[];
}

const NO_CONFIG: OwnConfig = { settings: undefined, findings: [] };

export function readOwnConfig(document: ConfigDocument, source: string): OwnConfig {
  const config = configOf(document.value);
  if (config === undefined) return NO_CONFIG;
  const text = stringify({ cluster: 'embedded', ...config });
  try {
    return {
      ...NO_CONFIG,
      settings: parseSettings(text, { source, folder: '.' }, { kubeconfigPath: '' }),
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { ...NO_CONFIG, findings: error.findings.map((finding) => place(finding, document)) };
  }
}

function place(finding: ConfigFinding, document: ConfigDocument): ConfigFinding {
  const position = document.locateValue(['config', ...finding.path.split('.')]);
  const path = finding.path === '' ? 'config' : `config.${finding.path}`;
  return { ...finding, path, line: position?.line, column: position?.column };
}

/** What is no mapping at all is the schema's to refuse. */
function configOf(root: unknown): object | undefined {
  if (typeof root !== 'object' || root === null || !('config' in root)) return undefined;
  const { config } = root;
  return typeof config === 'object' && config !== null && !Array.isArray(config) ? config : undefined;
}
