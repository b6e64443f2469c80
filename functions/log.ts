/**
 * The log: one JSON object a line where Cloud Logging reads it, readable lines where a person does. Both go to
 * a stream (stdout) and never to an API: lines sent over the network are lost when a short job ends.
 */
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createLogger as createWinston, config, format, type Logger as Winston, transports } from 'winston';
import { redactText, toPrintableFields } from './log-fields.ts';
import { formatLine } from './log-line.ts';
import type { LogFields, Logger } from './ports.ts';

export type LogFormat = 'text' | 'json';
export const LOG_FORMATS: readonly LogFormat[] = ['text', 'json'];

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

export interface LoggerOptions {
  readonly format: LogFormat;
  /** Lines below this are left out. */
  readonly level: LogLevel;
  readonly stream: Writable;
  /** Milliseconds since the Unix epoch, for the time of each line. */
  readonly now?: () => number;
  /** Colours the severity of readable lines. */
  readonly hasColors?: boolean;
}

export interface ClosableLogger extends Logger {
  /** Resolves when every line has been handed to the stream. Nothing may be logged afterwards. */
  close(): Promise<void>;
}

/** Asynchronous, because readable lines do not pay for loading the cloud's library. */
export async function createLogger(options: LoggerOptions): Promise<ClosableLogger> {
  const winston = createWinston({ level: options.level, levels: config.npm.levels, exitOnError: false });
  const transport = await openTransport(options);
  winston.pipe(transport);
  const hasFinished = finished(transport);
  return {
    ...createAdapter(winston, { fields: {}, now: options.now ?? Date.now }),
    close: () => {
      winston.end();
      return hasFinished;
    },
  };
}

async function openTransport(options: LoggerOptions): Promise<Writable> {
  if (options.format === 'text') {
    return createTextTransport(options);
  }
  const { createCloudTransport } = await import('./log-cloud.ts');
  return createCloudTransport(options.stream);
}

interface Context {
  readonly fields: LogFields;
  readonly now: () => number;
}

/** winston reads meaning into some names of fields (`message`, `level`, `stack`), so ours travel as one value. */
function createAdapter(winston: Winston, { fields, now }: Context): Logger {
  const write = (level: LogLevel, message: string, own: LogFields | undefined): void => {
    if (winston.isLevelEnabled(level)) {
      const time = new Date(now()).toISOString();
      const printable = toPrintableFields({ ...fields, ...own });
      winston.log({ level, message: redactText(message), time, fields: printable });
    }
  };
  return {
    debug: (message, own) => {
      write('debug', message, own);
    },
    info: (message, own) => {
      write('info', message, own);
    },
    warn: (message, own) => {
      write('warn', message, own);
    },
    error: (message, own) => {
      write('error', message, own);
    },
    child: (own) => createAdapter(winston, { fields: { ...fields, ...own }, now }),
  };
}

function createTextTransport({ stream, hasColors = false }: LoggerOptions): Writable {
  return new transports.Stream({
    stream,
    eol: '\n',
    format: format.printf(({ level, message, time, fields }) =>
      formatLine({ level, message: String(message), time: String(time), fields }, hasColors),
    ),
  });
}
