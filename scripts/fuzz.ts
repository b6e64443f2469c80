/**
 * Throws descriptions and ICS bytes at the readers that nobody would write: `npm run fuzz -- --runs N [--seed S]`.
 * N descriptions, and one ICS file for every hundred of them. Same seed, same inputs. Exits 1 on the first input
 * that makes a reader throw what it should not, change a prototype, give a count that is none, or run away.
 */
import { toPlainText } from '../functions/calendar/description-text.ts';
import { readIcsBytes } from '../functions/calendar/ics.ts';
import { matchRequests } from '../functions/domain/demand.ts';
import { MOST_FINDINGS, readDescription } from '../functions/domain/description.ts';
import type { Finding } from '../functions/domain/event.ts';
import { CalendarError } from '../functions/errors.ts';
import { readCount, readFlags } from './flags.ts';
import { FuzzSource } from './fuzz-source.ts';

const POOLS = [
  { cluster: 'east', pool: 'base' },
  { cluster: 'west', pool: 'base' },
  { cluster: 'west', pool: 'workshop' },
  { cluster: 'west', pool: 'constructor' },
];
const POOL_NAMES = ['base', 'workshop', 'constructor'];

/** Longest that one input may take, in milliseconds of this process's own time. */
const LONGEST_MILLIS = 2000;
const RUNS_PER_FILE = 100;
const PROGRESS_EVERY = 20_000;

function checkDescription(markup: string): void {
  const { text } = toPlainText(markup);
  for (const names of [undefined, POOL_NAMES]) {
    const event = { id: 'e', title: 'Lab', startAt: 0, endAt: 1, text };
    const reading = readDescription(event, names);
    const matched = matchRequests([reading.event], POOLS);
    for (const { count } of matched.asks) {
      demand(Number.isSafeInteger(count) && count >= 0, `a count of ${String(count)}`);
    }
    demand(reading.findings.length <= MOST_FINDINGS + 1, 'too many findings');
    checkFindings([...reading.findings, ...matched.findings]);
  }
}

function checkFindings(findings: readonly Finding[]): void {
  for (const { text, message } of findings) {
    demand(text.length <= 160 && message.length <= 1200, 'a finding without bounds');
    demand(!/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u.test(text + message), 'a control character in a finding');
  }
}

const WINDOW = { fromAt: Date.UTC(2026, 8, 1), toAt: Date.UTC(2026, 8, 3) };

async function checkFile(bytes: Uint8Array): Promise<void> {
  const signal = new AbortController().signal;
  try {
    const query = { label: 'fuzz', window: WINDOW, timeZone: undefined, signal };
    const { events, findings } = await readIcsBytes(bytes, query);
    for (const { startAt, endAt } of events) {
      demand(Number.isFinite(startAt) && endAt >= startAt, 'an event without a window');
      demand(startAt < WINDOW.toAt, 'an event outside the window');
    }
    checkFindings(findings);
  } catch (error) {
    // What is no whole file is an unreadable calendar; anything else is a fault of ours.
    demand(error instanceof CalendarError, `threw ${String(error)}`);
  }
}

function demand(holds: boolean, what: string): void {
  if (!holds) {
    throw new Error(what);
  }
}

interface Tally {
  slowestMillis: number;
  characters: number;
}

async function guarded(
  input: string | Uint8Array,
  tally: Tally,
  check: () => void | Promise<void>,
): Promise<void> {
  const before = process.cpuUsage();
  try {
    await check();
    const { user, system } = process.cpuUsage(before);
    const millis = (user + system) / 1000;
    tally.slowestMillis = Math.max(tally.slowestMillis, millis);
    tally.characters += input.length;
    demand(millis < LONGEST_MILLIS, `took ${String(Math.round(millis))} ms`);
    demand(Object.keys(Object.prototype).length === 0, 'the prototype of all objects was changed');
  } catch (error) {
    const shown = typeof input === 'string' ? JSON.stringify(input) : Buffer.from(input).toString('base64');
    throw new Error(`input: ${shown.slice(0, 4000)}`, { cause: error });
  }
}

async function run(runs: number, seed: number): Promise<void> {
  const source = new FuzzSource(seed);
  const descriptions: Tally = { slowestMillis: 0, characters: 0 };
  const files: Tally = { slowestMillis: 0, characters: 0 };
  const startedAt = process.cpuUsage();
  for (let index = 0; index < runs; index += 1) {
    const markup = source.description();
    await guarded(markup, descriptions, () => {
      checkDescription(markup);
    });
    if (index % RUNS_PER_FILE === 0) {
      const bytes = source.file();
      await guarded(bytes, files, () => checkFile(bytes));
    }
    if ((index + 1) % PROGRESS_EVERY === 0) process.stderr.write(`${String(index + 1)} descriptions\n`);
  }
  const { user } = process.cpuUsage(startedAt);
  const say = ({ slowestMillis, characters }: Tally): string =>
    `${(characters / 1e6).toFixed(1)} million characters, the slowest ${slowestMillis.toFixed(0)} ms`;
  process.stdout.write(
    `seed ${String(seed)}: ${String(runs)} descriptions (${say(descriptions)}), ` +
      `${String(Math.ceil(runs / RUNS_PER_FILE))} ICS files (${say(files)}), ` +
      `${(user / 1e6).toFixed(0)} s of processor time; nothing thrown, nothing polluted, nothing ran away\n`,
  );
}

const USAGE = 'npm run fuzz -- [--runs N] [--seed N]';
const flags = readFlags(USAGE, {
  runs: { type: 'string', default: '100000' },
  seed: { type: 'string', default: '1' },
});
await run(readCount('--runs', flags.runs, USAGE), readCount('--seed', flags.seed, USAGE));
