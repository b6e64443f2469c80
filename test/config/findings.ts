import { ConfigError, type ConfigFinding } from '../../functions/errors.ts';
import { type LoadOptions, parseSettings } from '../../functions/config/load.ts';
import type { Settings } from '../../functions/config/settings.ts';

const OPTIONS: LoadOptions = { kubeconfigPath: '/home/me/.kube/config' };

export function parse(text: string, options: Partial<LoadOptions> = {}): Settings {
  return parseSettings(
    text,
    { source: 'config.yaml', folder: '/etc/autoscaler' },
    { ...OPTIONS, ...options },
  );
}

/** What the text is refused for; a test that expects findings fails when there are none. */
export function findingsOf(text: string, options: Partial<LoadOptions> = {}): readonly ConfigFinding[] {
  try {
    parse(text, options);
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.findings;
    }
    throw error;
  }
  throw new Error('the config was accepted');
}

export function formatFindings(findings: readonly ConfigFinding[]): string {
  return findings
    .map(
      ({ path, line, column, message }) =>
        `${line ?? '-'}:${column ?? '-'} ${path === '' ? '(file)' : path}: ${message}\n`,
    )
    .join('');
}
