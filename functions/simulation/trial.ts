/** Runs the product on a scenario, and beside it whatever it is to be compared with. */
import type { ClusterModel } from '../embedded/model.ts';
import type { Policy } from './policy.ts';
import { policyName } from './policy.ts';
import type { Run } from './run.ts';
import { runPolicy } from './run.ts';
import type { Scenario } from './scenario.ts';
import { clusterOf } from './scenario.ts';
import type { Summary } from './summary.ts';
import { lowestNodeHours, summarize } from './summary.ts';

export interface TrialOptions {
  readonly seed: number;
  readonly compare: readonly Policy[];
  readonly stop?: AbortSignal | undefined;
  readonly onProgress?: ((policy: string, share: number) => void) | undefined;
  readonly onStart?: ((model: ClusterModel) => void) | undefined;
}

export interface TrialResult {
  readonly scenario: Scenario;
  readonly seed: number;
  /** The product's own run. */
  readonly run: Run;
  /** The product first, then the others in the order asked for. */
  readonly summaries: readonly Summary[];
  readonly lowestNodeHours: number;
  readonly isWhole: boolean;
}

export async function runTrial(scenario: Scenario, options: TrialOptions): Promise<TrialResult> {
  const { seed, compare, stop, onProgress } = options;
  const main = mainPolicy(scenario);
  const others = compare.filter((policy) => policyName(policy) !== policyName(main));
  const follow = (policy: Policy) => (share: number) => onProgress?.(policyName(policy), share);
  const run = await runPolicy(scenario, main, {
    seed,
    stop,
    onProgress: follow(main),
    onStart: options.onStart,
  });
  const summaries = [summarize(scenario, run)];
  for (const policy of others) {
    if (stop?.aborted === true) break;
    const other = await runPolicy(scenario, policy, { seed, stop, onProgress: follow(policy) });
    // A comparison that was stopped half-way compares nothing.
    if (other.toAt === run.toAt) summaries.push(summarize(scenario, other));
  }
  const isWhole = stop?.aborted !== true;
  return {
    scenario,
    seed,
    run,
    summaries,
    lowestNodeHours: lowestNodeHours(scenario, seed, run.toAt),
    isWhole,
  };
}

/** The product as configured, by the name that it has among the policies where it has one. */
function mainPolicy(scenario: Scenario): Policy {
  const settings = clusterOf(scenario).pools.map((pool) => pool.settings.warmFirst);
  if (settings.every((warmFirst) => warmFirst)) return { kind: 'warm-first' };
  return settings.some((warmFirst) => warmFirst) ? { kind: 'product' } : { kind: 'plain' };
}
