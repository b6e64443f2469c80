/** The report of a simulation: one HTML file without scripts, fonts or pictures from elsewhere. */
import { ianaZone, placeWall } from '../calendar/zone.ts';
import { matchRequests } from '../domain/demand.ts';
import { readDescription } from '../domain/description.ts';
import type { CalendarEvent } from '../domain/event.ts';
import type { Instant } from '../domain/instant.ts';
import { medianSeconds } from '../embedded/random.ts';
import { adviseOn, calendarFindings } from '../simulation/findings.ts';
import { usersPerNode } from '../simulation/machines.ts';
import type { PoolRun } from '../simulation/run.ts';
import { clusterOf } from '../simulation/scenario.ts';
import type { TrialResult } from '../simulation/trial.ts';
import { describeAdvice } from './advice-text.ts';
import { hourBars, hourLegend, legendOf, waitBars, waitLegend } from './bar-charts.ts';
import type { Child, Markup } from './markup.ts';
import { element } from './markup.ts';
import { STYLE } from './style.ts';
import type { TimelineChart } from './timeline-chart.ts';
import { timelineChart } from './timeline-chart.ts';
import { dayAndTime, decimal, duration } from './units.ts';

const DAY = 86_400_000;
/** A longer time is shown as a whole and week by week. */
const MOST_DAYS_IN_ONE_CHART = 8;

export function renderReport(result: TrialResult): string {
  const { scenario } = result;
  const body = element(
    'body',
    {},
    element('main', {}, [
      heading(result),
      keyFigures(result),
      section('Compared on the same arrivals', comparison(result)),
      section('How long people waited', waitBars(result.summaries), waitLegend()),
      section('Node-hours', hourBars(result.summaries, result.lowestNodeHours), hourLegend()),
      findings(result),
      result.run.pools.map((pool) => poolSection(result, pool)),
      decisions(result),
      section('What was assumed', assumptions(result)),
    ]),
  );
  const head = element(
    'head',
    {},
    element('meta', { charset: 'utf-8' }),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    element('title', {}, `Simulation: ${scenario.name}`),
    { markup: `<style>${STYLE}</style>` },
  );
  return `<!doctype html>\n${element('html', { lang: 'en' }, head, body).markup}\n`;
}

function section(title: string, ...children: readonly Child[]): Markup {
  return element('section', {}, element('h2', {}, title), children);
}

function heading({ scenario, run, seed, isWhole }: TrialResult): readonly Markup[] {
  const from = dayAndTime(run.fromAt, scenario.timeZone);
  const to = dayAndTime(run.toAt, scenario.timeZone);
  const stopped = isWhole ? '' : ' Stopped before its end.';
  const text = `${from} to ${to} (${scenario.timeZone}), ${String(run.passes)} passes, seed ${String(seed)}.${stopped}`;
  return [element('h1', {}, scenario.name), element('p', { class: 'sub' }, text)];
}

function keyFigures({ summaries, lowestNodeHours }: TrialResult): Child {
  const [own] = summaries;
  if (own === undefined) return undefined;
  const { waits, nodeHours, idleNodeHours, cost } = own;
  const figures: readonly (readonly [string, string])[] = [
    ['95 % wait at most', duration(waits.p95)],
    ['waited over a minute', `${String(waits.overOneMinute)} of ${String(waits.visits)}`],
    ['longest wait', duration(waits.max)],
    [`node-hours; ${decimal(lowestNodeHours)} with perfect foresight`, decimal(nodeHours)],
    ['of them idle', decimal(idleNodeHours)],
    ['cost', decimal(cost, 2)],
  ];
  return element(
    'dl',
    { class: 'cards' },
    figures.map(([name, value]) =>
      element('div', {}, element('dt', {}, name), element('dd', {}, keepUnits(value))),
    ),
  );
}

/** A line breaks between `13 min` and `17 s`, and never before a unit. */
function keepUnits(value: string): string {
  return value.replace(/ (?=min\b|s\b)/g, '\u00A0');
}

function table(head: readonly string[], rows: readonly (readonly Child[])[], caption: string): Markup {
  const classOf = (index: number): { readonly class?: string } =>
    head[index] === 'why' ? { class: 'words' } : {};
  const cell = (value: Child, index: number): Markup => element('td', classOf(index), value);
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    element(
      'table',
      {},
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          head.map((name, index) => element('th', { scope: 'col', ...classOf(index) }, name)),
        ),
      ),
      element(
        'tbody',
        {},
        rows.map((row) => element('tr', {}, row.map(cell))),
      ),
    ),
  );
}

function comparison({ summaries }: TrialResult): Markup {
  const head = ['policy', 'p50', 'p95', 'longest', 'over 1 min', 'never in', 'node-hours', 'idle', 'cost'];
  const rows = summaries.map(({ policy, waits, nodeHours, idleNodeHours, cost }) => [
    policy,
    duration(waits.p50),
    duration(waits.p95),
    duration(waits.max),
    waits.overOneMinute,
    waits.neverIn,
    decimal(nodeHours),
    decimal(idleNodeHours),
    decimal(cost, 2),
  ]);
  return table(head, rows, 'Policies compared');
}

function findings({ scenario, run }: TrialResult): Child {
  const advice = adviseOn(scenario, run).map((each) => describeAdvice(each, scenario.timeZone));
  const flaws = calendarFindings(scenario).map(({ eventTitle, message }) => `"${eventTitle}": ${message}`);
  const all = [...flaws, ...advice];
  if (all.length === 0) return section('Findings', element('p', {}, 'No class waited over a minute.'));
  return section(
    'Findings',
    element(
      'ul',
      {},
      all.map((text) => element('li', {}, text)),
    ),
  );
}

function poolSection(result: TrialResult, pool: PoolRun): Markup {
  const { run } = result;
  const isLong = run.toAt - run.fromAt > MOST_DAYS_IN_ONE_CHART * DAY;
  const events = result.scenario.events.filter((event) => asksFor(result, event, pool.pool));
  const chart = (fromAt: Instant, toAt: Instant, isWhole = false): Markup =>
    scrolled('Timeline', chartOf(result, pool, { fromAt, toAt, events, hasStops: !(isLong && isWhole) }));
  return section(
    `Pool ${pool.pool}`,
    legend(),
    run.toAt > run.fromAt ? chart(run.fromAt, run.toAt, true) : undefined,
    isLong ? weeksOf(result).map(({ fromAt, toAt, title }) => fold(title, chart(fromAt, toAt))) : undefined,
  );
}

function chartOf(
  { scenario, run }: TrialResult,
  { pool, timeline }: PoolRun,
  window: Pick<TimelineChart, 'fromAt' | 'toAt' | 'events' | 'hasStops'>,
): Markup {
  const { timeZone } = scenario;
  return timelineChart({ pool, timeline, originAt: run.fromAt, ...window, timeZone, changes: run.changes });
}

/** Whether an event names the pool: others are no business of its chart. */
function asksFor({ scenario }: TrialResult, event: CalendarEvent, pool: string): boolean {
  const { name, pools } = clusterOf(scenario);
  const read = readDescription(
    event,
    pools.map((each) => each.settings.name),
  );
  return matchRequests([read.event], [{ cluster: name, pool }]).asks.length > 0;
}

function weeksOf({ scenario, run }: TrialResult): readonly {
  readonly fromAt: Instant;
  readonly toAt: Instant;
  readonly title: string;
}[] {
  const weeks = Math.ceil((run.toAt - run.fromAt - DAY / 2) / (7 * DAY));
  return Array.from({ length: weeks }, (_, index) => {
    const fromAt = weekStart(run.fromAt, index, scenario.timeZone);
    const title = `Week ${String(index + 1)}, from ${dayAndTime(fromAt, scenario.timeZone)}`;
    return { fromAt, toAt: Math.min(run.toAt, weekStart(run.fromAt, index + 1, scenario.timeZone)), title };
  });
}

/** So many weeks later by the clock on the wall, whatever summer time does between. */
function weekStart(fromAt: Instant, weeks: number, timeZone: string): Instant {
  const zone = ianaZone(timeZone);
  return placeWall(fromAt + zone.offsetAt(fromAt) + weeks * 7 * DAY, zone);
}

function scrolled(label: string, chart: Markup): Markup {
  return element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, chart);
}

function fold(title: string, ...children: readonly Child[]): Markup {
  return element('details', {}, element('summary', {}, title), children);
}

function legend(): Markup {
  return legendOf([
    ['usersIn', 'people in'],
    ['waiting', 'people waiting'],
    ['nodes', 'nodes'],
    ['warmSpares', 'placeholders on warm nodes'],
    ['wanted', 'placeholders wanted'],
    ['change', 'a decision: point at it, tap it or tab to it for its reason'],
    ['event', 'calendar event'],
  ]);
}

function decisions({ scenario, run }: TrialResult): Markup {
  const rows = run.changes.map(({ at, pool, live, wanted, reason }) => [
    dayAndTime(at, scenario.timeZone),
    pool,
    live ?? 0,
    wanted,
    reason,
  ]);
  const title = `${String(rows.length)} decisions that changed a count`;
  return section('Decisions', fold(title, table(['when', 'pool', 'from', 'to', 'why'], rows, title)));
}

function assumptions({ scenario }: TrialResult): Markup {
  const lines = scenario.pools.map((pool) => {
    const { spec } = pool;
    const boot = duration(medianSeconds(spec.boot));
    const pull = duration(medianSeconds(spec.pull));
    return `${spec.name}: ${String(usersPerNode(pool))} users on a node, ${String(spec.minNodes)} to ${String(spec.maxNodes)} nodes; a new one takes ${boot} to boot and ${pull} to pull the user image; ${decimal(spec.pricePerNodeHour, 2)} a node-hour.`;
  });
  const model =
    'The cluster is a model: a scheduler with priorities, preemption and disruption budgets, a Deployment controller, a cluster autoscaler that looks every ten seconds and removes nodes after ten unneeded minutes.';
  return element(
    'ul',
    {},
    [...lines, model].map((text) => element('li', {}, text)),
  );
}
