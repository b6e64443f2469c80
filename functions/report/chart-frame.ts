/** Where things lie in a timeline: its sizes, and its axis of time with ticks that people of the zone would choose. */
import { scaleLinear, scaleUtc } from 'd3-scale';
import { ianaZone, placeWall } from '../calendar/zone.ts';
import type { Instant, Window } from '../domain/instant.ts';
import type { Markup } from './markup.ts';
import { element } from './markup.ts';
import { clockTime, day } from './units.ts';

export const WIDTH = 960;
export const LEFT = 44;
export const RIGHT = WIDTH - 12;

const DAY = 86_400_000;
const TICKS = 10;
/** More than the mean of the page's letters. */
export const LETTER_WIDTH = 6.8;

export type TimeScale = (at: Instant) => number;

/** What lies before or after the window is shown at its edge. */
export function timeScale({ startAt, endAt }: Window): TimeScale {
  const scale = scaleLinear([startAt, endAt], [LEFT, RIGHT]).clamp(true);
  return (at) => round(scale(at));
}

/** A tenth of a pixel is more than a screen shows. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** @param y of the line on which the ticks stand. */
export function timeAxis(window: Window, timeZone: string, y: number): Markup {
  const scale = timeScale(window);
  let freeFrom = LEFT;
  const ticks = ticksOf(window, timeZone).map(({ at, text }) => {
    const x = scale(at);
    const width = text.length * LETTER_WIDTH;
    const from = Math.max(LEFT, Math.min(RIGHT - width, x - width / 2));
    const mark = element('line', { x1: x, x2: x, y1: y, y2: y + 5 });
    if (from < freeFrom) return [mark];
    freeFrom = from + width + LETTER_WIDTH;
    return [mark, element('text', { x: round(from), y: y + 18 }, text)];
  });
  return element('g', { class: 'axis', 'aria-hidden': 'true' }, ticks);
}

/** Round times by the clock on the wall, also where summer time begins or ends between two of them. */
function ticksOf(
  { startAt, endAt }: Window,
  timeZone: string,
): readonly { readonly at: Instant; readonly text: string }[] {
  const zone = ianaZone(timeZone);
  const wall = [startAt, endAt].map((at) => at + zone.offsetAt(at));
  return scaleUtc(wall, [0, 1])
    .ticks(TICKS)
    .map((tick) => ({ at: placeWall(tick.getTime(), zone), isMidnight: tick.getTime() % DAY === 0 }))
    .filter(({ at }) => at >= startAt && at <= endAt)
    .map(({ at, isMidnight }) => ({
      at,
      text: isMidnight ? day(at, timeZone) : clockTime(at, timeZone),
    }));
}
