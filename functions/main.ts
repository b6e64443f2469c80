/** Arguments and environment in, exit code out; nothing else reads either. */
import { homedir } from 'node:os';
import packageJson from '../package.json' with { type: 'json' };
import { parseArguments } from './commands/arguments.ts';
import { type CommandWorld, runCommand } from './commands/run.ts';

export interface World extends CommandWorld {
  /** Without the names of Node and of this file. */
  readonly argv: readonly string[];
}

/** @returns the exit code. Everything that is to be said has been handed to the streams. */
export async function main(world: World): Promise<number> {
  const parsed = parseArguments({
    argv: world.argv,
    env: world.env,
    version: packageJson.version,
    columns: world.terminal.columns,
    writeOut: (text) => world.stdout.write(text),
    writeError: (text) => world.stderr.write(text),
  });
  return parsed.kind === 'exit' ? parsed.code : runCommand(parsed.invocation, world);
}

const DEFAULT_COLUMNS = 80;
/** For connections that something forgot: a job must not sit out its timeout over them. */
const LINGER_MILLIS = 3000;

function openWorld(): World {
  const { argv, env, stdout, stderr } = process;
  const stopping = new AbortController();
  // Once: a second Ctrl-C ends the process at once, as anywhere.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      stopping.abort(new Error(`stopped by ${signal}`));
    });
  }
  // Whoever reads the output has gone (`| head`): come to an end, and do not die of it.
  stdout.on('error', () => {
    stopping.abort(new Error('nobody reads stdout any more'));
  });
  return {
    argv: argv.slice(2),
    env,
    homeFolder: findHome(),
    stdout,
    stderr,
    terminal: {
      isTerminal: stdout.isTTY,
      // A terminal that was given no size says 0.
      columns: stdout.isTTY && stdout.columns > 0 ? stdout.columns : DEFAULT_COLUMNS,
      hasColors: stdout.isTTY && stdout.hasColors(env),
    },
    now: Date.now,
    stop: stopping.signal,
    onStrayError: (listener) => {
      process.on('unhandledRejection', listener);
    },
  };
}

/** Node throws where neither HOME nor the list of users knows one, as for a user that a container just made up. */
function findHome(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}

/** The exit code is set and Node ends by itself: ending it by force would cut off what stdout still holds. */
function leaveWith(code: number): void {
  process.exitCode = code;
  setTimeout(() => {
    process.stderr.write(`still open at the end: ${process.getActiveResourcesInfo().join(', ')}\n`, () => {
      process.exit();
    });
  }, LINGER_MILLIS).unref();
}

if (import.meta.main) {
  leaveWith(await main(openWorld()));
}
