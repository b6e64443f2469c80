/** What bounds a cluster together with others of the fleet, and all that is needed to share those bounds out. */
import type { Settings } from '../config/settings.ts';
import type { Cap } from '../domain/cap.ts';
import { fleetPools } from './calendars.ts';
import type { FleetCalendar } from './calendars.ts';
import type { Fleet } from './job.ts';

const UNBOUNDED: Fleet = { caps: [], pools: [], calendars: [] };

/** By the name of a cluster. Each sees of the others as many as its own counts depend on, and reads no more calendars. */
export function fleetsOf(
  settings: Settings,
  calendars: ReadonlyMap<string, FleetCalendar>,
): (cluster: string) => Fleet {
  const pools = fleetPools(settings);
  const fleets = new Map(
    settings.caps.map((widest) => [
      widest,
      {
        caps: settings.caps.filter((cap) => isWithin(cap, widest)),
        pools: pools.filter(({ cluster }) => widest.clusters.has(cluster)),
        calendars: [
          ...new Set([...calendars].flatMap(([name, one]) => (widest.clusters.has(name) ? [one] : []))),
        ],
      },
    ]),
  );
  return (cluster) => {
    // A calendar's clusters are among all clusters, whose bound comes last.
    const widest = settings.caps.findLast(({ clusters }) => clusters.has(cluster));
    return (widest === undefined ? undefined : fleets.get(widest)) ?? UNBOUNDED;
  };
}

function isWithin(cap: Cap, widest: Cap): boolean {
  return [...cap.clusters].every((name) => widest.clusters.has(name));
}
