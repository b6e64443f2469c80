/** The product itself: one real pass each minute, over in-memory state, the model and the scenario's calendar. */
import type { Settings } from '../config/settings.ts';
import type { CalendarEvent } from '../domain/event.ts';
import type { Instant } from '../domain/instant.ts';
import { EmbeddedCluster } from '../embedded/embedded-cluster.ts';
import type { ClusterModel } from '../embedded/model.ts';
import type { Deadline } from '../pass/deadline.ts';
import { runPass } from '../pass/run-pass.ts';
import type { Calendar, Logger } from '../ports.ts';
import { MemoryStateStore } from '../state/memory.ts';
import type { Scenario } from './scenario.ts';
import type { Note, Steward } from './steward.ts';

/** A simulated pass cannot be late: virtual time stands still while it runs. */
const NO_DEADLINE: Deadline = (() => {
  const never = new AbortController().signal;
  return { stop: never, isOver: () => false, forWrite: () => never, forState: () => never };
})();

const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => SILENT,
};

export function createProduct(scenario: Scenario, model: ClusterModel, log: Logger = SILENT): Steward {
  const settings = simulatedSettings(scenario);
  const cluster = new EmbeddedCluster(model, settings.clusters[0]?.namespace ?? '');
  const calendar = new ScenarioCalendar(scenario);
  const ports = {
    openCalendar: () => Promise.resolve(calendar),
    openCluster: () => Promise.resolve(cluster),
    state: new MemoryStateStore(),
    log,
  };
  return {
    async pass(now) {
      const options = { now, owner: 'simulation', deadline: NO_DEADLINE, isDryRun: false } as const;
      const report = await runPass(settings, ports, { ...options, task: { index: 0, count: 1 } });
      return report.clusters.flatMap(({ pools }) => pools).map(noteOf);
    },
  };
}

function noteOf(report: Note): Note {
  const { pool, wanted, live, rule, reason, applied } = report;
  return { pool, wanted, live, rule, reason, applied };
}

/** The config with the scenario's calendar in the place of its own. */
function simulatedSettings({ settings, name, timeZone }: Scenario): Settings {
  const calendar = { source: { kind: 'ics', url: name }, timeZone, staleAfterSeconds: 86_400 } as const;
  return { ...settings, clusters: settings.clusters.map((cluster) => ({ ...cluster, calendar })) };
}

class ScenarioCalendar implements Calendar {
  readonly label: string;
  readonly #timeZone: string;
  readonly #events: readonly CalendarEvent[];
  /** Those before it are over: time only goes forward. */
  #from = 0;

  constructor(scenario: Scenario) {
    this.label = scenario.name;
    this.#timeZone = scenario.timeZone;
    this.#events = scenario.events;
  }

  read({ fromAt, toAt }: { readonly fromAt: Instant; readonly toAt: Instant }): ReturnType<Calendar['read']> {
    while ((this.#events[this.#from]?.endAt ?? Number.POSITIVE_INFINITY) <= fromAt) this.#from += 1;
    const events: CalendarEvent[] = [];
    for (let index = this.#from; index < this.#events.length; index += 1) {
      const event = this.#events[index];
      if (event === undefined || event.startAt >= toAt) break;
      if (event.endAt > fromAt) events.push(event);
    }
    return Promise.resolve({ events, timeZone: this.#timeZone, findings: [] });
  }
}
