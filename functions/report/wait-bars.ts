/** How long people waited, as bars: a row for each policy, a part for each class of waits. */
import { WAIT_CLASSES } from '../simulation/summary.ts';
import type { Summary } from '../simulation/summary.ts';
import type { Markup } from './markup.ts';
import { element } from './markup.ts';

const WIDTH = 960;
const LEFT = 130;
const ROW = 34;
const BAR = 22;

export function waitBars(summaries: readonly Summary[]): Markup {
  const height = summaries.length * ROW + 8;
  return element(
    'svg',
    {
      viewBox: `0 0 ${String(WIDTH)} ${String(height)}`,
      role: 'group',
      'aria-label': 'Waits by policy',
      class: 'chart',
    },
    summaries.map((summary, index) => row(summary, index * ROW + 4)),
  );
}

function row({ policy, waits }: Summary, y: number): Markup {
  const scale = (WIDTH - LEFT - 8) / Math.max(1, waits.visits);
  let x = LEFT;
  const parts = waits.histogram.map((count, index) => {
    const width = count * scale;
    const label = `${policy}: ${String(count)} of ${String(waits.visits)} people waited ${WAIT_CLASSES[index]?.label ?? ''}`;
    const part = element(
      'rect',
      { class: `wait w${String(index)}`, x: x.toFixed(1), y, width: width.toFixed(1), height: BAR },
      element('title', {}, label),
    );
    x += width;
    return count === 0 ? undefined : part;
  });
  const label = element('text', { x: LEFT - 8, y: y + 16, 'text-anchor': 'end', class: 'label' }, policy);
  return element('g', {}, label, parts);
}

export function waitLegend(): Markup {
  return element(
    'ul',
    { class: 'legend' },
    WAIT_CLASSES.map(({ label }, index) =>
      element('li', {}, element('span', { class: `swatch w${String(index)}` }), ` ${label}`),
    ),
  );
}
