/** What is simulated: a cluster's machines, the people who come, the calendar, and the config that decides. */
import type { ClusterSettings, Settings } from '../config/settings.ts';
import type { CalendarEvent } from '../domain/event.ts';
import type { Instant } from '../domain/instant.ts';
import type { Resources } from '../embedded/objects.ts';
import type { PoolSpec, StockOut } from '../embedded/settings.ts';
import type { Visit } from '../embedded/users.ts';

export interface SimulatedPool {
  readonly spec: PoolSpec;
  /** What one user's server asks for. */
  readonly user: Resources;
}

export interface Scenario {
  readonly name: string;
  readonly fromAt: Instant;
  readonly toAt: Instant;
  /** For showing times of day. */
  readonly timeZone: string;
  /** One cluster; its calendar is replaced by `events`. */
  readonly settings: Settings;
  /** Every event instance that touches the time simulated, in start order. */
  readonly events: readonly CalendarEvent[];
  readonly pools: readonly SimulatedPool[];
  readonly nodeQuota: number;
  readonly stockOuts: readonly StockOut[];
  /** The people of one seed, whatever the policy. */
  readonly visits: (seed: number) => readonly Visit[];
}

/** The one cluster that is simulated. */
export function clusterOf(scenario: Scenario): ClusterSettings {
  const [cluster] = scenario.settings.clusters;
  if (cluster === undefined) throw new Error('a scenario has one cluster');
  return cluster;
}
