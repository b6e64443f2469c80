/** One panel of a timeline: what is stacked as areas, and what is drawn as lines, in steps. */
import { scaleLinear } from 'd3-scale';
import { area, curveStepAfter, line, stack } from 'd3-shape';
import type { Instant, Window } from '../domain/instant.ts';
import type { Column, Timeline } from '../simulation/recorder.ts';
import { LEFT, RIGHT, round } from './chart-frame.ts';
import type { Markup } from './markup.ts';
import { element } from './markup.ts';
import { bucketed } from './text-table.ts';

const MINUTE = 60_000;
const MOST_BUCKETS = RIGHT - LEFT;
const TICKS = 4;

export interface Panel {
  readonly top: number;
  readonly height: number;
  readonly caption: string;
  /** Stacked, the first at the bottom. */
  readonly areas: readonly Column[];
  readonly lines: readonly Column[];
}

export interface PanelData {
  readonly timeline: Timeline;
  /** Where the timeline's first minute lies. */
  readonly originAt: Instant;
  readonly window: Window;
}

export interface DrawnPanel {
  readonly markup: Markup;
  /** The largest value of each column. */
  readonly tops: ReadonlyMap<Column, number>;
}

type Row = Readonly<Partial<Record<Column, number>>>;

/** From `low` to `high` as of `x`. */
interface Step {
  readonly x: number;
  readonly low: number;
  readonly high: number;
}

export function drawPanel(panel: Panel, data: PanelData): DrawnPanel {
  const columns = [...panel.areas, ...panel.lines];
  const rows = rowsOf(columns, data);
  const tops = new Map(columns.map((column) => [column, largestOf(rows, column)]));
  const x = bucketScale(rows.length);
  const stacked = stack<unknown, Row, Column>()
    .keys(panel.areas)
    .value((row, column) => row[column] ?? 0)([...rows]);
  const highest = Math.max(1, ...tops.values(), ...stacked.flat().map(([, high]) => high));
  const y = scaleLinear([0, highest], [panel.top + panel.height, panel.top]).nice(TICKS);
  const shape = area<Step>()
    .x((step) => step.x)
    .y0(({ low }) => y(low))
    .y1(({ high }) => y(high));
  const stroke = line<Step>()
    .x((step) => step.x)
    .y(({ high }) => y(high));
  const areas = stacked.map((series) => {
    const steps = series.map(([low, high], index) => ({ x: x(index), low, high }));
    return drawSeries(series.key, shape.curve(curveStepAfter).digits(1)(turns(steps)));
  });
  const lines = panel.lines.map((column) => {
    const steps = rows.map((row, index) => ({ x: x(index), low: 0, high: row[column] ?? 0 }));
    return drawSeries(column, stroke.curve(curveStepAfter).digits(1)(turns(steps)));
  });
  const grid = y.ticks(TICKS).filter(Number.isInteger);
  const caption = element('text', { x: LEFT, y: panel.top - 6, class: 'caption' }, panel.caption);
  const markup = element('g', {}, [
    ...grid.map((value) => gridLine(round(y(value)), value)),
    areas,
    lines,
    caption,
  ]);
  return { markup, tops };
}

function rowsOf(columns: readonly Column[], { timeline, originAt, window }: PanelData): readonly Row[] {
  const first = Math.round((window.startAt - originAt) / MINUTE);
  const minutes = Math.round((window.endAt - window.startAt) / MINUTE);
  const buckets = Math.max(1, Math.min(minutes, MOST_BUCKETS));
  const values = columns.map(
    (column) => [column, bucketed(timeline[column].subarray(first, first + minutes), buckets)] as const,
  );
  return Array.from({ length: buckets }, (_, index) =>
    Object.fromEntries(values.map(([column, ofColumn]) => [column, ofColumn[index] ?? 0])),
  );
}

function largestOf(rows: readonly Row[], column: Column): number {
  return rows.reduce((largest, row) => Math.max(largest, row[column] ?? 0), 0);
}

function bucketScale(buckets: number): (index: number) => number {
  return scaleLinear([0, buckets], [LEFT, RIGHT]);
}

/** Only where something changes, and the end: a quiet night costs nothing. */
function turns(steps: readonly Step[]): Step[] {
  const turning = steps.filter(({ low, high }, index) => {
    const before = steps[index - 1];
    return low !== before?.low || high !== before.high;
  });
  const last = steps.at(-1);
  return last === undefined ? turning : [...turning, { ...last, x: RIGHT }];
}

function drawSeries(column: Column, path: string | null): Markup {
  return element('path', { class: `series ${column}`, d: path ?? '' });
}

function gridLine(y: number, value: number): Markup {
  return element(
    'g',
    { class: 'grid', 'aria-hidden': 'true' },
    element('line', { x1: LEFT, x2: RIGHT, y1: y, y2: y }),
    element('text', { x: LEFT - 6, y: y + 4, 'text-anchor': 'end' }, value),
  );
}
