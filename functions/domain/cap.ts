/**
 * Bounds over several pools together: `calendarMaxReplicas` over those whose events come from one calendar, and
 * `maxReplicasTotal` over all pools of all clusters. Each is shared by the rule of share-out.ts; a calendar's comes
 * first, and the total then bounds what that one left.
 */
import { type Claim, shareOut } from './share-out.ts';

export type CapName = 'calendarMaxReplicas' | 'maxReplicasTotal';

export interface Cap {
  readonly name: CapName;
  /** Placeholders that the pools may hold together; baselines alone may hold more. */
  readonly most: number;
  /** Names of the clusters whose pools it bounds. */
  readonly clusters: ReadonlySet<string>;
}

export interface CappedPool {
  readonly cluster: string;
  readonly baseline: number;
  readonly maxReplicas: number;
}

/** One cap left less of what a pool's events ask. */
export interface Cut {
  readonly by: CapName;
  readonly left: number;
}

/** A cap that is less than what its pools come to, baselines included. */
export interface Excess<Pool> {
  readonly cap: Cap;
  readonly asked: number;
  readonly allowed: number;
  /** The pools that get less, in config order. */
  readonly cuts: readonly { readonly pool: Pool; readonly asked: number; readonly left: number }[];
}

export interface Sharing<Pool> {
  /** In the order of the pools: the cuts of each, in turn; empty where no cap took anything. */
  readonly cuts: readonly (readonly Cut[])[];
  readonly excesses: readonly Excess<Pool>[];
}

/**
 * The caps laid over these pools, in the order of the caps. What comes back is asked as often as counts change: it takes
 * what events ask of each pool, in the order of the pools, undefined where none names it.
 */
export function layCaps<Pool extends CappedPool>(
  caps: readonly Cap[],
  pools: readonly Pool[],
): (asked: readonly (number | undefined)[]) => Sharing<Pool> {
  const laid = caps.map((cap) => ({
    cap,
    members: pools.flatMap(({ cluster }, index) => (cap.clusters.has(cluster) ? [index] : [])),
  }));
  return (asked) => {
    const standings = pools.map((pool, index) => startingWith(pool, asked[index]));
    const excesses = laid.flatMap(({ cap, members }) =>
      applyCap(
        cap,
        members.flatMap((index) => standings.slice(index, index + 1)),
      ),
    );
    return { cuts: standings.map(({ cuts }) => cuts), excesses };
  };
}

/** What the caps so far have left of one pool's events. */
interface Standing<Pool> extends Claim {
  readonly pool: Pool;
  asked: number | undefined;
  readonly cuts: Cut[];
}

/** What the pool's own `maxReplicas` takes away is no cap's doing. */
function startingWith<Pool extends CappedPool>(pool: Pool, asked: number | undefined): Standing<Pool> {
  const { baseline, maxReplicas } = pool;
  return {
    pool,
    baseline,
    asked: asked === undefined ? undefined : Math.min(asked, maxReplicas),
    cuts: [],
  };
}

function applyCap<Pool>(cap: Cap, standings: readonly Standing<Pool>[]): readonly Excess<Pool>[] {
  const { counts, asked, allowed } = shareOut(standings, cap.most);
  if (allowed === asked) return [];
  const cuts = standings.flatMap((standing, index) => {
    const before = standing.asked ?? 0;
    const left = counts[index] ?? 0;
    if (left === before) return [];
    standing.asked = left;
    standing.cuts.push({ by: cap.name, left });
    return [{ pool: standing.pool, asked: before, left }];
  });
  return [{ cap, asked, allowed, cuts }];
}
