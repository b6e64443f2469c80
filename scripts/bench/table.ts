/** The findings as text for people. */
import { isMet, isRight } from './figure.ts';
import type { Bar, Count, Figure, Findings, Unit } from './figure.ts';
import type { Machine } from './machine.ts';

export function machineText(machine: Machine): string {
  const { cpu, cores, memoryGb, system, node, loadBefore } = machine;
  return `${cpu}, ${cores} cores, ${memoryGb} GB; ${system}; Node ${node}; load before the run ${loadBefore}`;
}

export function findingsText(name: string, about: string, findings: Findings): string {
  const lines = [`${name}: ${about}`, ...findings.notes.map((note) => `  ${note}`)];
  if (findings.figures.length > 0) {
    lines.push(...columns([FIGURE_HEAD, ...findings.figures.map(figureCells)]));
  }
  lines.push(...findings.bars.map(barText), ...countTexts(findings.counts));
  return `${lines.join('\n')}\n`;
}

const FIGURE_HEAD = ['', 'median', 'lowest', 'highest', 'runs'];

function figureCells({ name, unit, median, lowest, highest, samples }: Figure): readonly string[] {
  return [name, quantity(median, unit), quantity(lowest, unit), quantity(highest, unit), String(samples)];
}

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = FIGURE_HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .padStart(2),
  );
}

function barText(bar: Bar): string {
  const verdict = isMet(bar) ? 'met' : 'NOT met';
  return `bar ${verdict}: ${bar.name}: ${quantity(bar.found, bar.unit)}, at most ${quantity(bar.atMost, bar.unit)}`;
}

/** Right counts are said once each, wrong ones every time. */
function countTexts(counts: readonly Count[]): readonly string[] {
  const texts = counts.map((count) => {
    const { name, expected, found } = count;
    return isRight(count)
      ? `count right: ${name}: ${found}`
      : `count WRONG: ${name}: ${found}, not ${expected}`;
  });
  return [...new Set(texts)];
}

function quantity(value: number, unit: Unit): string {
  if (Number.isNaN(value)) return '?';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
  const text = Number.isInteger(value) ? String(value) : value.toFixed(digits);
  return unit === '' ? text : unit === 'times' ? `${text}×` : `${text} ${unit}`;
}
