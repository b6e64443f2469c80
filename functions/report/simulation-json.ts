/** A simulation for programs: the same scenario, config and seed give the same bytes. */
import { adviseOn, calendarFindings } from '../simulation/findings.ts';
import type { Run } from '../simulation/run.ts';
import type { TrialResult } from '../simulation/trial.ts';

export function trialToJson(result: TrialResult): object {
  const { scenario, run, seed, summaries, isWhole } = result;
  return {
    scenario: scenario.name,
    seed,
    from: instant(run.fromAt),
    to: instant(run.toAt),
    timeZone: scenario.timeZone,
    isWhole,
    passes: run.passes,
    policies: summaries,
    lowestNodeHours: result.lowestNodeHours,
    pools: run.pools.map(({ pool, nodeHours }) => ({ pool, nodeHours })),
    changes: run.changes.map(({ at, ...change }) => ({ at: instant(at), ...change })),
    visits: run.visits.map(describeVisit),
    calendarFindings: calendarFindings(scenario),
    advice: adviseOn(scenario, run).map(({ at, ...advice }) => ({ at: instant(at), ...advice })),
  };
}

function describeVisit({ visit, readyAt, interruptions }: Run['visits'][number]): object {
  return {
    at: instant(visit.at),
    pool: visit.pool,
    group: visit.group,
    waitSeconds: readyAt === undefined ? null : (readyAt - visit.at) / 1000,
    interruptions,
  };
}

function instant(at: number): string {
  return new Date(at).toISOString();
}
