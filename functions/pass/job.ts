/** What one pass over one cluster is given, and what it gives back. */
import type { ClusterSettings } from '../config/settings.ts';
import type { Cap } from '../domain/cap.ts';
import type { PoolAddress } from '../domain/demand.ts';
import type { Instant } from '../domain/instant.ts';
import type { Cluster, Logger, ReadPlan, StateStore } from '../ports.ts';
import type { Deadline } from './deadline.ts';
import type { FleetCalendar } from './calendars.ts';
import type { WriteLog } from './writes.ts';

export interface ClusterJob {
  readonly settings: ClusterSettings;
  readonly fleet: Fleet;
  /** The cluster's calendar, which others may share; undefined: none is configured. */
  readonly calendar: FleetCalendar | undefined;
  /** What the config is worth saying about; given to one cluster of the fleet. */
  readonly notices: readonly string[];
  /** @throws ClusterError */
  readonly openCluster: (settings: ClusterSettings, signal: AbortSignal) => Promise<Cluster>;
  readonly state: StateStore;
  /** The one clock reading of the pass. */
  readonly now: Instant;
  /** Names this pass and no other. */
  readonly owner: string;
  readonly deadline: Deadline;
  readonly log: Logger;
  readonly writes: WriteLog;
  /** Writes nothing, neither to the cluster nor to the state; says what it would do. */
  readonly isDryRun: boolean;
}

/** The clusters that share bounds with this one, itself among them; nothing where no bound covers it. */
export interface Fleet {
  /** In the order in which they apply. */
  readonly caps: readonly Cap[];
  /** All pools under the caps, in config order. */
  readonly pools: readonly FleetPool[];
  /** Those that speak to the pools. */
  readonly calendars: readonly FleetCalendar[];
}

export interface FleetPool extends PoolAddress {
  readonly baseline: number;
  readonly maxReplicas: number;
}

export type Outcome =
  /** Every pool was read, decided, applied and saved. */
  | 'ok'
  /** Something was not; the log says what, and what to do. */
  | 'failed'
  /** Another pass holds the lease: nothing was read. */
  | 'held'
  /** SIGTERM or the deadline: the next pass goes on. */
  | 'stopped';

export interface PoolReport {
  readonly pool: string;
  readonly wanted: number;
  /** Replicas of the live Deployment before this pass; undefined when there was none. */
  readonly live: number | undefined;
  readonly target: number;
  readonly warm: number;
  readonly warming: number;
  /** When the last of the warming ones should be warm, ISO 8601; undefined when nobody can say. */
  readonly warmBy: string | undefined;
  readonly pending: number;
  /** The scheduler's words on the one that has waited longest. */
  readonly pendingMessage: string | undefined;
  readonly rule: string;
  readonly reason: string;
  /** `unchanged`, `created`, `configured`, or why nothing was applied. */
  readonly applied: string;
}

export interface ClusterReport {
  readonly cluster: string;
  readonly outcome: Outcome;
  readonly exitCode: 0 | 1;
  readonly degradedSinceAt: Instant | undefined;
  /** Problems in the calendar's entries; what was understood all the same is not among them. */
  readonly findings: number;
  readonly requests: Readonly<Record<string, number>>;
  /** How the pods were read: all of the cluster, or those of the managed nodes; undefined when they were not. */
  readonly reading: ReadPlan | undefined;
  readonly pools: readonly PoolReport[];
}
