/** `simulate`: the reference morning, three hours of passes with the real decision code on the model cluster. */
import { referenceMorning } from '../../functions/simulation/reference-morning.ts';
import { runPolicy } from '../../functions/simulation/run.ts';
import { figureOf } from './figure.ts';
import type { Findings } from './figure.ts';
import type { BenchContext, Scenario } from './scenario.ts';
import { timeRuns } from './timing.ts';

export const simulate: Scenario = {
  name: 'simulate',
  about: 'the reference morning on the model cluster and a virtual clock, the product deciding each minute',
  run: measure,
};

async function measure({ isSmoke }: BenchContext): Promise<Findings> {
  const scenario = referenceMorning();
  const run = () => runPolicy(scenario, { kind: 'product' }, { seed: 1 });
  const seconds = await timeRuns(run, { samples: isSmoke ? 1 : 10, runs: 1 });
  const { passes, visits } = await run();
  return {
    figures: [
      figureOf(
        'one morning',
        'ms',
        seconds.map((one) => one * 1000),
      ),
      figureOf(
        'of it, one pass and the minute of the cluster before it',
        'ms',
        seconds.map((one) => (one * 1000) / passes),
      ),
    ],
    counts: [
      { name: 'passes in three hours', expected: 180, found: passes },
      { name: 'people who came', expected: 60, found: visits.length },
    ],
    bars: [],
    notes: [],
  };
}
