/** `plan`: the coming windows of each pool and everything odd in the calendar, from calendar and config alone. */
import { DAY } from '../calendar/civil-calendar.ts';
import type { Window } from '../domain/instant.ts';
import { EXIT } from '../errors.ts';
import { findHomeZone } from '../plan/home-zone.ts';
import { planToJson } from '../report/plan-json.ts';
import { planToText } from '../report/plan-text.ts';
import type { PlanArguments } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { placeTime } from './given-time.ts';
import { createOpeners, type Openers } from './openers.ts';
import { makePlan, type Plan } from '../plan/make-plan.ts';

/** Longest that looking for a zone may take. */
const ZONE_MILLIS = 30_000;

export type PlanContext = Pick<CommandContext, 'settings' | 'print' | 'terminal' | 'env' | 'now' | 'stop'>;

/** @returns the exit code: 1 when a calendar cannot be read, or with `--strict` when there is any finding. */
export async function runPlan(
  context: PlanContext,
  { days, from, format, isStrict }: Omit<PlanArguments, 'command'>,
  openCalendar: Openers['openCalendar'] = createOpeners(context).openCalendar,
): Promise<number> {
  const { settings, terminal, stop } = context;
  const window = await windowOf(context, { days, from }, openCalendar);
  const plan = await makePlan({ settings, openCalendar, window, stop });
  const text = format === 'json' ? planToJson(plan) : planToText(plan, terminal);
  context.print(text);
  return exitCodeOf(plan, isStrict);
}

/** Days on the wall where the start is a time on the wall: one may have 23 or 25 hours. */
async function windowOf(
  { settings, now, stop }: PlanContext,
  { days, from }: Pick<PlanArguments, 'days' | 'from'>,
  openCalendar: Openers['openCalendar'],
): Promise<Window> {
  if (from?.kind !== 'wall') {
    const startAt = from?.at ?? now();
    return { startAt, endAt: startAt + days * DAY };
  }
  const signal = AbortSignal.any([stop, AbortSignal.timeout(ZONE_MILLIS)]);
  const timeZone = await findHomeZone({ settings, openCalendar, at: from.wall, signal });
  const until = { kind: 'wall', wall: from.wall + days * DAY } as const;
  return { startAt: placeTime(from, timeZone), endAt: placeTime(until, timeZone) };
}

function exitCodeOf({ calendars, findings }: Plan, isStrict: boolean): number {
  const isUnreadable = calendars.some(({ kind }) => kind === 'unreadable');
  return isUnreadable || (isStrict && findings.length > 0) ? EXIT.failed : EXIT.ok;
}
