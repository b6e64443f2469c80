/**
 * The configuration as it is read at the start of each pass. Either settings, or every problem at once, each
 * with its path, line, column and fix: nobody should have to start a program ten times to correct ten lines.
 */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError, type ConfigFinding } from '../errors.ts';
import { unwrapChart } from './chart.ts';
import { findContradictions } from './checks.ts';
import { type ConfigDocument, readDocument } from './document.ts';
import { explainIssue, type Problem } from './explain.ts';
import { noticeOddities } from './notices.ts';
import { formatPath, type SettingPath } from './path.ts';
import { resolveSettings } from './resolve.ts';
import { configSchema } from './schema.ts';
import { mappingOf } from './scopes.ts';
import type { Settings } from './settings.ts';

export interface LoadOptions {
  /** The file, or colon-separated files, that `kubeconfig` stands for. */
  readonly kubeconfigPath: string;
  /** For `size`, which works out what to request: pools may lack `resources`. */
  readonly mayLackRequests?: boolean;
}

export interface TextOrigin {
  /** How the text is named in messages. */
  readonly source: string;
  /** Folder that a relative calendar file is found from. */
  readonly folder: string;
}

const MAX_BYTES = 1024 * 1024;
/** More findings than this help nobody. */
const MAX_FINDINGS = 100;

/** @throws ConfigError with everything that is wrong. */
export async function loadSettings(file: string, options: LoadOptions): Promise<Settings> {
  const text = await readConfigFile(file);
  return parseSettings(text, { source: file, folder: path.dirname(path.resolve(file)) }, options);
}

/** @throws ConfigError with everything that is wrong. */
export function parseSettings(text: string, origin: TextOrigin, options: LoadOptions): Settings {
  const read = readDocument(text);
  if (read.kind === 'unreadable') {
    throw configError(origin.source, read.findings);
  }
  const { document } = read;
  if (mappingOf(document.value) === undefined) {
    throw configError(origin.source, [...read.findings, wholeFile(describeNoMapping(document.value))]);
  }
  const { prefix, value, problems, notices } = unwrapChart(document.value);
  const result = configSchema.safeParse(value);
  const issues = result.success ? [] : result.error.issues.flatMap((issue) => explainIssue(issue, value));
  const contradictions = findContradictions(value, {
    mayLackRequests: options.mayLackRequests ?? false,
    folder: origin.folder,
  });
  const findings = [
    ...read.findings,
    ...problems.map((problem) => locate(problem, [], document)),
    ...[...issues, ...contradictions].map((problem) => locate(problem, prefix, document)),
  ];
  if (findings.length > 0 || !result.success) {
    throw configError(origin.source, findings);
  }
  return resolveSettings(result.data, {
    ...origin,
    kubeconfigPath: options.kubeconfigPath,
    notices: [...notices, ...noticeOddities(result.data)],
    listKeys: (path) => document.listKeys([...prefix, ...path]),
  });
}

function locate(problem: Problem, prefix: SettingPath, document: ConfigDocument): ConfigFinding {
  const full = [...prefix, ...problem.path];
  const position = problem.isAboutKey ? document.locateKey(full) : document.locateValue(full);
  return {
    path: formatPath(full),
    line: position?.line,
    column: position?.column,
    message: problem.message,
  };
}

/** In the order of the file, the first of those at one place and path only. */
function configError(source: string, findings: readonly ConfigFinding[]): ConfigError {
  const distinct = new Map<string, ConfigFinding>();
  for (const finding of findings) {
    const key = `${finding.path}:${finding.line ?? 0}:${finding.column ?? 0}`;
    distinct.set(key, distinct.get(key) ?? finding);
  }
  const sorted = [...distinct.values()].sort(
    (one, other) => (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0),
  );
  const left = sorted.length - MAX_FINDINGS;
  return new ConfigError(
    source,
    left > 0 ? [...sorted.slice(0, MAX_FINDINGS), wholeFile(`and ${left} more problems`)] : sorted,
  );
}

function describeNoMapping(value: unknown): string {
  return value === null || value === undefined
    ? 'is empty: write at least `nodePools`'
    : 'is not a mapping: write settings as `key: value`, one a line';
}

function wholeFile(message: string): ConfigFinding {
  return { path: '', line: undefined, column: undefined, message };
}

async function readConfigFile(file: string): Promise<string> {
  const { size } = await attempt(file, () => stat(file));
  if (size > MAX_BYTES) {
    throw unreadable(file, `has ${size} bytes; a config may have ${MAX_BYTES}`);
  }
  const bytes = await attempt(file, () => readFile(file));
  try {
    // Decoding also drops a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadable(file, 'is not UTF-8 text: save it as UTF-8', error);
  }
}

async function attempt<Result>(file: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    throw unreadable(file, explainReadFailure(error), error);
  }
}

function explainReadFailure(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  switch (code) {
    case 'ENOENT':
      return 'does not exist: give the path of the config with --config or CONFIG_PATH';
    case 'EISDIR':
      return 'is a folder: give the file inside it with --config or CONFIG_PATH';
    case 'EACCES':
      return 'may not be read by this user: check its permissions';
    default:
      return `cannot be read (${code}): give the path of the config with --config or CONFIG_PATH`;
  }
}

function unreadable(file: string, message: string, cause?: unknown): ConfigError {
  const error = new ConfigError(file, [wholeFile(message)]);
  error.cause = cause;
  return error;
}
