/** What every command is given: settings, a log, a place to print, and the signal to stop. */
import type { Settings } from '../config/settings.ts';
import type { Instant } from '../domain/instant.ts';
import type { Logger } from '../ports.ts';

export interface CommandContext {
  readonly settings: Settings;
  readonly log: Logger;
  /** Writes a result to stdout as it is; lines for a log go to `log`. */
  readonly print: (text: string) => void;
  readonly terminal: Terminal;
  readonly env: Environment;
  readonly now: () => Instant;
  /** Fires on SIGTERM and on Ctrl-C. */
  readonly stop: AbortSignal;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Terminal {
  /** Whether stdout is one; false in a pipe and in the cloud. */
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly hasColors: boolean;
}
