/**
 * The reference morning with seeds 1 to 20, for the product and for what it is compared with: the table that the
 * README quotes. `npm run bench:morning`.
 */
import { textTable } from '../functions/report/text-table.ts';
import { decimal } from '../functions/report/units.ts';
import type { Policy } from '../functions/simulation/policy.ts';
import { policyName } from '../functions/simulation/policy.ts';
import { referenceMorning } from '../functions/simulation/reference-morning.ts';
import { runPolicy } from '../functions/simulation/run.ts';
import type { Summary } from '../functions/simulation/summary.ts';
import { summarize } from '../functions/simulation/summary.ts';

const SEEDS = 20;
const POLICIES: readonly Policy[] = [
  { kind: 'warm-first' },
  { kind: 'plain' },
  { kind: 'ancestor' },
  { kind: 'none' },
  { kind: 'constant', replicas: 1 },
  { kind: 'constant', replicas: 3 },
];

const scenario = referenceMorning();
const rows: string[][] = [];
for (const policy of POLICIES) {
  const summaries: Summary[] = [];
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    summaries.push(summarize(scenario, await runPolicy(scenario, policy, { seed })));
  }
  rows.push([policyName(policy), ...describe(summaries)]);
}
process.stdout.write(
  `Reference morning, 60 people, 08:00 to 11:00, seeds 1 to ${String(SEEDS)}: mean (least to most)\n\n` +
    textTable(['policy', 'p50, s', 'p95, s', 'over 1 min', 'idle node-hours'], rows),
);

function describe(summaries: readonly Summary[]): string[] {
  return [
    spread(summaries.map(({ waits }) => waits.p50)),
    spread(summaries.map(({ waits }) => waits.p95)),
    spread(summaries.map(({ waits }) => waits.overOneMinute)),
    spread(
      summaries.map(({ idleNodeHours }) => idleNodeHours),
      2,
    ),
  ];
}

function spread(values: readonly number[], digits = 0): string {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return `${decimal(mean, digits)} (${decimal(least, digits)} to ${decimal(most, digits)})`;
}
