/** One cluster with the pools `base` and `workshop`, everything outside it a fake, and passes run over it. */
import type { ClusterSettings, ManagedPool, Settings } from '../../functions/config/settings.ts';
import type { Cap, CapName } from '../../functions/domain/cap.ts';
import type { CalendarEvent } from '../../functions/domain/event.ts';
import type { Deadline } from '../../functions/pass/deadline.ts';
import type { ClusterJob } from '../../functions/pass/job.ts';
import { runPass } from '../../functions/pass/run-pass.ts';
import type { PassOptions, PassReport } from '../../functions/pass/run-pass.ts';
import { startWriteLog } from '../../functions/pass/writes.ts';
import type { StateStore } from '../../functions/ports.ts';
import { MemoryStateStore } from '../../functions/state/memory.ts';
import {
  CapturedLog,
  ClusterWorld,
  FakeCalendar,
  FakeCluster,
  FakeStateStore,
  Outside,
} from '../support/fakes.ts';
import type { Gate, Method, Moment } from '../support/fakes.ts';
import { aPoolSettings } from '../support/pool-settings.ts';

export const NINE = Date.UTC(2026, 2, 2, 9, 0);
export const MINUTE = 60_000;
const NEVER = new AbortController().signal;

export function aPool(name: string, overrides: Partial<ManagedPool['settings']> = {}): ManagedPool {
  return {
    settings: aPoolSettings({ name, nodeLabel: name, ...overrides }),
    placeholder: {
      poolName: name,
      namespace: 'node-placeholder',
      image: 'registry.k8s.io/pause:3.10.1',
      priorityClassName: 'node-placeholder',
      nodeSelector: { 'hub.jupyter.org/pool-name': name },
      requests: { memory: '60738518784' },
      limits: {},
      tolerations: [],
    },
  };
}

export function aClusterOf(
  pools: readonly ManagedPool[],
  overrides: Partial<ClusterSettings> = {},
): ClusterSettings {
  return {
    name: 'default',
    target: { kind: 'embedded' },
    calendar: {
      source: { kind: 'google', calendarId: 'term@example.edu' },
      timeZone: undefined,
      staleAfterSeconds: 86_400,
    },
    namespace: 'node-placeholder',
    nodePoolSelectorKey: 'hub.jupyter.org/pool-name',
    priorityClassName: 'node-placeholder',
    warmFirst: true,
    userImages: [],
    imagePullerSelectors: [],
    userPodSelectors: [],
    pools,
    ...overrides,
  };
}

export interface Scene {
  readonly outside: Outside;
  readonly world: ClusterWorld;
  readonly calendar: FakeCalendar;
  readonly store: StateStore;
  readonly log: CapturedLog;
  /** One pass `minutes` after nine. */
  pass(minutes?: number, overrides?: Partial<PassOptions>): Promise<PassReport>;
}

/** The counts that stand. */
export function replicas({ world }: Scene) {
  return {
    base: world.replicas('base-placeholder'),
    workshop: world.replicas('workshop-placeholder'),
  };
}

/** The lines that ask a person to look, in order. */
export function troubles({ log }: Scene): readonly string[] {
  return log.lines
    .filter(({ level }) => level === 'warn' || level === 'error')
    .map(({ level, message }) => `${level}: ${message}`);
}

export interface SceneOptions {
  readonly pools?: readonly ManagedPool[];
  readonly events?: readonly CalendarEvent[];
  readonly cluster?: Partial<ClusterSettings>;
  readonly calendarMaxReplicas?: number;
  readonly maxReplicasTotal?: number;
  readonly notices?: readonly string[];
}

export function aScene(options: SceneOptions = {}): Scene {
  const outside = new Outside();
  const world = new ClusterWorld();
  const calendar = new FakeCalendar(outside, options.events ?? []);
  const store = new MemoryStateStore();
  const log = new CapturedLog();
  const cluster = aClusterOf(options.pools ?? [aPool('base'), aPool('workshop')], options.cluster);
  const settings: Settings = {
    source: 'config.yaml',
    clusters: [cluster],
    caps: [
      ...capOver('calendarMaxReplicas', options.calendarMaxReplicas, [cluster.name]),
      ...capOver('maxReplicasTotal', options.maxReplicasTotal, [cluster.name]),
    ],
    notices: options.notices ?? [],
  };
  const pass: Scene['pass'] = (minutes = 0, overrides = {}) =>
    runPass(
      settings,
      {
        openCalendar: () => Promise.resolve(calendar),
        openCluster: () => Promise.resolve(new FakeCluster(outside, world)),
        state: new FakeStateStore(outside, store),
        log,
      },
      {
        now: NINE + minutes * MINUTE,
        owner: `pass-${String(minutes)}`,
        deadline: aDeadline(NEVER),
        isDryRun: false,
        task: { index: 0, count: 1 },
        ...overrides,
      },
    );
  return { outside, world, calendar, store, log, pass };
}

/** The cap, where there is one, over all these clusters. */
export function capOver(
  name: CapName,
  most: number | undefined,
  clusters: readonly string[],
): readonly Cap[] {
  return most === undefined ? [] : [{ name, most, clusters: new Set(clusters) }];
}

/** What one pass over a cluster with the pool `base` is given; nothing is written through it. */
export function aJob(overrides: Partial<ClusterJob> = {}): ClusterJob {
  return {
    settings: aClusterOf([aPool('base')]),
    fleet: { pools: [], caps: [], calendars: [] },
    calendar: undefined,
    notices: [],
    openCluster: () => Promise.resolve(new FakeCluster(new Outside())),
    state: new MemoryStateStore(),
    now: NINE,
    owner: 'pass-0',
    deadline: aDeadline(NEVER),
    log: new CapturedLog(),
    writes: startWriteLog(),
    isDryRun: false,
    ...overrides,
  };
}

/** A gate that does something at the first such crossing to the outside. */
export function atFirst(method: Method, moment: Moment, act: () => void): Gate {
  let isDone = false;
  return (call, at) => {
    if (isDone || call.method !== method || at !== moment) return;
    isDone = true;
    act();
  };
}

/** A deadline that only the test fires. */
export function aDeadline(stop: AbortSignal): Deadline {
  return { stop, isOver: () => stop.aborted, forWrite: () => NEVER, forState: () => stop };
}
