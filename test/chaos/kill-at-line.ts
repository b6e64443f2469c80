/** Loaded before the program: sets its clock to NOW_AT, and kills it right after line KILL_AT that it writes. */
const { NOW_AT, KILL_AT } = process.env;
let lines = 0;
const write = process.stdout.write.bind(process.stdout) as (text: string, ...rest: unknown[]) => boolean;

Date.now = () => Number(NOW_AT);
process.stdout.write = (text: string | Uint8Array, ...rest: unknown[]): boolean => {
  const isWritten = write(String(text), ...rest);
  lines += 1;
  if (lines === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL');
  return isWritten;
};

export {};
