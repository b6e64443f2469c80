/** One policy over one scenario: time passes minute by minute, and each minute the policy looks once. */
import type { Instant } from '../domain/instant.ts';
import { createCluster } from '../embedded/cluster.ts';
import { install } from '../embedded/installation.ts';
import type { ClusterModel } from '../embedded/model.ts';
import { sendUsers, userShape } from '../embedded/users.ts';
import type { Crowd, VisitRecord } from '../embedded/users.ts';
import type { Policy } from './policy.ts';
import { policyName } from './policy.ts';
import { Recorder } from './recorder.ts';
import type { NodeHours, Timeline } from './recorder.ts';
import type { Scenario } from './scenario.ts';
import { clusterOf } from './scenario.ts';
import { startPolicy } from './start-policy.ts';
import type { Note } from './steward.ts';

const MINUTE = 60_000;
/** Passes between two looks at the clock of the machine: for a progress bar, and so that Ctrl-C is heard. */
const PASSES_A_TURN = 256;

export interface RunOptions {
  readonly seed: number;
  /** Stops the run; what happened so far is the result. */
  readonly stop?: AbortSignal | undefined;
  readonly onProgress?: ((share: number) => void) | undefined;
  /** Called with each model before time starts, for whoever wants to watch. */
  readonly onStart?: ((model: ClusterModel) => void) | undefined;
}

export interface PoolRun {
  readonly pool: string;
  readonly timeline: Timeline;
  readonly nodeHours: NodeHours;
}

export interface Change extends Note {
  readonly at: Instant;
}

export interface Run {
  readonly policy: string;
  readonly seed: number;
  readonly fromAt: Instant;
  /** Where it ended: earlier than the scenario when it was stopped. */
  readonly toAt: Instant;
  readonly passes: number;
  readonly visits: readonly VisitRecord[];
  readonly pools: readonly PoolRun[];
  /** Decisions that changed a count, in order. */
  readonly changes: readonly Change[];
}

export async function runPolicy(scenario: Scenario, policy: Policy, options: RunOptions): Promise<Run> {
  const { model, recorder, crowd } = setUp(scenario, options);
  const steward = startPolicy(policy, scenario, model);
  const wanted = new Map<string, number>();
  const changes: Change[] = [];
  const minutes = minutesOf(scenario);
  let minute = 0;
  for (; minute < minutes && options.stop?.aborted !== true; minute += 1) {
    const now = scenario.fromAt + minute * MINUTE;
    model.clock.runUntil(now);
    for (const note of await steward.pass(now)) {
      wanted.set(note.pool, note.wanted);
      if (note.applied !== 'unchanged') changes.push({ at: now, ...note });
    }
    recorder.sample(minute, crowd.waiting, wanted);
    if (minute % PASSES_A_TURN === 0) await takeBreath(options, minute / minutes);
  }
  const toAt = scenario.fromAt + minute * MINUTE;
  model.clock.runUntil(toAt);
  return {
    policy: policyName(policy),
    seed: options.seed,
    fromAt: scenario.fromAt,
    toAt,
    passes: minute,
    visits: crowd.records,
    pools: scenario.pools.map(({ spec: { name } }) => ({
      pool: name,
      timeline: recorder.timelineOf(name),
      nodeHours: recorder.nodeHoursOf(name),
    })),
    changes,
  };
}

function setUp(
  scenario: Scenario,
  { seed, onStart }: RunOptions,
): { readonly model: ClusterModel; readonly recorder: Recorder; readonly crowd: Crowd } {
  const { namespace, priorityClassName } = clusterOf(scenario);
  const model = createCluster({
    startAt: scenario.fromAt,
    seed,
    pools: scenario.pools.map(({ spec }) => spec),
    nodeQuota: scenario.nodeQuota,
    stockOuts: scenario.stockOuts,
  });
  install(model, { namespace, priorityClassName });
  const recorder = new Recorder(model, { namespace, minutes: minutesOf(scenario) });
  onStart?.(model);
  const shapes = new Map(scenario.pools.map(({ spec, user }) => [spec.name, userShape(spec, user)]));
  return { model, recorder, crowd: sendUsers(model, scenario.visits(seed), shapes) };
}

function minutesOf({ fromAt, toAt }: Scenario): number {
  return Math.ceil((toAt - fromAt) / MINUTE);
}

/** Lets timers and signals in. */
async function takeBreath({ onProgress }: RunOptions, share: number): Promise<void> {
  onProgress?.(share);
  await new Promise((resolve) => setImmediate(resolve));
}
