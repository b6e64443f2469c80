/** From a parsed command line to an exit code: settings and log first, then the one command, loaded when needed. */
import path from 'node:path';
import type { Writable } from 'node:stream';
import { DEFAULT_CONFIG, DEFAULT_CONFIG_SOURCE } from '../config/default-config.ts';
import { type LoadOptions, loadSettings, parseSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import type { Instant } from '../domain/instant.ts';
import { ConfigError, EXIT } from '../errors.ts';
import { type ClosableLogger, createLogger } from '../log.ts';
import type { CommandArguments, CommonOptions, Invocation } from './arguments.ts';
import type { CommandContext, Environment, Terminal } from './context.ts';
import type { Logger } from '../ports.ts';
import { reportFailure } from './failure.ts';

export interface CommandWorld {
  readonly env: Environment;
  readonly homeFolder: string;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly terminal: Terminal;
  readonly now: () => Instant;
  /** Fires on SIGTERM and on Ctrl-C. */
  readonly stop: AbortSignal;
  /** Calls back with each error that no code waited for. */
  readonly onStrayError: (listener: (error: unknown) => void) => void;
}

/** @returns the exit code; whatever went wrong has been said. */
export async function runCommand(invocation: Invocation, world: CommandWorld): Promise<number> {
  const { options, arguments: chosen } = invocation;
  // The log of a pass is what it has to say; other commands print a result, which must stay free of other lines.
  const stream = chosen.command === 'pass' ? world.stdout : world.stderr;
  const log = await createLogger({
    format: options.logFormat,
    level: options.logLevel,
    stream,
    hasColors: world.terminal.hasColors,
  });
  const strays = watchStrayErrors(world, log);
  const code = await runChosen(invocation, log, world).catch((error: unknown) =>
    reportFailure(error, { format: options.logFormat, log, stderr: world.stderr }),
  );
  const { count } = strays.stop();
  await log.close();
  return count > 0 && code === EXIT.ok ? EXIT.failed : code;
}

/**
 * Google's generated clients throw where nobody waits, beside the error that the caller gets (their
 * `initialize().catch`). Node would end the process for it, and with it the pass over clusters that are well.
 */
function watchStrayErrors(
  world: CommandWorld,
  log: Logger,
): { readonly stop: () => { readonly count: number } } {
  let count = 0;
  let isWatching = true;
  world.onStrayError((error) => {
    // After the end, what happened has been told already.
    if (isWatching) {
      count += 1;
      log.error('an error that no code waited for', { error });
    }
  });
  return {
    stop: () => {
      isWatching = false;
      return { count };
    },
  };
}

async function runChosen(
  { options, arguments: chosen }: Invocation,
  log: ClosableLogger,
  world: CommandWorld,
): Promise<number> {
  const write = (text: string): void => {
    world.stdout.write(text);
  };
  if (chosen.command === 'morning') {
    const { runMorning } = await import('./morning.ts');
    const { columns } = world.terminal;
    return runMorning({ write, seed: chosen.seed, columns, stop: world.stop });
  }
  const context: CommandContext = {
    settings: await readSettings(options, chosen, world),
    log,
    print: write,
    terminal: world.terminal,
    env: world.env,
    now: world.now,
    stop: world.stop,
  };
  switch (chosen.command) {
    case 'pass': {
      const { runPassCommand } = await import('./pass.ts');
      return runPassCommand(context, { dryRun: chosen.isDryRun, state: options.state });
    }
    case 'plan': {
      const { runPlan } = await import('./plan.ts');
      return runPlan(context, chosen);
    }
    case 'size': {
      const { runSize } = await import('./size.ts');
      return runSize(context, chosen);
    }
    case 'simulate': {
      const { runSimulate } = await import('./simulate.ts');
      return runSimulate(context, chosen);
    }
  }
}

async function readSettings(
  { config }: CommonOptions,
  { command }: CommandArguments,
  world: CommandWorld,
): Promise<Settings> {
  const options: LoadOptions = {
    kubeconfigPath: kubeconfigPathOf(world),
    mayLackRequests: command === 'size',
  };
  if (config === '') {
    throw new ConfigError('command line', [
      {
        path: '--config',
        line: undefined,
        column: undefined,
        message: 'is empty: give the path of the config',
      },
    ]);
  }
  if (config !== undefined) {
    return loadSettings(config, options);
  }
  if (world.env['CLOUD_RUN_JOB'] !== undefined) {
    // The embedded default would be a green run that manages nothing.
    throw new ConfigError('command line', [
      { path: '--config', line: undefined, column: undefined, message: 'is missing: give the mounted file' },
    ]);
  }
  return parseSettings(DEFAULT_CONFIG, { source: DEFAULT_CONFIG_SOURCE, folder: '.' }, options);
}

/** Where kubectl looks. */
function kubeconfigPathOf({ env, homeFolder }: CommandWorld): string {
  const named = env['KUBECONFIG'];
  return named === undefined || named === '' ? path.join(homeFolder, '.kube', 'config') : named;
}
