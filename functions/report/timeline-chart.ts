/** One pool over time as SVG: nodes, people, people waiting, placeholders; events as bands, decisions as marks. */
import type { Instant } from '../domain/instant.ts';
import type { Column, Timeline } from '../simulation/recorder.ts';
import type { Change } from '../simulation/run.ts';
import type { Markup } from './markup.ts';
import { element } from './markup.ts';
import { bucketed } from './text-table.ts';
import { clockTime, dayAndTime } from './units.ts';

const MINUTE = 60_000;
const WIDTH = 960;
const LEFT = 44;
const RIGHT = 12;
const PLOT = WIDTH - LEFT - RIGHT;
const TOP = 22;
const PEOPLE_HEIGHT = 150;
const GAP = 30;
const NODES_HEIGHT = 110;
const HEIGHT = TOP + PEOPLE_HEIGHT + GAP + NODES_HEIGHT + 26;

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
  const people = panel(chart, { top: TOP, height: PEOPLE_HEIGHT, columns: ['usersIn', 'waiting'] });
  const nodes = panel(chart, {
    top: TOP + PEOPLE_HEIGHT + GAP,
    height: NODES_HEIGHT,
    columns: ['nodes', 'wanted', 'warmSpares'],
  });
  const summary = `Pool ${chart.pool} from ${dayAndTime(chart.fromAt, chart.timeZone)} to ${dayAndTime(chart.toAt, chart.timeZone)}: at most ${String(people.tops.get('usersIn') ?? 0)} people in, ${String(people.tops.get('waiting') ?? 0)} waiting, ${String(nodes.tops.get('nodes') ?? 0)} nodes.`;
  return element(
    'svg',
    {
      viewBox: `0 0 ${String(WIDTH)} ${String(HEIGHT)}`,
      role: 'group',
      'aria-label': summary,
      class: 'chart',
    },
    element('title', {}, summary),
    bands(chart),
    people.markup,
    nodes.markup,
    marks(chart),
    timeAxis(chart),
  );
}

function x(chart: TimelineChart, at: Instant): number {
  const share = (at - chart.fromAt) / (chart.toAt - chart.fromAt);
  return round(LEFT + Math.min(1, Math.max(0, share)) * PLOT);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

interface Panel {
  readonly top: number;
  readonly height: number;
  readonly columns: readonly Column[];
}

interface DrawnPanel {
  readonly markup: Markup;
  readonly tops: ReadonlyMap<Column, number>;
}

function panel(chart: TimelineChart, { top, height, columns }: Panel): DrawnPanel {
  const first = Math.round((chart.fromAt - chart.originAt) / MINUTE);
  const minutes = Math.round((chart.toAt - chart.fromAt) / MINUTE);
  const buckets = Math.max(1, Math.min(minutes, PLOT));
  const series = columns.map((column) => ({
    column,
    values: bucketed(chart.timeline[column].subarray(first, first + minutes), buckets),
  }));
  const tops = new Map(series.map(({ column, values }) => [column, Math.max(...values)]));
  const largest = niceTop(Math.max(1, ...tops.values()));
  const y = (value: number): number => round(top + height - (value / largest) * height);
  const markup = element(
    'g',
    {},
    [0, largest / 2, largest].map((value) => gridLine(y(value), value)),
    series.map(({ column, values }) =>
      element('path', {
        class: `series ${column}`,
        d: steps(values, y, column === 'usersIn' || column === 'waiting'),
      }),
    ),
  );
  return { markup, tops };
}

/** A top that halves to a whole number. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [2, 4, 6, 10, 20].find((factor) => factor * power >= value) ?? 20;
  return step * power;
}

function gridLine(y: number, value: number): Markup {
  return element(
    'g',
    { class: 'grid', 'aria-hidden': 'true' },
    element('line', { x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }),
    element('text', { x: LEFT - 6, y: y + 4, 'text-anchor': 'end' }, value),
  );
}

/** A line in steps; only turns are written, so that a quiet night costs nothing. */
function steps(values: readonly number[], y: (value: number) => number, isArea: boolean): string {
  const width = PLOT / values.length;
  let path = `M${String(LEFT)} ${String(isArea ? y(0) : y(values[0] ?? 0))}`;
  if (isArea) path += `V${String(y(values[0] ?? 0))}`;
  values.forEach((value, index) => {
    if (index === 0 || value === values[index - 1]) return;
    path += `H${String(round(LEFT + index * width))}V${String(y(value))}`;
  });
  path += `H${String(WIDTH - RIGHT)}`;
  return isArea ? `${path}V${String(y(0))}Z` : path;
}

function bands(chart: TimelineChart): readonly Markup[] {
  return chart.events
    .filter(({ startAt, endAt }) => startAt < chart.toAt && endAt > chart.fromAt)
    .map(({ title, startAt, endAt }) => {
      const from = x(chart, startAt);
      const width = Math.max(1.5, x(chart, endAt) - from);
      const label = `event "${title}", ${clockTime(startAt, chart.timeZone)} to ${clockTime(endAt, chart.timeZone)}`;
      return element(
        'rect',
        { class: 'event', x: from, y: TOP, width: round(width), height: HEIGHT - TOP - 26 },
        element('title', {}, label),
      );
    });
}

function marks(chart: TimelineChart): readonly Markup[] {
  return chart.changes
    .filter(({ at, pool }) => pool === chart.pool && at >= chart.fromAt && at < chart.toAt)
    .map(({ at, live, wanted, reason }) => {
      const label = `${clockTime(at, chart.timeZone)}: placeholders ${String(live ?? 0)} to ${String(wanted)}, ${reason}`;
      return element(
        'circle',
        {
          class: 'mark',
          cx: x(chart, at),
          cy: TOP - 9,
          r: 4,
          tabindex: chart.hasStops ? 0 : undefined,
          role: 'img',
          'aria-label': label,
        },
        element('title', {}, label),
      );
    });
}

const STEPS = [15, 30, 60, 120, 180, 360, 720, 1440, 10_080].map((minutes) => minutes * MINUTE);
const MOST_LABELS = 12;
const LABEL_ROOM = 60;

function timeAxis(chart: TimelineChart): readonly Markup[] {
  const span = chart.toAt - chart.fromAt;
  const step = STEPS.find((each) => span / each <= MOST_LABELS) ?? 28 * 1440 * MINUTE;
  const labels: Markup[] = [];
  for (let at = chart.fromAt; at < chart.toAt; at += step) {
    if (x(chart, at) > WIDTH - LABEL_ROOM) break;
    const text =
      step >= 1440 * MINUTE
        ? (dayAndTime(at, chart.timeZone).split(',')[0] ?? '')
        : clockTime(at, chart.timeZone);
    labels.push(
      element('text', { class: 'time', x: x(chart, at), y: HEIGHT - 8, 'aria-hidden': 'true' }, text),
    );
  }
  return labels;
}
