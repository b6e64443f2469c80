/** What a script was asked for on the command line. */
import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Ends the process with 2 and the usage for a flag that there is none of, and with 0 for `--help`. */
export function readFlags<const Options extends NonNullable<ParseArgsConfig['options']>>(
  usage: string,
  options: Options,
) {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    process.stdout.write(`usage: ${usage}\n`);
    process.exit(0);
  }
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error), usage);
  }
}

/** Ends the process with 2. */
export function refuse(problem: string, usage: string): never {
  process.stderr.write(`error: ${problem}\nusage: ${usage}\n`);
  process.exit(2);
}

/** A whole number of at least one. */
export function readCount(flag: string, text: string, usage: string): number {
  const count = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0
    ? count
    : refuse(`${flag} ${text}: it must be a whole number of at least 1`, usage);
}
