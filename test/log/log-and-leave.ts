/** Logs a lot and leaves at once, as a pass does at its end; with an argument, when it is told to stop. */
import { once } from 'node:events';
import { createLogger, type LogFormat } from '../../functions/log.ts';

const [, , format, until] = process.argv;
const log = await createLogger({ format: format as LogFormat, level: 'info', stream: process.stdout });
const alive = setInterval(() => undefined, 1000);
if (until === 'SIGTERM') {
  const told = once(process, 'SIGTERM');
  log.info('ready');
  await told;
}
clearInterval(alive);
for (let line = 1; line <= 2000; line += 1) {
  log.info('line', { line, padding: 'x'.repeat(100) });
}
process.exitCode = 3;
