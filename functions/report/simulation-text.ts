/** A simulation for the terminal. */
import { adviseOn, calendarFindings } from '../simulation/findings.ts';
import { toOneLine } from '../domain/one-line.ts';
import type { TrialResult } from '../simulation/trial.ts';
import { describeAdvice } from './advice-text.ts';
import { textTable, wrapped } from './text-table.ts';
import { dayAndTime, decimal, duration } from './units.ts';

export interface TextOptions {
  readonly columns: number;
  /** Where the HTML report was written. */
  readonly out: string | undefined;
}

/** More lines than these nobody reads in a terminal; the report has them all. */
const MOST_LINES = 20;

const NOBODY =
  'Nobody logs in during this time. Without a scenario file, people come for events that ask for placeholders.';

export function describeTrial(result: TrialResult, { columns, out }: TextOptions): string {
  const { scenario, run, isWhole } = result;
  const advice = adviseOn(scenario, run).map((each) => describeAdvice(each, scenario.timeZone));
  const flaws = calendarFindings(scenario).map(
    ({ eventTitle, eventStartAt, message }) =>
      `${eventStartAt === undefined ? '' : `${dayAndTime(eventStartAt, scenario.timeZone)}, `}"${eventTitle}": ${message}`,
  );
  return [
    `${wrapped(heading(result), columns)}\n\n`,
    isWhole ? '' : 'Stopped before the end: what follows is what happened until then.\n\n',
    comparison(result),
    run.visits.length > 0 ? '' : `\n${wrapped(NOBODY, columns)}\n`,
    section('In the calendar', flaws, columns),
    section('Classes and events', advice, columns),
    out === undefined ? '' : `\nReport: ${out}\n`,
  ].join('');
}

function heading({ scenario, run, seed }: TrialResult): string {
  const from = dayAndTime(run.fromAt, scenario.timeZone);
  const to = dayAndTime(run.toAt, scenario.timeZone);
  return `${toOneLine(scenario.name)}: ${from} to ${to} (${scenario.timeZone}), seed ${String(seed)}, ${String(run.passes)} passes.`;
}

function comparison({ summaries, lowestNodeHours }: TrialResult): string {
  const table = textTable(
    ['policy', 'people', 'p50', 'p95', 'longest', 'over 1 min', 'never in', 'node-hours', 'idle', 'cost'],
    summaries.map(({ policy, waits, nodeHours, idleNodeHours, cost }) => [
      policy,
      String(waits.visits),
      duration(waits.p50),
      duration(waits.p95),
      duration(waits.max),
      String(waits.overOneMinute),
      String(waits.neverIn),
      decimal(nodeHours),
      decimal(idleNodeHours),
      decimal(cost, 2),
    ]),
  );
  return `${table}  With perfect foresight: ${decimal(lowestNodeHours)} node-hours.\n`;
}

function section(title: string, lines: readonly string[], columns: number): string {
  if (lines.length === 0) return '';
  const shown = lines
    .slice(0, MOST_LINES)
    .map((line) => `  - ${wrapped(toOneLine(line), columns - 4, '    ')}\n`);
  const more = lines.length - shown.length;
  return `\n${title}\n${shown.join('')}${more > 0 ? `  and ${String(more)} more\n` : ''}`;
}
