/** Who comes when, by seed: classes that come together, and people who come one by one. */
import { DAY, HOUR, MINUTE } from '../calendar/civil-calendar.ts';
import { ianaZone, placeWall } from '../calendar/zone.ts';
import type { Instant } from '../domain/instant.ts';
import type { Duration, Random } from '../embedded/random.ts';
import { drawBetween, drawExponential, drawSeconds, randomFrom } from '../embedded/random.ts';
import type { Visit } from '../embedded/users.ts';
import { weekdayNameOf } from './local-time.ts';
import type { Weekday } from './scenario-schema.ts';

/** One class that took place once. */
export interface ClassSession {
  readonly title: string;
  readonly pool: string;
  readonly people: number;
  readonly startAt: Instant;
  /** Minutes from the start between which people log in. */
  readonly arriveMinutes: readonly [number, number];
  /** In minutes. */
  readonly stay: Duration;
}

export interface Trickle {
  readonly pool: string;
  readonly peoplePerHour: number;
  readonly hours: readonly [number, number];
  readonly days: readonly Weekday[];
  /** In minutes. */
  readonly stay: Duration;
}

export interface People {
  readonly sessions: readonly ClassSession[];
  readonly trickles: readonly Trickle[];
  readonly cullMinutes: number;
  readonly fromAt: Instant;
  readonly toAt: Instant;
  readonly timeZone: string;
}

export const DEFAULT_ARRIVAL = [-2, 5] as const;
export const DEFAULT_STAY: Duration = { uniform: [50, 70] };
export const DEFAULT_TRICKLE_STAY: Duration = { median: 60, sigma: 0.6 };

/** Everybody who logs in, in order. */
export function drawVisits(people: People, seed: number): readonly Visit[] {
  const random = randomFrom(seed);
  const visits = [
    ...people.sessions.flatMap((session, index) =>
      drawSession(people, session, random.stream(`class/${String(index)}`)),
    ),
    ...people.trickles.flatMap((trickle, index) =>
      drawTrickle(people, trickle, random.stream(`trickle/${String(index)}`)),
    ),
  ];
  return visits.filter(({ at }) => at >= people.fromAt && at < people.toAt).sort((a, b) => a.at - b.at);
}

function drawSession(people: People, session: ClassSession, random: Random): readonly Visit[] {
  const [from, to] = session.arriveMinutes;
  return Array.from({ length: session.people }, () => ({
    at: Math.round(session.startAt + drawBetween(from, to, random) * MINUTE),
    pool: session.pool,
    staySeconds: staySeconds(people, session.stay, random),
    group: session.title,
    sessionAt: session.startAt,
  }));
}

function drawTrickle(people: People, trickle: Trickle, random: Random): readonly Visit[] {
  const zone = ianaZone(people.timeZone);
  const [fromHour, toHour] = trickle.hours;
  const visits: Visit[] = [];
  const firstDay = Math.floor((people.fromAt + zone.offsetAt(people.fromAt)) / DAY) * DAY;
  for (let day = firstDay; placeWall(day, zone) < people.toAt; day += DAY) {
    if (!trickle.days.includes(weekdayNameOf(day)) || trickle.peoplePerHour === 0) continue;
    const end = day + toHour * HOUR;
    const pause = (): number => drawExponential(HOUR / trickle.peoplePerHour, random);
    for (let wall = day + fromHour * HOUR + pause(); wall < end; wall += pause()) {
      visits.push({
        at: Math.round(placeWall(wall, zone)),
        pool: trickle.pool,
        staySeconds: staySeconds(people, trickle.stay, random),
        group: 'one by one',
        sessionAt: undefined,
      });
    }
  }
  return visits;
}

/** Nobody stays for less than a minute. */
function staySeconds({ cullMinutes }: People, stay: Duration, random: Random): number {
  return Math.max(60, Math.round((drawSeconds(stay, random) + cullMinutes) * 60));
}
