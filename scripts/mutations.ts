/**
 * Shows that the tests can fail: `npm run test:mutations`. Each mutation is one plausible mistake, made in a copy of
 * the project; at least one test that passes without it must go red. `--only TEXT` runs those whose name has TEXT.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readFlags, refuse } from './flags.ts';
import type { Mutation } from './mutation-list.ts';
import { MUTATIONS } from './mutation-list.ts';

const ROOT = join(import.meta.dirname, '..');
const COPIED = ['functions', 'test', 'infra', 'scripts', 'package.json', 'tsconfig.json', 'vitest.config.ts'];

interface Run {
  readonly passed: number;
  readonly failed: number;
  readonly firstFailure: string | undefined;
}

const USAGE = 'npm run test:mutations -- [--only TEXT]';
const { only } = readFlags(USAGE, { only: { type: 'string', default: '' } });
const chosen = MUTATIONS.filter(({ name }) => name.includes(only));
if (chosen.length === 0) refuse(`--only ${only}: no mutation has that in its name`, USAGE);
process.exitCode = await runMutations(chosen);

async function runMutations(mutations: readonly Mutation[]): Promise<number> {
  const copy = await mkdtemp(join(tmpdir(), 'mutations-'));
  try {
    for (const name of COPIED) await cp(join(ROOT, name), join(copy, name), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    const tests = [...new Set(mutations.flatMap((mutation) => mutation.tests))];
    const sound = await runTests(copy, tests);
    if (sound.failed > 0 || sound.passed === 0) {
      say(`without any mutation the tests fail already: ${sound.firstFailure ?? 'none ran'}`);
      return 1;
    }
    say(`without any mutation ${sound.passed} tests pass`);
    let survivors = 0;
    for (const mutation of mutations) survivors += (await isCaught(copy, mutation)) ? 0 : 1;
    say(`${mutations.length - survivors} of ${mutations.length} mutations turn a test red`);
    return survivors === 0 ? 0 : 1;
  } finally {
    await rm(copy, { recursive: true });
  }
}

async function isCaught(copy: string, { name, file, find, replace, tests }: Mutation): Promise<boolean> {
  const path = join(copy, file);
  const source = await readFile(path, 'utf8');
  if (source.split(find).length !== 2) throw new Error(`${name}: not exactly once in ${file}: ${find}`);
  await writeFile(
    path,
    source.replace(find, () => replace),
  );
  const { failed, firstFailure } = await runTests(copy, tests);
  await writeFile(path, source);
  say(failed > 0 ? `caught    ${name}: ${firstFailure ?? ''}` : `SURVIVED  ${name} (${file})`);
  return failed > 0;
}

/** Counts tests, not files: a file that does not even load proves nothing. */
async function runTests(folder: string, tests: readonly string[]): Promise<Run> {
  const report = join(folder, 'report.json');
  await rm(report, { force: true });
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', ...tests, '--bail', '1', '--reporter', 'json', '--outputFile', report];
  // A failing run exits with 1, which is what is looked for: the report tells.
  await new Promise<void>((resolve) => {
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 }, () => {
      resolve();
    });
  });
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(
    await readFile(report, 'utf8'),
  ) as Report;
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failure = results.find(({ status }) => status === 'failed');
  return { passed: numPassedTests, failed: numFailedTests, firstFailure: failure?.fullName };
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
