/** The demonstration as text: what happened, minute by minute; a small chart; who waited, here and otherwise. */
import { medianSeconds } from '../embedded/random.ts';
import type { TurnAt } from '../simulation/chronicle.ts';
import type { Timeline } from '../simulation/recorder.ts';
import type { Run } from '../simulation/run.ts';
import type { Scenario } from '../simulation/scenario.ts';
import type { Summary } from '../simulation/summary.ts';
import { bucketed, digits, sparkline, textTable, wrapped } from './text-table.ts';
import { clockTime, decimal, duration } from './units.ts';

export interface Morning {
  readonly scenario: Scenario;
  readonly run: Run;
  readonly turns: readonly TurnAt[];
  readonly summaries: readonly Summary[];
  readonly columns: number;
}

const LABEL_WIDTH = 20;
const TIME_WIDTH = 9;
const MOST_COLUMNS = 100;

export function describeMorning(morning: Morning): string {
  const width = Math.min(morning.columns, MOST_COLUMNS);
  return [
    introduction(morning, width),
    'What happened\n',
    story(morning, width),
    '\nMinute by minute\n',
    chart(morning, width),
    '\nHow long sixty people waited for their server\n',
    waits(morning.summaries),
    `\n${closing(width)}\n`,
  ].join('');
}

function introduction({ scenario, run }: Morning, width: number): string {
  const { timeZone, events, pools } = scenario;
  const calendar = events.map(
    ({ title, text, startAt, endAt }) =>
      `the calendar has "${title}", ${clockTime(startAt, timeZone)} to ${clockTime(endAt, timeZone)}, with the description "${text}"`,
  );
  const machines = pools.map(
    ({ spec }) =>
      `a new one takes ${duration(medianSeconds(spec.boot))} to boot and ${duration(medianSeconds(spec.pull))} to pull the user image`,
  );
  const text =
    `A class morning on a model cluster and a virtual clock (seed ${String(run.seed)}, ${String(run.passes)} real passes, one a minute). ` +
    `Nodes of 16 CPU and 64 GB; ${machines.join('; ')}. ` +
    `One placeholder is held all day; ${calendar.join('; ')}.`;
  return `${wrapped(text, width)}\n\n`;
}

interface Line {
  readonly at: number;
  readonly text: string;
}

function story({ scenario, run, turns }: Morning, width: number): string {
  const lines: Line[] = [
    ...people(run),
    ...run.changes.map(({ at, pool, live, wanted, reason }) => ({
      at,
      text: `placeholders ${pool} ${String(live ?? 0)} → ${String(wanted)}: ${reason}`,
    })),
    ...turns.map(({ at, turn }) => ({ at, text: describeTurn(turn) })),
  ];
  const indent = ' '.repeat(TIME_WIDTH);
  return lines
    .sort((a, b) => a.at - b.at)
    .map(({ at, text }) => {
      const time = `  ${clockTime(at, scenario.timeZone)}`.padEnd(TIME_WIDTH);
      return `${time}${wrapped(text, width - TIME_WIDTH, indent)}\n`;
    })
    .join('');
}

function describeTurn(turn: TurnAt['turn']): string {
  const some = (noun: string): string => `${String(turn.count)} ${noun}${turn.count === 1 ? '' : 's'}`;
  switch (turn.kind) {
    case 'nodesRequested':
      return `the cluster autoscaler asks for ${some('node')}, since placeholders are Pending`;
    case 'nodesReady':
      return `${some('new node')} Ready; the user image is being pulled`;
    case 'nodesWarm':
      return `${some('node')} warm: the user image is there`;
    case 'nodesGone':
      return `${some('node')} removed: nobody has needed ${turn.count === 1 ? 'it' : 'them'} for ten minutes`;
    case 'spareTaken':
      return `${some('placeholder')} on a ${turn.wasWarm ? 'warm' : 'COLD'} node evicted by users`;
  }
}

function people(run: Run): readonly Line[] {
  const logins = run.visits.map(({ visit }) => visit.at);
  const leaves = run.visits.map(({ visit }) => visit.at + visit.staySeconds * 1000);
  return [
    { at: Math.min(...logins), text: `the first of ${String(logins.length)} people logs in` },
    { at: Math.max(...logins), text: 'the last one logs in' },
    { at: Math.min(...leaves), text: 'people begin to leave' },
    { at: Math.max(...leaves), text: 'the last one has left' },
  ];
}

function chart({ scenario, run }: Morning, width: number): string {
  const [pool] = run.pools;
  if (pool === undefined) return '';
  const buckets = Math.min(run.passes, Math.max(20, width - LABEL_WIDTH - 2));
  const { timeline } = pool;
  const row = (label: string, text: string): string => `  ${label.padEnd(LABEL_WIDTH)}${text.trimEnd()}\n`;
  const people = bucketed(timeline.usersIn, buckets);
  const waiting = bucketed(timeline.waiting, buckets);
  const top = Math.max(1, ...people, ...waiting);
  return [
    row('', axis(scenario, buckets)),
    ...numbers(timeline, buckets).map(([label, text]) => row(label, text)),
    row(`people in (${String(Math.max(...people))})`, sparkline(people, top)),
    row(`waiting (${String(Math.max(...waiting))})`, sparkline(waiting, top)),
  ].join('');
}

function numbers(timeline: Timeline, buckets: number): readonly (readonly [string, string])[] {
  return [
    ['placeholders wanted', digits(bucketed(timeline.wanted, buckets))],
    ['  on warm nodes', digits(bucketed(timeline.warmSpares, buckets))],
    ['  on cold nodes', digits(bucketed(timeline.coldSpares, buckets))],
    ['nodes', digits(bucketed(timeline.nodes, buckets))],
  ];
}

/** The hours over the chart. */
function axis({ fromAt, toAt, timeZone }: Scenario, buckets: number): string {
  let text = '';
  for (let at = fromAt; at < toAt; at += 3_600_000 / 2) {
    const column = Math.round(((at - fromAt) / (toAt - fromAt)) * buckets);
    if (column >= text.length && column + 5 <= buckets)
      text = text.padEnd(column) + clockTime(at, timeZone) + ' ';
  }
  return text;
}

const POLICY_WORDS: Readonly<Record<string, string>> = {
  'warm-first': 'this product',
  plain: 'the same, without warm first',
  'constant:3': 'three placeholders all day, unlabelled',
  none: 'no placeholders at all',
};

function waits(summaries: readonly Summary[]): string {
  return textTable(
    ['', 'half within', '95 % within', 'longest', 'over 1 min', 'idle node-hours'],
    summaries.map(({ policy, waits: { p50, p95, max, overOneMinute }, idleNodeHours }) => [
      POLICY_WORDS[policy] ?? policy,
      duration(p50),
      duration(p95),
      duration(max),
      String(overOneMinute),
      decimal(idleNodeHours),
    ]),
  );
}

function closing(width: number): string {
  return wrapped(
    'These figures are what the model gives, on the same arrivals for each line. Without warm first a scheduler evicts ' +
      'the newest placeholder first, and its node still pulls the image. ' +
      'Next: `npm start -- simulate --help` tries a config and a calendar of your own on this model, ' +
      'and `npm start -- pass --dry-run --config FILE` looks at a cluster of your own.',
    width,
  );
}
