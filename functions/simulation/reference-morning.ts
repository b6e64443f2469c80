/**
 * The reference morning: sixty people log in between 08:58 and 09:05 and stay about an hour; the baseline is one
 * placeholder, and an event from 08:50 to 09:10 asks for three.
 */
import { DEFAULT_CONFIG, DEFAULT_CONFIG_SOURCE } from '../config/default-config.ts';
import { parseSettings } from '../config/load.ts';
import { REFERENCE_USER, referencePool } from '../embedded/reference.ts';
import type { Visit } from '../embedded/users.ts';
import { DEFAULT_ARRIVAL, DEFAULT_STAY, drawVisits } from './people.ts';
import type { Scenario } from './scenario.ts';

const DAY_AT = Date.UTC(2026, 8, 7);
const PEOPLE = 60;

/** An instant of that day, as `08:50`. */
export function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return DAY_AT + (hours * 60 + minutes) * 60_000;
}

export function referenceMorning(): Scenario {
  const settings = parseSettings(
    DEFAULT_CONFIG,
    { source: DEFAULT_CONFIG_SOURCE, folder: '.' },
    { kubeconfigPath: '' },
  );
  const [cluster] = settings.clusters;
  const pools = (cluster?.pools ?? []).map((pool) => ({
    spec: cluster === undefined ? undefined : referencePool(cluster, pool),
    user: REFERENCE_USER,
  }));
  return {
    name: 'reference morning',
    fromAt: timeOfDay('08:00'),
    toAt: timeOfDay('11:00'),
    timeZone: 'UTC',
    settings,
    events: [
      {
        id: 'reference',
        title: 'Monday class',
        text: 'base: 3',
        startAt: timeOfDay('08:50'),
        endAt: timeOfDay('09:10'),
      },
    ],
    pools: pools.flatMap(({ spec, user }) => (spec === undefined ? [] : [{ spec, user }])),
    nodeQuota: 1000,
    stockOuts: [],
    visits,
  };
}

function visits(seed: number): readonly Visit[] {
  const startAt = timeOfDay('09:00');
  return drawVisits(
    {
      sessions: [
        {
          title: 'Monday class',
          pool: 'base',
          people: PEOPLE,
          startAt,
          arriveMinutes: DEFAULT_ARRIVAL,
          stay: DEFAULT_STAY,
        },
      ],
      trickles: [],
      cullMinutes: 0,
      fromAt: timeOfDay('08:00'),
      toAt: timeOfDay('11:00'),
      timeZone: 'UTC',
    },
    seed,
  );
}
