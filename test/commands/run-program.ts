import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('../../functions/main.ts', import.meta.url));

export interface ProgramResult {
  /** Undefined when a signal ended it. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Another file than the program's source. */
  readonly file?: string;
  /** Sends SIGTERM when it fires. */
  readonly terminateOn?: AbortSignal;
  /** Called with all of stdout so far, each time that there is more. */
  readonly onOutput?: (stdout: string, child: ReturnType<typeof spawn>) => void;
}

/** Runs the program as its own process, with an environment of its own. */
export async function runProgram(
  argv: readonly string[],
  { env = {}, cwd, file = SOURCE, terminateOn, onOutput }: ProgramOptions = {},
): Promise<ProgramResult> {
  const child = spawn(process.execPath, [file, ...argv], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  terminateOn?.addEventListener('abort', () => child.kill('SIGTERM'));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
    onOutput?.(stdout, child);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? undefined, stdout, stderr };
}

/** The lines of a JSON log. */
export function parseLines(text: string): readonly Readonly<Record<string, unknown>>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}
