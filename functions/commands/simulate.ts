/** `simulate`: the real decisions, pass by pass, on a model cluster and a virtual clock. */
import { access, constants, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { IcsCalendar } from '../calendar/ics.ts';
import { DEFAULT_CONFIG_SOURCE } from '../config/default-config.ts';
import type { ClusterSettings, Settings } from '../config/settings.ts';
import type { CalendarEvent } from '../domain/event.ts';
import { ConfigError, EXIT } from '../errors.ts';
import type { Calendar } from '../ports.ts';
import { describeTrial } from '../report/simulation-text.ts';
import { trialToJson } from '../report/simulation-json.ts';
import { renderReport } from '../report/html.ts';
import type { LoadedScenario } from '../simulation/load-scenario.ts';
import { loadScenario } from '../simulation/load-scenario.ts';
import { referenceMorning } from '../simulation/reference-morning.ts';
import type { Span } from '../simulation/resolve-scenario.ts';
import { eventsOf, resolveScenario, scenarioFromEvents, spanOf } from '../simulation/resolve-scenario.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { runTrial } from '../simulation/trial.ts';
import type { CommandContext } from './context.ts';
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
  const hasOwnConfig = context.settings.source !== DEFAULT_CONFIG_SOURCE;
  if (chosen.scenario === undefined && !hasOwnConfig && chosen.calendar === undefined) {
    chooseCluster(context.settings, chosen.cluster);
    return withSpan(referenceMorning(), chosen);
  }
  const elsewhere = hasOwnConfig ? context.settings : undefined;
  const loaded = chosen.scenario === undefined ? undefined : await loadScenario(chosen.scenario, elsewhere);
  const settings = loaded?.settings ?? context.settings;
  const cluster = chooseCluster(settings, chosen.cluster);
  const span = loaded === undefined ? spanFrom(context, cluster, chosen) : spanFor(loaded, chosen);
  const events = await readEvents(context, { chosen, loaded, cluster, span });
  const trial = { settings, cluster, span, events };
  return loaded === undefined ? scenarioFromEvents(trial) : resolveScenario(loaded, trial);
}

function withSpan(scenario: Scenario, chosen: SimulateArguments): Scenario {
  const { fromAt = scenario.fromAt, toAt = scenario.toAt } = chosen;
  assertForward({ fromAt, toAt });
  return { ...scenario, fromAt, toAt };
}

function assertForward({ fromAt, toAt }: Omit<Span, 'timeZone'>): void {
  if (toAt > fromAt) return;
  const [from, to] = [fromAt, toAt].map((at) => new Date(at).toISOString());
  throw badFlag('--to', `must be after --from: it is ${to ?? ''}, and the start ${from ?? ''}`);
}

function spanFor({ file }: LoadedScenario, { fromAt, toAt }: SimulateArguments): Span {
  const span = spanOf(file, fromAt, toAt);
  // Without flags the file itself is wrong, and is told so with its line.
  if (fromAt !== undefined || toAt !== undefined) assertForward(span);
  return span;
}

/** The coming week, unless told. */
function spanFrom(
  context: CommandContext,
  cluster: ClusterSettings,
  { fromAt, toAt }: SimulateArguments,
): Span {
  const from = fromAt ?? Math.floor(context.now() / 60_000) * 60_000;
  const to = toAt ?? from + WEEK;
  assertForward({ fromAt: from, toAt: to });
  return { fromAt: from, toAt: to, timeZone: cluster.calendar?.timeZone ?? 'UTC' };
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

interface Sources {
  readonly chosen: SimulateArguments;
  readonly loaded: LoadedScenario | undefined;
  readonly cluster: ClusterSettings;
  readonly span: Span;
}

async function readEvents(
  context: CommandContext,
  { chosen, loaded, cluster, span }: Sources,
): Promise<readonly CalendarEvent[]> {
  if (chosen.calendar === undefined && loaded?.file.calendar !== undefined)
    return eventsOf(loaded.file, span);
  const calendar = await openCalendar(context, chosen.calendar, cluster);
  const reading = await calendar?.read({ fromAt: span.fromAt, toAt: span.toAt }, context.stop);
  return [...(reading?.events ?? [])].sort((a, b) => a.startAt - b.startAt);
}

async function openCalendar(
  context: CommandContext,
  url: string | undefined,
  cluster: ClusterSettings,
): Promise<Calendar | undefined> {
  if (url !== undefined) {
    return new IcsCalendar({ url, timeZone: cluster.calendar?.timeZone, setting: '--calendar' });
  }
  return cluster.calendar === undefined ? undefined : createOpeners(context).openCalendar(cluster.calendar);
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
