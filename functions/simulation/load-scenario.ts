/** Reads a scenario file: the scenario, or everything that is wrong with it, each with its place and fix. */
import { readFile } from 'node:fs/promises';
import type { ConfigDocument } from '../config/document.ts';
import { readDocument } from '../config/document.ts';
import { explainIssue } from '../config/explain.ts';
import type { Problem } from '../config/explain.ts';
import { formatPath } from '../config/path.ts';
import { KEYS } from '../config/schema.ts';
import type { Settings } from '../config/settings.ts';
import { closestName } from '../domain/closest-name.ts';
import type { ConfigFinding } from '../errors.ts';
import { ConfigError } from '../errors.ts';
import type { OwnConfig } from './own-config.ts';
import { readOwnConfig } from './own-config.ts';
import { unknownPools } from './pool-mentions.ts';
import type { ScenarioFile } from './scenario-schema.ts';
import { SCENARIO_KEYS, scenarioSchema } from './scenario-schema.ts';

const EMPTY: ConfigFinding = {
  path: '',
  line: undefined,
  column: undefined,
  message: 'is empty: a scenario has at least name, from and to; ready ones are in examples/scenarios',
};

type Issue = Parameters<typeof explainIssue>[0];

export interface LoadedScenario {
  readonly source: string;
  readonly file: ScenarioFile;
  readonly document: ConfigDocument;
  /** Of the config that is tried: one from elsewhere, or the scenario's own; undefined where there is neither. */
  readonly settings: Settings | undefined;
}

/**
 * @param settings of a config that takes the place of the scenario's own
 * @throws ConfigError
 */
export async function loadScenario(path: string, settings?: Settings): Promise<LoadedScenario> {
  return parseScenario(await readText(path), path, settings);
}

/** @throws ConfigError with everything: what the schema refuses, what the config's does, and pools that are none. */
export function parseScenario(text: string, source: string, elsewhere?: Settings): LoadedScenario {
  const read = readDocument(text);
  if (read.kind === 'unreadable') throw new ConfigError(source, read.findings);
  const { document } = read;
  if (document.value === null || document.value === undefined) throw new ConfigError(source, [EMPTY]);
  const own: OwnConfig =
    elsewhere === undefined ? readOwnConfig(document, source) : { settings: elsewhere, findings: [] };
  const result = scenarioSchema.safeParse(document.value);
  const problems = result.success
    ? []
    : result.error.issues.flatMap((issue) => explain(issue, document.value));
  const pools = own.settings?.clusters.flatMap((cluster) => cluster.pools.map((pool) => pool.settings.name));
  const mentions = pools === undefined ? [] : unknownPools(document.value, pools);
  const findings = [
    ...read.findings,
    ...own.findings,
    ...[...problems, ...mentions].map((problem) => locate(problem, document)),
  ];
  if (findings.length > 0 || !result.success) throw new ConfigError(source, inOrder(findings));
  return { source, file: result.data, document, settings: own.settings };
}

/** A problem found later, with the place in the file where it stands. */
export function locate(problem: Problem, document: ConfigDocument): ConfigFinding {
  const position = problem.isAboutKey ? document.locateKey(problem.path) : document.locateValue(problem.path);
  const { message } = problem;
  return { path: formatPath(problem.path), line: position?.line, column: position?.column, message };
}

function explain(issue: Issue, root: unknown): readonly Problem[] {
  if (issue.code !== 'unrecognized_keys') return explainIssue(issue, root);
  return issue.keys.map((key) => ({
    path: [...issue.path, key],
    isAboutKey: true,
    message: explainKey(issue.path, key),
  }));
}

function explainKey(path: readonly PropertyKey[], key: string): string {
  if (path.length === 0 && KEYS.file.includes(key)) {
    return 'belongs to a config: write it under `config`, or give the config with --config';
  }
  const place = path.findLast((part) => Object.hasOwn(SCENARIO_KEYS, String(part)));
  const known = SCENARIO_KEYS[String(place ?? '')] ?? [];
  const near = closestName(key, known);
  const hint = near === undefined ? `known are ${known.join(', ')}` : `did you mean \`${near}\`?`;
  return `is not a key that is known here; ${hint}`;
}

export function inOrder(findings: readonly ConfigFinding[]): readonly ConfigFinding[] {
  return [...findings].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

const READ_FAILURES: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'does not exist'],
  ['EISDIR', 'is a folder'],
  ['EACCES', 'may not be read by this user'],
]);

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    const what = READ_FAILURES.get(code) ?? `cannot be read (${code})`;
    const message = `${what}: give the path of a scenario with --scenario; ready ones are in examples/scenarios`;
    const error = new ConfigError(path, [{ path: '', line: undefined, column: undefined, message }]);
    error.cause = cause;
    throw error;
  }
}
