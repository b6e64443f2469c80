/** What is to be done to each pool, from what was read. No outside is touched here. */
import type { ManagedPool } from '../config/settings.ts';
import { assessPool } from '../domain/assessment.ts';
import type { PoolAssessment } from '../domain/assessment.ts';
import { type Cut, type Excess, layCaps } from '../domain/cap.ts';
import type { Floor, GrantedDemand } from '../domain/decision.ts';
import { demandAt, matchRequests } from '../domain/demand.ts';
import type { EventDemand, PoolAsk } from '../domain/demand.ts';
import type { Finding } from '../domain/event.ts';
import { explainDecision } from '../domain/explanation.ts';
import { deploymentName, hasDrifted } from '../domain/placeholder.ts';
import type { LiveDeployment, WantedDeployment } from '../domain/placeholder.ts';
import { wantedDeployment } from '../domain/placeholder-manifest.ts';
import type { Relabel } from '../domain/relabel.ts';
import { describeSpares } from '../domain/spares-text.ts';
import type { ClusterReading, ClusterState } from '../ports.ts';
import type { OtherAsks } from './calendars.ts';
import type { EventSet } from './events.ts';
import type { ClusterJob, FleetPool } from './job.ts';

export interface PoolPlan {
  readonly pool: ManagedPool;
  readonly assessment: PoolAssessment;
  readonly live: LiveDeployment | undefined;
  readonly wanted: WantedDeployment;
  readonly hasDrifted: boolean;
  /** Why this count, in one sentence. */
  readonly reason: string;
}

export interface ClusterPlan {
  readonly pools: readonly PoolPlan[];
  /** Deployments of ours whose pool left the config, not at zero yet. */
  readonly orphans: readonly LiveDeployment[];
  /** Placeholders to mark warm, of all pools. */
  readonly relabels: readonly Relabel[];
  /** What calendar entries say that names no pool. */
  readonly findings: readonly Finding[];
  /** The caps over this cluster that cut what events ask. */
  readonly excesses: readonly Excess<FleetPool>[];
}

export interface PlanInput {
  readonly state: ClusterState;
  readonly events: EventSet;
  /** Of the clusters that share bounds with this one. */
  readonly otherAsks: OtherAsks;
  readonly reading: ClusterReading;
  readonly floors: readonly Floor[];
  /** False while the right to patch pods is known to be missing. */
  readonly mayRelabel: boolean;
}

export function planCluster(job: ClusterJob, input: PlanInput): ClusterPlan {
  const { asks, findings } = matchRequests(input.events.events, job.calendar?.pools ?? []);
  const { demands, excesses } = demandsOf(job, [...asks, ...input.otherAsks.asks]);
  const pools = job.settings.pools.map((pool) =>
    planPool(job, { ...input, pool, demand: demands(pool.settings.name) }),
  );
  const relabels = input.mayRelabel ? pools.flatMap(({ assessment }) => assessment.relabels) : [];
  return { pools, relabels, orphans: findOrphans(job, input.reading), findings, excesses };
}

interface PoolInput extends PlanInput {
  readonly pool: ManagedPool;
  readonly demand: GrantedDemand | undefined;
}

function planPool(job: ClusterJob, { pool, demand, state, reading, ...input }: PoolInput): PoolPlan {
  const { now, settings } = job;
  const isCutBlindly = demand?.cut !== undefined && !input.otherAsks.areComplete;
  const floors = isCutBlindly ? [...input.floors, 'sharerUnread' as const] : input.floors;
  const live = reading.deployments.find(({ name }) => name === deploymentName(pool.settings.name));
  const { nodes, usage, placeholders } = reading;
  const assessment = assessPool({
    settings: pool.settings,
    nodes,
    usage,
    placeholders,
    history: state.history,
    demand,
    live,
    floors,
    now,
  });
  const reason = explainDecision(assessment.decision);
  const wanted = wantedDeployment(pool.placeholder, {
    replicas: assessment.decision.replicas,
    why: { reason, spares: describeSpares(assessment.spares), event: demand?.eventTitle, changedAt: now },
    warmFirst: settings.warmFirst,
  });
  return { pool, assessment, live, wanted, hasDrifted: hasDrifted(live, wanted), reason };
}

interface Demands {
  readonly demands: (pool: string) => GrantedDemand | undefined;
  readonly excesses: readonly Excess<FleetPool>[];
}

/** What the calendar asks of this cluster's pools, after the caps that it is under together with others. */
function demandsOf({ settings, fleet, now }: ClusterJob, asks: readonly PoolAsk[]): Demands {
  const asked = fleet.pools.map((pool) => demandAt(asks, pool, now)?.count);
  const { cuts, excesses } = layCaps(fleet.caps, fleet.pools)(asked);
  const cutsOf = new Map(
    fleet.pools.flatMap(({ cluster, pool }, index) =>
      cluster === settings.name ? [[pool, cuts[index] ?? []]] : [],
    ),
  );
  return {
    demands: (pool) => {
      const demand = demandAt(asks, { cluster: settings.name, pool }, now);
      return demand === undefined ? undefined : granted(demand, cutsOf.get(pool) ?? []);
    },
    excesses: excesses.filter(({ cap }) => cap.clusters.has(settings.name)),
  };
}

function granted(demand: EventDemand, cuts: readonly Cut[]): GrantedDemand {
  const last = cuts.at(-1);
  return last === undefined
    ? demand
    : { ...demand, count: last.left, cut: { asked: demand.count, by: cuts } };
}

function findOrphans({ settings }: ClusterJob, reading: ClusterReading): readonly LiveDeployment[] {
  const managed = new Set(settings.pools.map((pool) => pool.settings.name));
  return reading.deployments.filter(
    ({ poolName, replicas }) => poolName !== undefined && !managed.has(poolName) && replicas > 0,
  );
}
