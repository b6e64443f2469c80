/** The program under test, and files that tell it where to look. */
import { existsSync, globSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNode } from './child-run.ts';
import type { ChildRun } from './child-run.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const BUNDLE = join(ROOT, 'dist', 'main.mjs');
const SOURCE = join(ROOT, 'functions', 'main.ts');

/** What the image runs; from the sources where nothing was built. */
export function programPath(): string {
  return existsSync(BUNDLE) ? BUNDLE : SOURCE;
}

export function describeProgram(): string {
  if (!existsSync(BUNDLE)) return 'functions/main.ts (nothing is built: `npm run build`)';
  const newer = newerSource(statSync(BUNDLE).mtimeMs);
  return newer === undefined ? 'dist/main.mjs' : `dist/main.mjs, OLDER than ${newer}: \`npm run build\``;
}

/** Scenarios that are no processes run the sources, so an old bundle would be measured beside a new program. */
function newerSource(builtAtMs: number): string | undefined {
  const files = globSync('functions/**/*.ts', { cwd: ROOT });
  return files.find((file) => statSync(join(ROOT, file)).mtimeMs > builtAtMs);
}

export interface ClusterFile {
  readonly server: string;
  readonly caFile: string;
  readonly token: string;
}

export interface PassFiles {
  /** Arguments of the program. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface PassFilesOptions {
  readonly folder: string;
  /** By the name of its context. */
  readonly clusters: Readonly<Record<string, ClusterFile>>;
  /** YAML: `cluster` or `clusters`, pools and whatever else. */
  readonly config: string;
  /** As `--state` takes it. */
  readonly state: string;
  /** A file with one weekly class, unless the config names a calendar of its own. */
  readonly calendar?: 'none';
}

/** One event that asks for nothing special, so that a calendar is read as in every pass. */
const CALENDAR = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//bench//EN',
  'BEGIN:VEVENT',
  'UID:bench-1',
  'DTSTAMP:20260101T000000Z',
  'DTSTART:20260101T080000Z',
  'DTEND:20260101T100000Z',
  'RRULE:FREQ=WEEKLY',
  'SUMMARY:Monday class',
  'DESCRIPTION:base: 1',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

export function writePassFiles(options: PassFilesOptions): PassFiles {
  const { folder, clusters, config, state, calendar } = options;
  mkdirSync(folder, { recursive: true });
  const kubeconfig = join(folder, 'kubeconfig.json');
  const configFile = join(folder, 'config.yaml');
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(clusters)));
  writeFileSync(join(folder, 'calendar.ics'), CALENDAR);
  writeFileSync(configFile, calendar === 'none' ? config : `calendarUrl: calendar.ics\n${config}`);
  const args = ['pass', '--config', configFile, '--state', state, '--log-format', 'json'];
  return { args, env: { KUBECONFIG: kubeconfig } };
}

function kubeconfigOf(clusters: PassFilesOptions['clusters']): unknown {
  const entries = Object.entries(clusters);
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': entries[0]?.[0],
    clusters: entries.map(([name, { server, caFile }]) => ({
      name,
      cluster: { server, 'certificate-authority': caFile },
    })),
    users: entries.map(([name, { token }]) => ({ name, user: { token } })),
    contexts: entries.map(([name]) => ({ name, context: { cluster: name, user: name } })),
  };
}

export interface LogLine {
  readonly severity?: string;
  readonly message?: string;
  readonly [field: string]: unknown;
}

export interface PassRun extends ChildRun {
  readonly lines: readonly LogLine[];
}

export interface PassRunOptions {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly onSpawn?: ((pid: number) => void) | undefined;
}

/** One pass, as a process. */
export async function runProgram(files: PassFiles, options: PassRunOptions): Promise<PassRun> {
  const run = await runNode([programPath(), ...files.args], {
    ...options,
    env: { ...files.env, ...options.env },
  });
  const lines = run.output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine);
  return { ...run, lines };
}

/** @throws when the pass did not do what a bench relies on, with its own words. */
export function assertExit(run: PassRun, exitCode: number): PassRun {
  if (run.exitCode === exitCode) return run;
  throw new Error(
    `the pass ended with ${run.exitCode ?? 'a signal'}, not ${exitCode}:\n${run.output}${run.errors}`,
  );
}
