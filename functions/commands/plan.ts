/** `plan`: the coming windows of each pool and everything odd in the calendar, from calendar and config alone. */
import { EXIT } from '../errors.ts';
import { planToJson } from '../report/plan-json.ts';
import { planToText } from '../report/plan-text.ts';
import type { PlanArguments } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { createOpeners, type Openers } from './openers.ts';
import { makePlan, type Plan } from '../plan/make-plan.ts';

const MILLISECONDS_PER_DAY = 86_400_000;

export type PlanContext = Pick<CommandContext, 'settings' | 'print' | 'terminal' | 'env' | 'now' | 'stop'>;

/** @returns the exit code: 1 when a calendar cannot be read, or with `--strict` when there is any finding. */
export async function runPlan(
  context: PlanContext,
  { days, fromAt, format, isStrict }: Omit<PlanArguments, 'command'>,
  openCalendar: Openers['openCalendar'] = createOpeners(context).openCalendar,
): Promise<number> {
  const { settings, terminal, stop } = context;
  const startAt = fromAt ?? context.now();
  const window = { startAt, endAt: startAt + days * MILLISECONDS_PER_DAY };
  const plan = await makePlan({ settings, openCalendar, window, stop });
  const text = format === 'json' ? planToJson(plan) : planToText(plan, terminal);
  context.print(text);
  return exitCodeOf(plan, isStrict);
}

function exitCodeOf({ calendars, findings }: Plan, isStrict: boolean): number {
  const isUnreadable = calendars.some(({ kind }) => kind === 'unreadable');
  return isUnreadable || (isStrict && findings.length > 0) ? EXIT.failed : EXIT.ok;
}
