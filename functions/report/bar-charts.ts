/**
 * The policies beside each other: how long people waited, and node-hours. Widths are shares of the page, so that the bars
 * fit a phone as they fit paper, and letters keep their size.
 */
import { scaleLinear } from 'd3-scale';
import { stack } from 'd3-shape';
import type { Summary } from '../simulation/summary.ts';
import { WAIT_CLASSES } from '../simulation/summary.ts';
import type { Markup } from './markup.ts';
import { element } from './markup.ts';
import { decimal, duration } from './units.ts';

const ROW = 52;
const BAR_Y = 24;
const BAR_HEIGHT = 20;
/** What a digit takes of a phone's page, in percent, and the space on both sides of a number. */
const DIGIT = 2.4;
const SPACE = 1;

interface Part {
  readonly name: string;
  readonly value: number;
  readonly hover: string;
  /** What is written on it where there is room. */
  readonly text: string;
}

interface Row {
  readonly title: string;
  readonly note: string;
  readonly parts: readonly Part[];
}

export function waitBars(summaries: readonly Summary[]): Markup {
  const most = Math.max(1, ...summaries.map(({ waits }) => waits.visits));
  return bars('Waits by policy', summaries.map(waitRow), most);
}

function waitRow({ policy, waits }: Summary): Row {
  return {
    title: policy,
    note: `95 % within ${duration(waits.p95)}`,
    parts: waits.histogram.map((count, index) => ({
      name: `w${String(index)}`,
      value: count,
      hover: `${policy}: ${String(count)} of ${String(waits.visits)} people waited ${WAIT_CLASSES[index]?.label ?? ''}`,
      text: String(count),
    })),
  };
}

export function hourBars(summaries: readonly Summary[], lowest: number): Markup {
  const most = Math.max(lowest, ...summaries.map(({ nodeHours }) => nodeHours)) || 1;
  const bound: Row = {
    title: 'perfect foresight',
    note: decimal(lowest),
    parts: [hourPart('perfect foresight', 'bound', { hours: lowest, meaning: 'at the least' })],
  };
  return bars('Node-hours by policy', [...summaries.map(hourRow), bound], most);
}

function hourRow({ policy, nodeHours, idleNodeHours, cost }: Summary): Row {
  return {
    title: policy,
    note: `${decimal(nodeHours)}, cost ${decimal(cost, 2)}`,
    parts: [
      hourPart(policy, 'used', { hours: nodeHours - idleNodeHours, meaning: 'with users' }),
      hourPart(policy, 'idle', { hours: idleNodeHours, meaning: 'idle' }),
    ],
  };
}

function hourPart(
  policy: string,
  name: string,
  { hours, meaning }: { readonly hours: number; readonly meaning: string },
): Part {
  return {
    name,
    value: hours,
    hover: `${policy}: ${decimal(hours)} node-hours ${meaning}`,
    text: decimal(hours),
  };
}

function bars(label: string, rows: readonly Row[], most: number): Markup {
  const share = scaleLinear([0, most], [0, 100]);
  return element(
    'svg',
    { class: 'bars', width: '100%', height: rows.length * ROW, role: 'group', 'aria-label': label },
    rows.map((row, index) => drawRow(row, index * ROW, share)),
  );
}

function drawRow({ title, note, parts }: Row, top: number, share: (value: number) => number): Markup {
  const stacked = stack<unknown, readonly Part[], number>()
    .keys(parts.keys())
    .value((all, index) => all[index]?.value ?? 0)([parts]);
  return element(
    'g',
    {},
    element('text', { x: 0, y: top + 17, class: 'label' }, title),
    element('text', { x: '100%', y: top + 17, 'text-anchor': 'end' }, note),
    stacked.map((series) => {
      const [from, to] = [share(series[0]?.[0] ?? 0), share(series[0]?.[1] ?? 0)];
      const part = parts[series.key];
      return part === undefined || to <= from ? undefined : drawPart(part, { from, to, y: top + BAR_Y });
    }),
  );
}

function drawPart(
  part: Part,
  { from, to, y }: { readonly from: number; readonly to: number; readonly y: number },
): Markup {
  const text = element(
    'text',
    { class: `on-${part.name}`, x: percent((from + to) / 2), y: y + 15, 'text-anchor': 'middle' },
    part.text,
  );
  return element(
    'g',
    {},
    element(
      'rect',
      { class: `part ${part.name}`, x: percent(from), y, width: percent(to - from), height: BAR_HEIGHT },
      element('title', {}, part.hover),
    ),
    to - from >= part.text.length * DIGIT + SPACE ? text : undefined,
  );
}

function percent(value: number): string {
  return `${value.toFixed(2)}%`;
}

export function waitLegend(): Markup {
  return legendOf(WAIT_CLASSES.map(({ label }, index) => [`w${String(index)}`, label]));
}

export function hourLegend(): Markup {
  return legendOf([
    ['used', 'with users'],
    ['idle', 'idle: nobody on the node'],
    ['bound', 'as few as the people present could do with'],
  ]);
}

/** Swatches by the class that colours them, each with its meaning. */
export function legendOf(entries: readonly (readonly [name: string, meaning: string])[]): Markup {
  return element(
    'ul',
    { class: 'legend' },
    entries.map(([name, meaning]) =>
      element('li', {}, element('span', { class: `swatch s-${name}` }), ` ${meaning}`),
    ),
  );
}
