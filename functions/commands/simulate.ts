/** `simulate`: the real decisions, pass by pass, on a model cluster and a virtual clock. */
import { access, constants, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { IcsCalendar } from '../calendar/ics.ts';
import { configuredZone, readZone } from '../calendar/own-zone.ts';
import { DEFAULT_CONFIG_SOURCE } from '../config/default-config.ts';
import type { ClusterSettings, Settings } from '../config/settings.ts';
import type { CalendarEvent } from '../domain/event.ts';
import type { Instant } from '../domain/instant.ts';
import { ConfigError, EXIT } from '../errors.ts';
import type { Calendar } from '../ports.ts';
import { describeTrial } from '../report/simulation-text.ts';
import { trialToJson } from '../report/simulation-json.ts';
import { renderReport } from '../report/html.ts';
import { createTimeWriter } from '../report/time-writer.ts';
import type { LoadedScenario } from '../simulation/load-scenario.ts';
import { loadScenario } from '../simulation/load-scenario.ts';
import { referenceMorning } from '../simulation/reference-morning.ts';
import type { Span } from '../simulation/resolve-scenario.ts';
import { eventsOf, resolveScenario, scenarioFromEvents, spanOf } from '../simulation/resolve-scenario.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { runTrial } from '../simulation/trial.ts';
import type { CommandContext } from './context.ts';
import { type GivenTime, placeTime } from './given-time.ts';
import { createOpeners } from './openers.ts';
import type { SimulateArguments } from './simulate-arguments.ts';

const WEEK = 7 * 86_400_000;
const BAR_WIDTH = 30;

/** @returns the exit code: 1 when it was stopped before its end; what there was until then is written. */
export async function runSimulate(context: CommandContext, chosen: SimulateArguments): Promise<number> {
  if (chosen.out !== undefined) await assertWritable(chosen.out);
  const scenario = await prepare(context, chosen);
  const isShowingProgress = context.terminal.isTerminal && chosen.format === 'text';
  const result = await runTrial(scenario, {
    seed: chosen.seed,
    compare: chosen.compare,
    stop: context.stop,
    onProgress: isShowingProgress
      ? (policy, share) => {
          context.print(progressBar(policy, share));
        }
      : undefined,
  });
  if (isShowingProgress) context.print('\r\u001b[K');
  if (chosen.out !== undefined) await write(chosen.out, renderReport(result));
  const text = describeTrial(result, { columns: context.terminal.columns, out: chosen.out });
  context.print(chosen.format === 'json' ? `${JSON.stringify(trialToJson(result), undefined, 2)}\n` : text);
  return result.isWhole ? EXIT.ok : EXIT.failed;
}

function progressBar(policy: string, share: number): string {
  const filled = Math.round(share * BAR_WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  return `\r\u001b[K${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${policy}`;
}

async function prepare(context: CommandContext, chosen: SimulateArguments): Promise<Scenario> {
  const { settings } = context;
  const hasOwnConfig = settings.source !== DEFAULT_CONFIG_SOURCE;
  if (chosen.scenario !== undefined) {
    const loaded = await loadScenario(chosen.scenario, hasOwnConfig ? settings : undefined);
    return prepareFile(context, loaded, chosen);
  }
  const cluster = chooseCluster(settings, chosen.cluster);
  if (!hasOwnConfig && chosen.calendar === undefined) {
    const morning = referenceMorning();
    return { ...morning, ...spanWith(morning, chosen) };
  }
  const source = await openCalendar(context, chosen.calendar, cluster);
  const span = await spanFrom(context, source, chosen);
  const events = source === undefined ? [] : await readEvents(source, span, context.stop);
  return scenarioFromEvents({ settings, cluster, span, events });
}

async function prepareFile(
  context: CommandContext,
  loaded: LoadedScenario,
  chosen: SimulateArguments,
): Promise<Scenario> {
  const { file, settings = context.settings } = loaded;
  const cluster = chooseCluster(settings, chosen.cluster);
  const span = spanWith(spanOf(file), chosen);
  const hasEvents = chosen.calendar === undefined && file.calendar !== undefined;
  const source = hasEvents ? undefined : await openCalendar(context, chosen.calendar, cluster);
  const events = source === undefined ? eventsOf(file, span) : await readEvents(source, span, context.stop);
  return resolveScenario(loaded, { settings, cluster, span, events });
}

/** A span, unless the command line says otherwise. */
function spanWith({ timeZone, fromAt, toAt }: Span, { from, to }: SimulateArguments): Span {
  const place = (given: GivenTime | undefined, otherwise: Instant): Instant =>
    given === undefined ? otherwise : placeTime(given, timeZone);
  const span = { timeZone, fromAt: place(from, fromAt), toAt: place(to, toAt) };
  // Without flags it is the file that is wrong, and that is told with its line.
  if (from !== undefined || to !== undefined) assertForward(span);
  return span;
}

function assertForward({ timeZone, fromAt, toAt }: Span): void {
  if (toAt > fromAt) return;
  const { dated } = createTimeWriter(timeZone);
  const times = `it is ${dated(toAt)}, and the start ${dated(fromAt)} (${timeZone})`;
  throw badFlag('--to', `must be after --from: ${times}`);
}

/** The coming week in the calendar's zone, unless told. */
async function spanFrom(
  { now, stop }: CommandContext,
  source: EventSource | undefined,
  chosen: SimulateArguments,
): Promise<Span> {
  const minute = Math.floor(now() / 60_000) * 60_000;
  const timeZone =
    source === undefined ? 'UTC' : (source.timeZone ?? (await readZone(source.calendar, minute, stop)));
  const fromAt = chosen.from === undefined ? minute : placeTime(chosen.from, timeZone);
  return spanWith({ timeZone, fromAt, toAt: fromAt + WEEK }, chosen);
}

function chooseCluster({ clusters, source }: Settings, name: string | undefined): ClusterSettings {
  const names = clusters.map((cluster) => cluster.name);
  const found = name === undefined ? clusters[0] : clusters.find((cluster) => cluster.name === name);
  if (found === undefined) throw badFlag('--cluster', `"${name ?? ''}" is none of ${names.join(', ')}`);
  if (name === undefined && clusters.length > 1) {
    throw badFlag('--cluster', `is needed, since ${source} has several: ${names.join(', ')}`);
  }
  return found;
}

interface EventSource {
  readonly calendar: Calendar;
  /** Undefined: only the calendar itself tells. */
  readonly timeZone: string | undefined;
}

async function openCalendar(
  context: CommandContext,
  url: string | undefined,
  { calendar: settings }: ClusterSettings,
): Promise<EventSource | undefined> {
  if (url !== undefined) {
    const timeZone = settings?.timeZone;
    return { calendar: new IcsCalendar({ url, timeZone, setting: '--calendar' }), timeZone };
  }
  if (settings === undefined) return undefined;
  const calendar = await createOpeners(context).openCalendar(settings);
  return { calendar, timeZone: configuredZone(settings) };
}

async function readEvents(
  { calendar }: EventSource,
  { fromAt, toAt }: Span,
  stop: AbortSignal,
): Promise<readonly CalendarEvent[]> {
  const { events } = await calendar.read({ fromAt, toAt }, stop);
  return [...events].sort((a, b) => a.startAt - b.startAt);
}

/** Known before a term is simulated for nothing. */
async function assertWritable(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) throw unwritable(path, undefined);
  await access(found === undefined ? dirname(path) : path, constants.W_OK).catch((cause: unknown) => {
    throw unwritable(path, cause);
  });
}

async function write(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((cause: unknown) => {
    throw unwritable(path, cause);
  });
}

function unwritable(path: string, cause: unknown): ConfigError {
  const error = badFlag('--out', `${path} cannot be written: name a file in a folder that is there`);
  error.cause = cause;
  return error;
}

function badFlag(path: string, message: string): ConfigError {
  return new ConfigError('command line', [{ path, line: undefined, column: undefined, message }]);
}
