/** `pass`: one pass over every cluster of the config, wired to the real outside. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { ConfigError, EXIT } from '../errors.ts';
import { startDeadline } from '../pass/deadline.ts';
import { runPass } from '../pass/run-pass.ts';
import type { PassOptions } from '../pass/run-pass.ts';
import { openStateStore } from '../state/open.ts';
import type { CommandContext, Environment } from './context.ts';
import { createOpeners } from './openers.ts';

export interface PassCommand {
  readonly dryRun: boolean;
  /** As given by `--state`; undefined: not given. */
  readonly state: string | undefined;
}

/** @returns the exit code: 0 when every pool was read, decided, applied and saved, or another pass is at it. */
export async function runPassCommand(context: CommandContext, command: PassCommand): Promise<number> {
  const { settings, log, env, stop } = context;
  const state = openStateStore(stateOf(context, command), { emulatorHost: env['FIRESTORE_EMULATOR_HOST'] });
  try {
    const report = await runPass(
      settings,
      { ...createOpeners(context), state, log },
      {
        now: context.now(),
        owner: ownerOf(env),
        deadline: startDeadline(stop),
        isDryRun: command.dryRun,
        task: taskOf(env),
      },
    );
    return report.exitCode === 0 ? EXIT.ok : EXIT.failed;
  } finally {
    await state.close();
  }
}

/** An embedded cluster begins anew with each process; a real one needs a store that outlives it. */
function stateOf({ settings }: CommandContext, { state, dryRun }: PassCommand): string {
  if (state !== undefined) return state;
  const isEmbedded = settings.clusters.every(({ target }) => target.kind === 'embedded');
  if (isEmbedded || dryRun) return 'memory';
  throw new ConfigError('command line', [
    {
      path: '--state',
      line: undefined,
      column: undefined,
      message:
        'is needed, since a pass must know what the one before saw: add --state file:PATH, or --state firestore in the cloud',
    },
  ]);
}

/** Names this pass and no other; in the cloud it can be found by it in the list of executions. */
function ownerOf(env: Environment): string {
  const execution = env['CLOUD_RUN_EXECUTION'];
  if (execution === undefined) return `${hostname()}/${randomUUID()}`;
  return `${execution}/${env['CLOUD_RUN_TASK_INDEX'] ?? '0'}/${env['CLOUD_RUN_TASK_ATTEMPT'] ?? '0'}`;
}

const TASK_INDEX = 'CLOUD_RUN_TASK_INDEX';
const TASK_COUNT = 'CLOUD_RUN_TASK_COUNT';

/** @throws ConfigError when the platform's variables do not fit together: a cluster could be left to nobody. */
function taskOf(env: Environment): PassOptions['task'] {
  if (env[TASK_INDEX] === undefined && env[TASK_COUNT] === undefined) return { index: 0, count: 1 };
  const index = wholeNumber(env, TASK_INDEX);
  const count = wholeNumber(env, TASK_COUNT);
  if (index < count) return { index, count };
  throw badVariable(TASK_INDEX, `${index} is not below ${TASK_COUNT}, ${count}`);
}

function wholeNumber(env: Environment, name: string): number {
  const text = env[name];
  if (text === undefined) {
    throw badVariable(name, `is missing: set ${TASK_INDEX} and ${TASK_COUNT}, as Cloud Run does, or neither`);
  }
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw badVariable(name, `${JSON.stringify(text)} is not a whole number of at most six digits`);
}

function badVariable(name: string, message: string): ConfigError {
  return new ConfigError('environment', [{ path: name, line: undefined, column: undefined, message }]);
}
