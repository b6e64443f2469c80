/**
 * What a command says when it cannot go on. For a person: one line for each problem, with the setting and the
 * fix. In the cloud: one ERROR line each, so that an alert and a filter see them apart.
 */
import type { Writable } from 'node:stream';
import { ConfigError, type ConfigFinding, EXIT, OutsideError } from '../errors.ts';
import type { LogFormat } from '../log.ts';
import { redactText } from '../log-fields.ts';
import type { Logger } from '../ports.ts';

export interface FailureOutput {
  readonly format: LogFormat;
  readonly log: Logger;
  readonly stderr: Writable;
}

/** @returns the exit code that goes with the error. */
export function reportFailure(error: unknown, output: FailureOutput): number {
  if (output.format === 'json') {
    logFailure(error, output.log);
  } else {
    output.stderr.write(describeFailure(error));
  }
  return error instanceof ConfigError ? EXIT.invalid : EXIT.failed;
}

function logFailure(error: unknown, log: Logger): void {
  if (error instanceof ConfigError) {
    for (const { path, line, column, message } of error.findings) {
      log.error('config problem', {
        event: 'config_problem',
        source: error.source,
        setting: path,
        line,
        column,
        problem: message,
      });
    }
  } else if (error instanceof OutsideError) {
    log.error('command failed', { error, remedy: error.remedy });
  } else {
    log.error('command crashed', { error });
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof ConfigError) {
    return error.findings.map((finding) => `${describeFinding(error.source, finding)}\n`).join('');
  }
  if (error instanceof OutsideError) {
    return `error: ${redactText(error.message)}; to do: ${redactText(error.remedy)}\n`;
  }
  const stack = error instanceof Error ? error.stack : undefined;
  return `error: this program has a fault; please report it with these lines\n${redactText(stack ?? String(error))}\n`;
}

/** Where a path alone says what is meant: a flag, a variable. */
const NAMED_BY_PATH = ['command line', 'environment'];

/** `config.yaml:12:5 nodePools.base.replicas: must be a number`: editors and terminals jump there. */
function describeFinding(source: string, { path, line, column, message }: ConfigFinding): string {
  if (NAMED_BY_PATH.includes(source) || source === path) {
    return `error: ${path} ${message}`;
  }
  const place = line === undefined ? source : `${source}:${line}:${column ?? 1}`;
  return path === '' ? `${place}: ${message}` : `${place} ${path}: ${message}`;
}
