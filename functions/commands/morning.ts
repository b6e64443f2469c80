/** What `npm start` runs without a command: one class morning, real passes on a model cluster and a virtual clock. */
import { EXIT } from '../errors.ts';
import { describeMorning } from '../report/morning-text.ts';
import { Chronicle } from '../simulation/chronicle.ts';
import type { Policy } from '../simulation/policy.ts';
import { referenceMorning } from '../simulation/reference-morning.ts';
import { runPolicy } from '../simulation/run.ts';
import { summarize } from '../simulation/summary.ts';

export interface MorningOptions {
  readonly write: (text: string) => void;
  readonly seed: number;
  /** Of the terminal, or of what the text is piped into. */
  readonly columns: number;
  readonly stop?: AbortSignal | undefined;
}

/** What it is set beside, on the same arrivals. */
const OTHERS: readonly Policy[] = [{ kind: 'plain' }, { kind: 'constant', replicas: 3 }, { kind: 'none' }];

/** @returns the exit code. Writes nothing but the text. */
export async function runMorning({ write, seed, columns, stop }: MorningOptions): Promise<number> {
  const scenario = referenceMorning();
  const chronicle = new Chronicle();
  const watch = chronicle.watch.bind(chronicle);
  const run = await runPolicy(scenario, { kind: 'warm-first' }, { seed, stop, onStart: watch });
  const others = [];
  for (const policy of OTHERS) others.push(await runPolicy(scenario, policy, { seed, stop }));
  if (stop?.aborted === true) return EXIT.failed;
  const summaries = [run, ...others].map((each) => summarize(scenario, each));
  write(describeMorning({ scenario, run, turns: chronicle.turns, summaries, columns }));
  return EXIT.ok;
}
