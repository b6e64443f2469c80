import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LOG_TAIL_CHARACTERS = 2000;

/** One program of the control plane, started at once; its output goes to a file. */
export class Program {
  readonly name: string;
  readonly #logFile: string;
  readonly #process: ChildProcess;
  /** Resolves when it has ended, whatever ended it. */
  readonly ended: Promise<void>;

  constructor(
    name: string,
    options: { readonly folder: string; readonly logFolder: string; readonly flags: readonly string[] },
  ) {
    this.name = name;
    this.#logFile = join(options.logFolder, `${name}.log`);
    const log = openSync(this.#logFile, 'a');
    this.#process = spawn(join(options.folder, name), options.flags, {
      // kwok reads ~/.kwok when there is one: a person's own files must not change what the tests see.
      env: { HOME: options.logFolder, PATH: process.env['PATH'] },
      cwd: options.logFolder,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.ended = new Promise((resolve) => {
      this.#process.once('exit', () => {
        resolve();
      });
      this.#process.once('error', () => {
        resolve();
      });
    });
  }

  hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  /** What it said last, for the error message of a start that failed. */
  obituary(): string {
    const state = this.hasEnded() ? `exited with ${String(this.#process.exitCode)}` : 'is not ready';
    return `${this.name} ${state}; its log ends: ${readFileSync(this.#logFile, 'utf8').slice(-LOG_TAIL_CHARACTERS)}`;
  }

  /** At once: everything it could still write is in a folder that goes with it. */
  async stop(): Promise<void> {
    if (!this.hasEnded()) this.#process.kill('SIGKILL');
    await this.ended;
  }
}
