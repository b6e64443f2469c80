/**
 * `npm run bench`: every figure that the project claims, measured here and now.
 *
 *     npm run bench                          all scenarios, as tables
 *     npm run bench -- --only fleet --json   one of them, as JSON
 *     npm run bench -- --only fleet --runs 1 each process once
 *     npm run bench -- --smoke --json        small and quick, for CI: fails on a wrong count, never on time
 */
import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMet, wrongCounts } from './bench/figure.ts';
import type { Findings } from './bench/figure.ts';
import { describeMachine } from './bench/machine.ts';
import { describeProgram } from './bench/program.ts';
import type { BenchContext, Scenario } from './bench/scenario.ts';
import { SCENARIOS } from './bench/scenarios.ts';
import { findingsText, machineText } from './bench/table.ts';
import { readCount, readFlags, refuse } from './flags.ts';

interface BenchOptions {
  readonly scenarios: readonly Scenario[];
  readonly isSmoke: boolean;
  readonly isJson: boolean;
  readonly runs: number | undefined;
}

interface Result extends Findings {
  readonly scenario: string;
  readonly about: string;
}

const USAGE = 'npm run bench -- [--only SCENARIO]... [--runs N] [--smoke] [--json]';

function readOptions(): BenchOptions {
  const values = readFlags(USAGE, {
    only: { type: 'string', multiple: true },
    smoke: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    runs: { type: 'string' },
  });
  const known = SCENARIOS.map(({ name }) => name);
  const unknown = values.only?.find((name) => !known.includes(name));
  if (unknown !== undefined) refuse(`--only ${unknown}: there are ${known.join(', ')}`, USAGE);
  const lacking = SCENARIOS.find(({ name, lacks }) => values.only?.includes(name) && lacks?.() !== undefined);
  if (lacking !== undefined) refuse(`--only ${lacking.name}: ${lacking.lacks?.() ?? ''}`, USAGE);
  const scenarios = SCENARIOS.filter(
    ({ name, takesLong }) => values.only?.includes(name) ?? !(values.smoke && takesLong === true),
  );
  const runs = values.runs === undefined ? undefined : readCount('--runs', values.runs, USAGE);
  return { scenarios, isSmoke: values.smoke, isJson: values.json, runs };
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A run that is broken off, or that nobody reads any more (`| head`), leaves as little behind as one that ends. */
function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      process.exit(128 + constants.signals[signal]);
    });
  }
  process.stdout.once('error', () => {
    process.exit(128 + constants.signals.SIGPIPE);
  });
}

async function runAll({ scenarios, isSmoke, isJson, runs }: BenchOptions): Promise<readonly Result[]> {
  const root = mkdtempSync(join(tmpdir(), 'bench-'));
  process.once('exit', () => {
    rmSync(root, { recursive: true, force: true });
  });
  const results: Result[] = [];
  for (const scenario of scenarios) {
    const { name, about } = scenario;
    say(`${name} …`);
    const folder = join(root, name);
    mkdirSync(folder);
    const progress = (text: string) => {
      say(`  ${text}`);
    };
    const findings = await runOne(scenario, { isSmoke, runs, folder, say: progress });
    results.push({ scenario: name, about, ...findings });
    if (!isJson) process.stdout.write(`\n${findingsText(name, about, findings)}\n`);
  }
  return results;
}

/** One that breaks keeps nobody from the others, nor from their results. */
async function runOne(scenario: Scenario, context: BenchContext): Promise<Findings> {
  try {
    return await scenario.run(context);
  } catch (error) {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    const count = { name: `${scenario.name}: came to its end`, expected: 1, found: 0 };
    return { figures: [], counts: [count], bars: [], notes: [] };
  }
}

async function main(): Promise<void> {
  exitOnSignals();
  const options = readOptions();
  const machine = describeMachine();
  say(`${machineText(machine)}; ${describeProgram()}`);
  const results = await runAll(options);
  const wrong = wrongCounts(results);
  if (options.isJson) {
    const judged = results.map(({ bars, ...result }) => ({
      ...result,
      bars: bars.map((bar) => ({ ...bar, isMet: isMet(bar) })),
    }));
    process.stdout.write(
      `${JSON.stringify({ machine, program: describeProgram(), results: judged }, undefined, 2)}\n`,
    );
  }
  for (const { name, expected, found } of wrong) say(`wrong count: ${name}: ${found}, not ${expected}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

await main();
