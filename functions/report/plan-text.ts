/** The plan for a terminal: times as the calendar shows them, columns that line up, colour where there is some. */
import type { Plan, PlannedCalendar, PlannedCluster, PlannedPool } from '../plan/make-plan.ts';
import type { FindingGroup } from '../domain/finding-group.ts';
import type { Segment } from '../domain/timeline.ts';
import type { Concern, EventHours } from '../domain/timeline-review.ts';
import { quoteTitle } from '../domain/title.ts';
import { clip, createPalette, type Palette } from './palette.ts';
import { wrapped } from './text-table.ts';
import { createTimeWriter, type TimeWriter } from './time-writer.ts';

export interface PlanTerminal {
  readonly columns: number;
  readonly hasColors: boolean;
}

/** Most rows of one list; a term has hundreds of classes, and all of them are in the JSON. */
const MOST_ROWS = 40;

interface Sheet {
  readonly palette: Palette;
  readonly columns: number;
}

export function planToText(plan: Plan, terminal: PlanTerminal): string {
  const sheet = { palette: createPalette(terminal.hasColors), columns: terminal.columns };
  const sections = [
    headOf(plan),
    ...plan.clusters.map((cluster) => clusterOf(cluster, plan, sheet)),
    hoursOf(plan, sheet),
    findingsOf(plan, sheet),
    concernsOf(plan, sheet),
    unnamedOf(plan),
    plan.notices.map((notice) => `Note on the config: ${notice}`),
  ];
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${texts.join('\n\n')}\n`;
}

/** The zone that a section about several calendars is written in: the first one that could be read. */
function zoneOf(calendars: readonly (PlannedCalendar | undefined)[]): string {
  return calendars.find((calendar) => calendar?.kind === 'read')?.timeZone ?? 'UTC';
}

function headOf({ window, calendars }: Plan): readonly string[] {
  const zone = zoneOf(calendars);
  const time = createTimeWriter(zone);
  return [
    `Plan from ${time.dated(window.startAt)} to ${time.dated(window.endAt)} (${zone})`,
    ...calendars.map((calendar) =>
      calendar.kind === 'read'
        ? `calendar ${calendar.label}: ${countEvents(calendar.eventCount)}, times of ${calendar.timeZone}`
        : `${calendar.error.message}; ${calendar.error.remedy}`,
    ),
  ];
}

function countEvents(count: number): string {
  return count === 1 ? '1 event' : `${String(count)} events`;
}

// ---- windows ----

function clusterOf({ name, calendar, pools }: PlannedCluster, plan: Plan, sheet: Sheet): readonly string[] {
  const { palette } = sheet;
  const time = createTimeWriter(zoneOf([calendar, ...plan.calendars]));
  const heading = (planned: PlannedPool): string => palette.bold(`${name} / ${planned.pool.pool}`);
  if (calendar?.kind === 'unreadable') {
    return pools.map((planned) => `${heading(planned)}  unknown: the calendar cannot be read`);
  }
  return pools.flatMap((planned, index) => [
    ...(index === 0 ? [] : ['']),
    `${heading(planned)}  ${palette.dim(summaryOf(planned))}`,
    ...shorten(planned.segments.map((segment) => windowRow(segment, time, sheet))),
  ]);
}

function summaryOf({ pool, placeholderHours, calendarOverrideEnabled }: PlannedPool): string {
  const rule = calendarOverrideEnabled ? 'event counts win outright' : 'nodes with room come off';
  return (
    `baseline ${String(pool.baseline)}, at most ${String(pool.maxReplicas)}, ` +
    `${writeHours(placeholderHours)} placeholder-hours; ${rule}`
  );
}

const WIDEST_COUNT = 5;

function windowRow(segment: Segment, time: TimeWriter, { palette, columns }: Sheet): string {
  const when = `  ${time.span(segment)}`;
  const count = String(segment.count).padStart(WIDEST_COUNT);
  const why = clip(reasonOf(segment), columns - when.length - count.length - 2);
  const isBaseline = segment.demand === undefined;
  return `${when}${palette.bold(count)}  ${isBaseline ? palette.dim(why) : why}`;
}

function reasonOf({ demand, overruled, bound, count }: Segment): string {
  const winner = demand === undefined ? 'baseline' : nameEvent(demand.eventTitle);
  const asked = bound === undefined ? '' : `, cut to ${String(count)} by ${bound}`;
  const asks = bound === undefined || demand === undefined ? '' : ` asks for ${String(demand.count)}`;
  const losers = overruled.map((ask) => `${nameEvent(ask.eventTitle)} (${String(ask.count)})`);
  return `${winner}${asks}${asked}${losers.length === 0 ? '' : `, over ${losers.join(', ')}`}`;
}

// ---- what events hold ----

interface EventTotal {
  readonly title: string;
  readonly hours: number;
  readonly times: number;
}

function hoursOf({ review }: Plan, { columns }: Sheet): readonly string[] {
  const winning = review.hours.filter(({ placeholderHours }) => placeholderHours > 0);
  const totals = [...Map.groupBy(winning, placeOf)].map(([place, members]) => ({
    title: place,
    hours: members.reduce((sum, { placeholderHours }) => sum + placeholderHours, 0),
    times: members.length,
  }));
  const rows = totals
    .sort((left, right) => right.hours - left.hours || (left.title < right.title ? -1 : 1))
    .map((total) => hoursRow(total, columns));
  return rows.length === 0 ? [] : ['Placeholder-hours by event', ...shorten(rows)];
}

function placeOf({ eventTitle, address }: EventHours): string {
  return `${nameEvent(eventTitle)} in ${address.cluster} / ${address.pool}`;
}

function hoursRow({ title, hours, times }: EventTotal, columns: number): string {
  const often = times > 1 ? `, ${String(times)} times` : '';
  return `  ${writeHours(hours).padStart(8)}  ${clip(`${title}${often}`, columns - 12)}`;
}

function writeHours(hours: number): string {
  return hours.toFixed(1);
}

// ---- findings and concerns ----

const INDENT = 4;
/** Columns below which a terminal wraps by itself. */
const NARROWEST = 40;

/** A sentence over as many lines as the terminal needs, the later ones set in. */
function wrapRow(text: string, columns: number): string {
  return `  ${wrapped(text, Math.max(NARROWEST, columns) - INDENT, ' '.repeat(INDENT))}`;
}

function findingsOf({ findings, calendars }: Plan, { palette, columns }: Sheet): readonly string[] {
  const time = createTimeWriter(zoneOf(calendars));
  const rows = findings.map(({ finding, times }: FindingGroup) => {
    const when = finding.eventStartAt === undefined ? '' : `, ${time.moment(finding.eventStartAt)}`;
    const often = times > 1 ? ` and ${String(times - 1)} more` : '';
    const line = finding.line === undefined ? '' : `, line ${String(finding.line)}`;
    const said = `${nameEvent(finding.eventTitle)}${when}${often}${line}: ${finding.message}`;
    const row = wrapRow(`${finding.severity.padEnd('warning'.length)}  ${said}`, columns);
    const paint = finding.severity === 'warning' ? palette.yellow : palette.dim;
    return row.replace(finding.severity, paint);
  });
  return rows.length === 0
    ? noFindings(calendars)
    : [palette.bold(`Findings (${String(rows.length)})`), ...shorten(rows)];
}

/** Of a calendar that cannot be read nothing is known, which is not the same as nothing wrong. */
function noFindings(calendars: readonly PlannedCalendar[]): readonly string[] {
  const unread = calendars.filter(({ kind }) => kind === 'unreadable').length;
  if (unread === 0) {
    return ['Findings: none'];
  }
  return unread === calendars.length ? [] : ['Findings: none in what could be read'];
}

function concernsOf({ review, calendars }: Plan, { palette, columns }: Sheet): readonly string[] {
  const time = createTimeWriter(zoneOf(calendars));
  // A weekly event has the same concern every week.
  const groups = Map.groupBy(
    review.concerns,
    (concern) => `${placeOfConcern(concern)}: ${sayConcern(concern)}`,
  );
  const rows = [...groups].map(([text, members]) => {
    const first = Math.min(...members.map(({ ask }) => ask.startAt));
    const often = members.length > 1 ? ` and ${String(members.length - 1)} more` : '';
    return wrapRow(`${time.moment(first)}${often}, ${text}`, columns);
  });
  return rows.length === 0 ? [] : [palette.bold('Worth a look'), ...shorten(rows)];
}

function placeOfConcern({ ask }: Concern): string {
  return `${ask.address.cluster} / ${ask.address.pool}`;
}

function sayConcern(concern: Concern): string {
  const { ask } = concern;
  const title = nameEvent(ask.eventTitle);
  switch (concern.kind) {
    case 'coolOffBeaten':
      return `cool-off ${title} is beaten by ${nameEvent(concern.by.eventTitle)} (${String(concern.by.count)})`;
    case 'coolOffHeld':
      return `during cool-off ${title} a pending placeholder still holds the baseline, ${String(concern.baseline)}`;
    case 'neverWins':
      return `${title} (${String(ask.count)}) changes nothing: ${nameEvent(concern.by.eventTitle)} (${String(concern.by.count)}) is active throughout`;
    case 'bounded':
      return `${title} asks for ${String(ask.count)} and gets ${String(concern.count)}: ${concern.bound}`;
  }
}

function unnamedOf({ clusters }: Plan): readonly string[] {
  const names = clusters
    .filter(({ calendar }) => calendar?.kind === 'read')
    .flatMap(({ name, pools }) =>
      pools.filter(({ isNamed }) => !isNamed).map(({ pool }) => `${name} / ${pool.pool}`),
    );
  return names.length === 0 ? [] : [`Pools that no event names: ${names.join(', ')}`];
}

function shorten(rows: readonly string[]): readonly string[] {
  const rest = rows.length - MOST_ROWS;
  return rest <= 0
    ? rows
    : [...rows.slice(0, MOST_ROWS), `  … and ${String(rest)} more (--format json has all)`];
}

/** A title may hold anything, also what moves a cursor or turns the direction of writing. */
function nameEvent(title: string): string {
  return quoteTitle(title.replace(/[\p{Cc}\p{Cf}]+/gu, ' '));
}
