/** Plays more schedules of overlapping passes than the tests do: `npm run test:soak -- --seeds 100000`. */
import { violationsOf } from '../test/chaos/laws.ts';
import { playSchedule } from '../test/chaos/schedule.ts';
import { readCount, readFlags } from './flags.ts';

const MOST_PASSES = 4;
const PROGRESS_EVERY = 5_000;

const USAGE = 'npm run test:soak -- [--seeds N] [--from SEED]';
const flags = readFlags(USAGE, {
  seeds: { type: 'string', default: '100000' },
  from: { type: 'string', default: '1000000' },
});
const [seeds, from] = [readCount('--seeds', flags.seeds, USAGE), readCount('--from', flags.from, USAGE)];

const startedAt = performance.now();
const met = { kills: 0, held: 0, fenced: 0, conflicts: 0 };
let violations = 0;
for (let index = 0; index < seeds; index += 1) {
  const outcome = await playSchedule(from + index, 2 + (index % (MOST_PASSES - 1)));
  for (const violation of violationsOf(outcome)) {
    violations += 1;
    process.stdout.write(`${violation}\n`);
  }
  met.kills += outcome.met.kills;
  met.held += outcome.met.held;
  met.fenced += outcome.met.fenced;
  met.conflicts += outcome.met.conflicts;
  if ((index + 1) % PROGRESS_EVERY === 0) process.stdout.write(`${index + 1} schedules\n`);
}
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
process.stdout.write(
  `${seeds} schedules of two to ${MOST_PASSES} passes in ${seconds} s: ${met.kills} kills, ${met.held} passes that found the lease held, ` +
    `${met.fenced} saves and ${met.conflicts} applies refused as too late, ${violations} violations\n`,
);
process.exitCode = violations === 0 ? 0 : 1;
