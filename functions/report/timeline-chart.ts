/** One pool over time as SVG: people, nodes and placeholders; events as bands, decisions as marks. */
import type { Instant, Window } from '../domain/instant.ts';
import type { Timeline } from '../simulation/recorder.ts';
import type { Change } from '../simulation/run.ts';
import type { TimeScale } from './chart-frame.ts';
import { LEFT, LETTER_WIDTH, RIGHT, round, timeAxis, timeScale, WIDTH } from './chart-frame.ts';
import type { Panel } from './chart-panel.ts';
import { drawPanel } from './chart-panel.ts';
import type { Markup } from './markup.ts';
import { element } from './markup.ts';
import { clockTime, dayAndTime } from './units.ts';

const REASON = { width: 440, height: 40 } as const;
const MARKS_Y = REASON.height + 10;
const PEOPLE: Panel = {
  top: MARKS_Y + 26,
  height: 150,
  caption: 'people',
  areas: ['usersIn', 'waiting'],
  lines: [],
};
const NODES: Panel = {
  top: PEOPLE.top + PEOPLE.height + 34,
  height: 110,
  caption: 'nodes and placeholders',
  areas: [],
  lines: ['nodes', 'warmSpares', 'wanted'],
};
const BOTTOM = NODES.top + NODES.height;
const HEIGHT = BOTTOM + 24;

export interface ChartEvent {
  readonly title: string;
  readonly startAt: Instant;
  readonly endAt: Instant;
}

export interface TimelineChart {
  readonly pool: string;
  readonly timeline: Timeline;
  /** Where the timeline's first minute lies. */
  readonly originAt: Instant;
  readonly fromAt: Instant;
  readonly toAt: Instant;
  readonly timeZone: string;
  readonly events: readonly ChartEvent[];
  readonly changes: readonly Change[];
  /** Whether each mark is a stop of the tab key: not where there are hundreds of them, and they come again below. */
  readonly hasStops: boolean;
}

export function timelineChart(chart: TimelineChart): Markup {
  const window: Window = { startAt: chart.fromAt, endAt: chart.toAt };
  const x = timeScale(window);
  const data = { timeline: chart.timeline, originAt: chart.originAt, window };
  const people = drawPanel(PEOPLE, data);
  const nodes = drawPanel(NODES, data);
  const most = (count: number | undefined): string => String(count ?? 0);
  const summary = `Pool ${chart.pool} from ${dayAndTime(chart.fromAt, chart.timeZone)} to ${dayAndTime(chart.toAt, chart.timeZone)}: at most ${most(people.tops.get('usersIn'))} people in, ${most(people.tops.get('waiting'))} waiting, ${most(nodes.tops.get('nodes'))} nodes.`;
  return element(
    'svg',
    {
      viewBox: `0 0 ${String(WIDTH)} ${String(HEIGHT)}`,
      role: 'group',
      'aria-label': summary,
      class: 'chart',
    },
    bands(chart, x),
    people.markup,
    nodes.markup,
    bandLabels(chart, x),
    timeAxis(window, chart.timeZone, BOTTOM),
    marks(chart, x),
  );
}

function eventsWithin({ events, fromAt, toAt }: TimelineChart): readonly ChartEvent[] {
  return events.filter(({ startAt, endAt }) => startAt < toAt && endAt > fromAt);
}

function bands(chart: TimelineChart, x: TimeScale): readonly Markup[] {
  return eventsWithin(chart).map(({ title, startAt, endAt }) => {
    const from = x(startAt);
    const label = `event "${title}", ${clockTime(startAt, chart.timeZone)} to ${clockTime(endAt, chart.timeZone)}`;
    return element(
      'rect',
      {
        class: 'event',
        x: from,
        y: PEOPLE.top,
        width: round(Math.max(1.5, x(endAt) - from)),
        height: BOTTOM - PEOPLE.top,
      },
      element('title', {}, label),
    );
  });
}

const FEWEST_LETTERS = 5;

/** Titles of those events whose bands have room for one, none over another. */
function bandLabels(chart: TimelineChart, x: TimeScale): readonly Markup[] {
  let freeFrom = 0;
  return eventsWithin(chart).flatMap(({ title, startAt, endAt }) => {
    const from = x(startAt);
    const letters = Math.floor((x(endAt) - from - 6) / LETTER_WIDTH);
    if (letters < FEWEST_LETTERS || from < freeFrom) return [];
    freeFrom = x(endAt);
    const characters = Array.from(title);
    const text = characters.length <= letters ? title : `${characters.slice(0, letters - 1).join('')}…`;
    return element('text', { class: 'band', x: from + 4, y: PEOPLE.top + 14, 'aria-hidden': 'true' }, text);
  });
}

/** Each with its reason: as the tooltip of the mouse, and as text over the chart for touch and the keyboard. */
function marks(chart: TimelineChart, x: TimeScale): readonly Markup[] {
  return chart.changes
    .filter(({ at, pool }) => pool === chart.pool && at >= chart.fromAt && at < chart.toAt)
    .map((change) => {
      const label = describeChange(change, chart.timeZone);
      return element(
        'g',
        { class: 'mark', tabindex: chart.hasStops ? 0 : undefined, role: 'img' },
        element('title', {}, label),
        element('circle', { cx: x(change.at), cy: MARKS_Y, r: 5 }),
        chart.hasStops ? reasonBox(x(change.at), label) : undefined,
      );
    });
}

function describeChange({ at, live, wanted, reason }: Change, timeZone: string): string {
  return `${clockTime(at, timeZone)}: placeholders ${String(live ?? 0)} to ${String(wanted)}, ${reason}`;
}

function reasonBox(markX: number, label: string): Markup {
  const x = Math.max(LEFT, Math.min(RIGHT - REASON.width, markX - REASON.width / 2));
  return element(
    'foreignObject',
    { class: 'reason', x: round(x), y: 0, ...REASON, 'aria-hidden': 'true' },
    element('p', {}, label),
  );
}
