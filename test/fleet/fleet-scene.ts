/** A fleet of fake clusters, each with the pool `base`, and executions of one or more tasks over it. */
import type { CalendarSettings, Settings } from '../../functions/config/settings.ts';
import type { CalendarEvent } from '../../functions/domain/event.ts';
import { runPass } from '../../functions/pass/run-pass.ts';
import type { PassReport } from '../../functions/pass/run-pass.ts';
import { MemoryStateStore } from '../../functions/state/memory.ts';
import { aClusterOf, aDeadline, aPool, capOver, NINE } from '../pass/scene.ts';
import { CapturedLog, ClusterWorld, FakeCalendar, FakeCluster, Outside } from '../support/fakes.ts';

export interface FleetOptions {
  readonly clusters: readonly string[];
  readonly events?: readonly CalendarEvent[];
  readonly maxReplicasTotal?: number;
  /** By the name of a calendar. */
  readonly calendarMaxReplicas?: Readonly<Record<string, number>>;
  readonly notices?: readonly string[];
  /** Which calendar a cluster reads; all the same one unless told. */
  readonly calendarOf?: (cluster: string) => string;
}

export class FleetScene {
  readonly log = new CapturedLog();
  readonly store = new MemoryStateStore();
  /** Names of clusters in the order in which they were opened, by any task. */
  readonly opened: string[] = [];
  readonly calendarReads: string[] = [];
  readonly outsides = new Map<string, Outside>();
  readonly worlds = new Map<string, ClusterWorld>();
  readonly #settings: Settings;
  readonly #events: readonly CalendarEvent[];
  #passes = 0;

  constructor(options: FleetOptions) {
    const { clusters, events = [], notices = [], calendarOf = () => 'term' } = options;
    this.#events = events;
    for (const name of clusters) {
      this.outsides.set(name, new Outside());
      this.worlds.set(name, new ClusterWorld());
    }
    const readersOf = Map.groupBy(clusters, calendarOf);
    this.#settings = {
      source: 'config.yaml',
      clusters: clusters.map((name) =>
        aClusterOf([aPool('base')], { name, calendar: googleCalendar(calendarOf(name)) }),
      ),
      caps: [
        ...Object.entries(options.calendarMaxReplicas ?? {}).flatMap(([calendar, most]) =>
          capOver('calendarMaxReplicas', most, readersOf.get(calendar) ?? []),
        ),
        ...capOver('maxReplicasTotal', options.maxReplicasTotal, clusters),
      ],
      notices,
    };
  }

  replicas(cluster: string): number | undefined {
    return this.worlds.get(cluster)?.replicas('base-placeholder');
  }

  outside(cluster: string): Outside {
    return this.outsides.get(cluster) ?? new Outside();
  }

  /** All tasks of one execution at the same time. */
  execute(tasks: number): Promise<readonly PassReport[]> {
    return Promise.all(Array.from({ length: tasks }, (_, index) => this.#task({ index, count: tasks })));
  }

  #task(task: { readonly index: number; readonly count: number }): Promise<PassReport> {
    this.#passes += 1;
    return runPass(
      this.#settings,
      {
        openCalendar: ({ source }) => {
          this.calendarReads.push(`task ${task.index}: ${'calendarId' in source ? source.calendarId : ''}`);
          return Promise.resolve(new FakeCalendar(new Outside(), this.#events));
        },
        openCluster: ({ name }) => {
          this.opened.push(name);
          return Promise.resolve(new FakeCluster(this.outside(name), this.worlds.get(name)));
        },
        state: this.store,
        log: this.log,
      },
      {
        now: NINE,
        owner: `pass-${this.#passes}`,
        deadline: aDeadline(new AbortController().signal),
        isDryRun: false,
        task,
      },
    );
  }
}

function googleCalendar(calendarId: string): CalendarSettings {
  return { source: { kind: 'google', calendarId }, timeZone: undefined, staleAfterSeconds: 86_400 };
}

export function clusterNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `hub-${index}`);
}
