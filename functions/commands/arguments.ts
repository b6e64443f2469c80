/**
 * The command line, read once into one value. What is wrong with it is said on stderr with what was probably
 * meant; nothing is looked up, opened or started here.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { closestName } from '../domain/closest-name.ts';
import { EXIT } from '../errors.ts';
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '../log.ts';
import type { Environment } from './context.ts';
import { type GivenTime, parseGivenTime } from './given-time.ts';
import { addSimulate, parseSeed, type SimulateArguments } from './simulate-arguments.ts';

export interface CommonOptions {
  /** Undefined: the embedded default. */
  readonly config: string | undefined;
  /** As `--state` has it; undefined: the command's own default. */
  readonly state: string | undefined;
  readonly logFormat: LogFormat;
  readonly logLevel: LogLevel;
}

export interface PassArguments {
  readonly command: 'pass';
  readonly isDryRun: boolean;
}

export interface PlanArguments {
  readonly command: 'plan';
  readonly days: number;
  /** Undefined: now. */
  readonly from: GivenTime | undefined;
  readonly format: 'text' | 'json';
  readonly isStrict: boolean;
}

export interface SizeArguments {
  readonly command: 'size';
  readonly of:
    { readonly kind: 'node'; readonly name: string } | { readonly kind: 'pool'; readonly name: string };
  /** Undefined: the only one there is. */
  readonly cluster: string | undefined;
}

export interface MorningArguments {
  readonly command: 'morning';
  readonly seed: number;
}

export type CommandArguments =
  PassArguments | PlanArguments | SizeArguments | MorningArguments | SimulateArguments;

export interface Invocation {
  readonly options: CommonOptions;
  readonly arguments: CommandArguments;
}

export type ParsedArguments =
  | { readonly kind: 'run'; readonly invocation: Invocation }
  /** Help or a complaint was written already. */
  | { readonly kind: 'exit'; readonly code: number };

export interface ArgumentWorld {
  /** Without the program's own name. */
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly version: string;
  readonly columns: number;
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
}

export function parseArguments(world: ArgumentWorld): ParsedArguments {
  let invocation: Invocation | undefined;
  const program = createProgram(world, (chosen, command) => {
    const { config, state, logFormat, logLevel } = command.optsWithGlobals<Partial<CommonOptions>>();
    const options = { config, state, logFormat: logFormat ?? 'text', logLevel: logLevel ?? 'info' };
    invocation = { options, arguments: chosen };
  });
  try {
    program.parse([...optionsFromEnvironment(world.env), ...world.argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      return { kind: 'exit', code: error.exitCode === 0 ? EXIT.ok : EXIT.invalid };
    }
    throw error;
  }
  return invocation === undefined ? { kind: 'exit', code: EXIT.invalid } : { kind: 'run', invocation };
}

type Choose = (chosen: CommandArguments, command: Command) => void;

const SUMMARY =
  'Parks placeholder pods on spare GKE nodes ahead of calendar events, so that a class lands on warm nodes. ' +
  'Without a command: `morning`.';

function createProgram(world: ArgumentWorld, choose: Choose): Command {
  const program = new Command('calendar-node-pool-autoscaler')
    .description(SUMMARY)
    .usage('[options] [command]')
    .version(world.version, '--version', 'print the version')
    .helpOption('--help', 'explain the command')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: world.writeOut,
      writeErr: world.writeError,
      getOutHelpWidth: () => world.columns,
      getErrHelpWidth: () => world.columns,
    })
    .showSuggestionAfterError();
  addCommonOptions(program, world.env);
  addPass(program, choose);
  addPlan(program, choose);
  addSize(program, choose);
  addSimulate(program, choose);
  addMorning(program, choose);
  return program.argument('[command]').action((name: string | undefined) => {
    if (name !== undefined) {
      program.error(`error: unknown command '${name}'${hintAtCommand(program, name)}`);
    }
    refuseIdleConfig(program, world.env);
    choose({ command: 'morning', seed: DEFAULT_SEED }, program);
  });
}

/** A demonstration reads no config: whoever names one meant another command. */
function refuseIdleConfig(program: Command, env: Environment): void {
  const { config } = program.opts<Partial<CommonOptions>>();
  if (config !== undefined && config !== env['CONFIG_PATH']) {
    program.error('error: --config needs a command: pass, plan, size or simulate');
  }
}

function hintAtCommand(program: Command, name: string): string {
  const names = program.commands.map((command) => command.name());
  const near = closestName(name, names);
  return near === undefined
    ? `\n(Commands are ${names.join(', ')}; --help explains them)`
    : `\n(Did you mean ${near}?)`;
}

/** Once, at the top: commander finds them before and behind the command's name. */
function addCommonOptions(program: Command, env: Environment): void {
  const inCloud = env['CLOUD_RUN_JOB'] !== undefined;
  program
    .option('--config <path>', 'the configuration file (or env CONFIG_PATH)')
    .option(
      '--state <store>',
      'where passes keep their history: memory, file:PATH, firestore[:DATABASE] (or env STATE)',
    )
    .addOption(
      new Option('--log-format <format>', 'json for Cloud Logging, text for people (or env LOG_FORMAT)')
        .choices(LOG_FORMATS)
        .default(inCloud ? 'json' : 'text', 'json in a Cloud Run job, else text'),
    )
    .addOption(
      new Option('--log-level <level>', 'leave out what is less (or env LOG_LEVEL)')
        .choices(LOG_LEVELS)
        .default('info'),
    );
}

const ENVIRONMENT_OPTIONS: readonly (readonly [variable: string, option: string])[] = [
  ['CONFIG_PATH', '--config'],
  ['STATE', '--state'],
  ['LOG_FORMAT', '--log-format'],
  ['LOG_LEVEL', '--log-level'],
];

/** Variables are options written first, so that they are checked alike and the command line has the last word. */
function optionsFromEnvironment(env: Environment): readonly string[] {
  return ENVIRONMENT_OPTIONS.flatMap(([variable, option]) => {
    const value = env[variable];
    return value === undefined || value === '' ? [] : [`${option}=${value}`];
  });
}

function addPass(program: Command, choose: Choose): void {
  program
    .command('pass')
    .description('Read calendar, cluster and state, decide each count, and apply what changed: one pass.')
    .option('--dry-run', 'write nothing, and print what would be done')
    .action(({ dryRun = false }: { readonly dryRun?: boolean }, command: Command) => {
      choose({ command: 'pass', isDryRun: dryRun }, command);
    });
}

interface PlanOptions {
  readonly days: number;
  readonly from?: GivenTime;
  readonly format: 'text' | 'json';
  readonly strict: boolean;
}

function addPlan(program: Command, choose: Choose): void {
  program
    .command('plan')
    .description('Show the coming counts per pool, and every problem found in upcoming events.')
    .option('--days <n>', 'how many days to show', parseDays, 7)
    .option(
      '--from <time>',
      "start there instead of now: 2026-09-01 or 2026-09-01T08:00 in the calendar's zone, or with an offset, 2026-09-01T08:00-07:00",
      parseGivenTime,
    )
    .addOption(new Option('--format <format>', 'how to print it').choices(['text', 'json']).default('text'))
    .option('--strict', 'exit 1 when there is any problem', false)
    .action(({ days, from, format, strict }: PlanOptions, command: Command) => {
      choose({ command: 'plan', days, from, format, isStrict: strict }, command);
    });
}

interface SizeOptions {
  readonly pool?: string;
  readonly cluster?: string;
}

function addSize(program: Command, choose: Choose): void {
  program
    .command('size')
    .description('Work out what a placeholder should request, from one node or from all nodes of a pool.')
    .argument('[node]', 'a node of one of the pools')
    .option('--pool <name>', 'all nodes of that pool: the request that is safe on each')
    .option('--cluster <name>', 'which cluster of a fleet')
    .action((node: string | undefined, { pool, cluster }: SizeOptions, command: Command) => {
      if (node !== undefined && pool === undefined) {
        choose({ command: 'size', of: { kind: 'node', name: node }, cluster }, command);
      } else if (pool !== undefined && node === undefined) {
        choose({ command: 'size', of: { kind: 'pool', name: pool }, cluster }, command);
      } else {
        command.error('error: name either one node or a pool: size NODE, or size --pool POOL');
      }
    });
}

const DEFAULT_SEED = 1;

function addMorning(program: Command, choose: Choose): void {
  program
    .command('morning')
    .description(
      'Show one class morning: real passes on an embedded cluster and a virtual clock. Needs no config.',
    )
    .option('--seed <n>', 'when the users of the morning arrive', parseSeed, DEFAULT_SEED)
    .action(({ seed }: { readonly seed: number }, command: Command) => {
      choose({ command: 'morning', seed }, command);
    });
}

const MAX_DAYS = 400;

function parseDays(text: string): number {
  const days = Number(text);
  if (!/^\d+$/.test(text) || days < 1 || days > MAX_DAYS) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_DAYS}.`);
  }
  return days;
}
