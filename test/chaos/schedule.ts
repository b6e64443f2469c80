/**
 * Overlapping passes over one cluster and one store, stopped at every crossing to the outside, before and after it
 * takes effect. A seed decides who goes on, who is killed, who hears an error, how the clock moves and what the
 * cluster does meanwhile. Time is virtual: a stalled pass meets its own deadline as a real one does.
 */
import type { CalendarEvent } from '../../functions/domain/event.ts';
import type { Instant } from '../../functions/domain/instant.ts';
import { LEASE_SECONDS, PASS_SECONDS } from '../../functions/pass/deadline.ts';
import type { Deadline } from '../../functions/pass/deadline.ts';
import type { PassReport } from '../../functions/pass/run-pass.ts';
import { runPass } from '../../functions/pass/run-pass.ts';
import type { Acquisition, ClusterState, StateStore } from '../../functions/ports.ts';
import { MemoryStateStore } from '../../functions/state/memory.ts';
import { aClusterOf, aPool } from '../pass/scene.ts';
import type { Call, Moment } from '../support/fakes.ts';
import {
  CapturedLog,
  ClusterWorld,
  FakeCalendar,
  FakeCluster,
  FakeStateStore,
  Outside,
  aDeployment,
  aNode,
  aPlaceholder,
  aUsage,
  anEvent,
  outsideError,
} from '../support/fakes.ts';
import { Random } from './random.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
export const START: Instant = Date.UTC(2026, 2, 2, 9, 0);
const WRITE_SECONDS = 3;
const STATE_SECONDS = 10;
const MOST_STEPS = 400;
const FULL = 16_000;
const BASE = 'base-placeholder';

export type Entry =
  | {
      readonly kind: 'lease';
      readonly pass: string;
      readonly fence: number;
    }
  | {
      readonly kind: 'save';
      readonly pass: string;
      readonly fence: number;
      readonly now: Instant;
      readonly before: ClusterState;
      readonly after: ClusterState;
    }
  | {
      readonly kind: 'write';
      readonly pass: string;
      /** Undefined: a pass that could not take the lease. */
      readonly fence: number | undefined;
      readonly before: number | undefined;
      readonly after: number;
    };

export interface Outcome {
  readonly seed: number;
  readonly isSkewed: boolean;
  readonly journal: readonly Entry[];
  /** Nodes that stood in the cluster from the start to the end. */
  readonly lastingNodes: readonly string[];
  /** Two passes alone at the end, the second a minute after the first. */
  readonly last: { readonly first: PassReport; readonly second: PassReport; readonly writes: number };
  readonly met: Met;
}

/** What happened in a schedule: a suite in which nothing does proves nothing. */
export interface Met {
  kills: number;
  /** Passes that found the lease held. */
  held: number;
  /** Saves refused because a later pass had taken the lease. */
  fenced: number;
  /** Applies refused because the Deployment had moved on. */
  conflicts: number;
}

/** Makes the store of one pass; those of a schedule share what they store. */
export type OpenStore = () => StateStore;

/** @param openStore one store in memory for all passes, unless given. */
export async function playSchedule(
  seed: number,
  passCount: number,
  openStore: OpenStore = shareMemory(),
): Promise<Outcome> {
  const schedule = new Schedule(new Random(seed), openStore);
  await schedule.overlap(passCount);
  const last = await schedule.settle();
  return {
    seed,
    isSkewed: schedule.isSkewed,
    journal: schedule.journal,
    lastingNodes: schedule.lastingNodes,
    last,
    met: schedule.met,
  };
}

function shareMemory(): OpenStore {
  const store = new MemoryStateStore();
  return () => store;
}

interface Waiting {
  readonly call: Call;
  readonly moment: Moment;
  readonly goOn: () => void;
  readonly fail: (error: Error) => void;
}

interface Timed {
  readonly controller: AbortController;
  readonly firesAt: Instant;
}

interface Run {
  readonly name: string;
  readonly outside: Outside;
  readonly timers: Timed[];
  waiting: Waiting[];
  fence: number | undefined;
  now: Instant;
  report: PassReport | undefined;
  isDead: boolean;
}

class Schedule {
  readonly journal: Entry[] = [];
  readonly isSkewed: boolean;
  readonly lastingNodes: readonly string[];
  readonly met: Met = { kills: 0, held: 0, fenced: 0, conflicts: 0 };
  readonly #random: Random;
  readonly #world = new ClusterWorld();
  readonly #openStore: OpenStore;
  readonly #events: readonly CalendarEvent[];
  readonly #runs: Run[] = [];
  /** Calls of a store that takes its time. */
  #inFlight = 0;
  #turn: Run | undefined;
  #time = START;

  constructor(random: Random, openStore: OpenStore) {
    this.#random = random;
    this.#openStore = openStore;
    this.isSkewed = random.chance(0.5);
    const nodes = ['n1', 'n2', 'n3', 'n4'].slice(0, 2 + random.below(3));
    this.#world.nodes = nodes.map((name) => aNode({ name }));
    this.lastingNodes = nodes.map((name) => `uid-of-${name}`);
    for (const name of nodes) this.#setUsage(name, random.chance(0.5) ? FULL : 0);
    if (random.chance(0.8)) this.#world.put(aDeployment({ replicas: random.below(5) }));
    if (random.chance(0.2)) this.#world.placeholders = [pendingPlaceholder()];
    this.#events = [
      anEvent({ id: 'early', text: `base: ${random.below(6)}`, endAt: START + random.below(4) * MINUTE }),
      anEvent({
        id: 'late',
        text: `base: ${random.below(6)}`,
        startAt: START + random.below(3) * MINUTE,
        endAt: START + 60 * MINUTE,
      }),
    ];
  }

  /** Lets so many passes run over each other until each has ended, one way or the other. */
  async overlap(passCount: number): Promise<void> {
    this.#begin();
    await this.#drain();
    for (let step = 0; step < MOST_STEPS; step += 1) {
      if (this.#runs.length === passCount && this.#living().length === 0) break;
      if (this.#runs.length < passCount && (this.#living().length === 0 || this.#random.chance(0.08))) {
        this.#begin();
      } else this.#act();
      await this.#drain();
    }
    for (const run of this.#living()) this.#kill(run);
  }

  /** The passes after it all: one that finds the leases expired, and one more. */
  async settle(): Promise<Outcome['last']> {
    // Beyond every lease, also those stamped by a clock that ran ahead, and every grace period.
    this.#advance(LEASE_SECONDS + 1500);
    const first = await this.#alone('last');
    this.#advance(60);
    const before = this.journal.length;
    const second = await this.#alone('very last');
    const writes = this.journal.slice(before).filter(({ kind }) => kind === 'write').length;
    return { first, second, writes };
  }

  async #alone(name: string): Promise<PassReport> {
    const run = this.#newRun(name, 0);
    run.outside.gate = () => undefined;
    return this.#start(run);
  }

  #begin(): void {
    const skew = this.isSkewed ? (this.#random.below(241) - 120) * SECOND : 0;
    const run = this.#newRun(`pass-${this.#runs.length + 1}`, skew);
    this.#runs.push(run);
    void this.#start(run).then((report) => {
      run.report = report;
    });
  }

  #act(): void {
    const run = this.#whoseTurn();
    if (this.#random.chance(0.03)) this.#kill(run);
    else if (this.#random.chance(0.12)) this.#advance(this.#random.pick([1, 4, 30, 56, 65]));
    else if (this.#random.chance(0.08)) this.#stir();
    else this.#step(run);
  }

  /** Mostly the one that had the last turn: a whole pass must fit between two steps of another. */
  #whoseTurn(): Run {
    const living = this.#living();
    if (this.#turn === undefined || !living.includes(this.#turn) || this.#random.chance(0.2)) {
      this.#turn = this.#random.pick(living);
    }
    return this.#turn;
  }

  #step(run: Run): void {
    const index = this.#random.below(run.waiting.length);
    const [waiting] = run.waiting.splice(index, 1);
    if (waiting === undefined) return;
    // Before: it did not happen. After: it did, and the answer is lost.
    if (this.#random.chance(0.04)) waiting.fail(outsideError(waiting.call.method, 'unavailable'));
    else waiting.goOn();
  }

  #kill(run: Run): void {
    run.isDead = true;
    run.waiting = [];
    this.met.kills += 1;
  }

  #living(): readonly Run[] {
    return this.#runs.filter((run) => run.report === undefined && !run.isDead);
  }

  /** What users and the cluster autoscaler do meanwhile. */
  #stir(): void {
    if (this.#random.chance(0.3)) {
      const name = `n${this.#world.nodes.length + 1}`;
      this.#world.nodes = [...this.#world.nodes, aNode({ name, createdAt: this.#time })];
      this.#setUsage(name, 0);
    } else if (this.#random.chance(0.2)) this.#world.touchStatus(BASE);
    else this.#setUsage(this.#random.pick(this.#world.nodes).name, this.#random.chance(0.5) ? FULL : 0);
  }

  /** Everything that follows from what was let go on: immediates run when no promise is left to settle. */
  async #drain(): Promise<void> {
    do {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    } while (this.#inFlight > 0);
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    this.#inFlight += 1;
    try {
      return await work();
    } finally {
      this.#inFlight -= 1;
    }
  }

  #setUsage(node: string, cpuMillis: number): void {
    this.#world.usage = new Map(this.#world.usage).set(node, aUsage({ cpuMillis, podCount: 1 }));
  }

  #advance(seconds: number): void {
    this.#time += seconds * SECOND;
    for (const { controller, firesAt } of this.#runs.flatMap((run) => run.timers)) {
      if (firesAt <= this.#time) controller.abort(new DOMException('late', 'TimeoutError'));
    }
  }

  // ---- one pass ----

  #newRun(name: string, skew: number): Run {
    const run: Run = {
      name,
      outside: new Outside(),
      timers: [],
      waiting: [],
      fence: undefined,
      now: this.#time + skew,
      report: undefined,
      isDead: false,
    };
    run.outside.gate = (call, moment) =>
      new Promise<void>((goOn, fail) => {
        run.waiting.push({ call, moment, goOn, fail });
      });
    return run;
  }

  #start(run: Run): Promise<PassReport> {
    const calendar = new FakeCalendar(run.outside, this.#events);
    const cluster = new FakeCluster(run.outside, this.#world);
    run.outside.onRefusal = ({ method }) => {
      if (method === 'cluster.apply') this.met.conflicts += 1;
    };
    const store = new FakeStateStore(run.outside, this.#journalling(run));
    let before: number | undefined;
    const gate = run.outside.gate;
    run.outside.gate = async (call, moment) => {
      await gate(call, moment);
      if (moment === 'before') before = this.#world.replicas(BASE);
    };
    run.outside.onEffect = ({ method }, result) => {
      if (method !== 'cluster.apply' || result === 'unchanged') return;
      const after = this.#world.replicas(BASE) ?? 0;
      this.journal.push({ kind: 'write', pass: run.name, fence: run.fence, before, after });
    };
    return runPass(
      {
        source: 'config.yaml',
        clusters: [aClusterOf([aPool('base')])],
        caps: [],
        notices: [],
      },
      {
        openCalendar: () => Promise.resolve(calendar),
        openCluster: () => Promise.resolve(cluster),
        state: store,
        log: new CapturedLog(),
      },
      {
        now: run.now,
        owner: run.name,
        deadline: this.#deadlineOf(run),
        isDryRun: false,
        task: { index: 0, count: 1 },
      },
    );
  }

  #deadlineOf(run: Run): Deadline {
    const timer = (seconds: number): AbortSignal => {
      const controller = new AbortController();
      run.timers.push({ controller, firesAt: this.#time + seconds * SECOND });
      return controller.signal;
    };
    const stop = timer(PASS_SECONDS);
    return {
      stop,
      isOver: () => stop.aborted,
      forWrite: () => timer(WRITE_SECONDS),
      forState: () => AbortSignal.any([stop, timer(STATE_SECONDS)]),
    };
  }

  #journalling(run: Run): StateStore {
    const store = this.#openStore();
    const never = new AbortController().signal;
    return {
      label: store.label,
      peek: (cluster, signal) => store.peek(cluster, signal),
      acquire: (cluster, claim, signal) =>
        this.#counted(async (): Promise<Acquisition> => {
          const answer = await store.acquire(cluster, claim, signal);
          if (answer.kind === 'held') this.met.held += 1;
          else {
            run.fence = answer.lease.fence;
            this.journal.push({ kind: 'lease', pass: run.name, fence: answer.lease.fence });
          }
          return answer;
        }),
      save: (cluster, change, signal) =>
        this.#counted(async () => {
          const before = await store.peek(cluster, never);
          await store.save(cluster, change, signal).catch((error: unknown) => {
            this.met.fenced += 1;
            throw error;
          });
          const after = await store.peek(cluster, never);
          const { fence } = change.lease;
          this.journal.push({ kind: 'save', pass: run.name, fence, now: run.now, before, after });
        }),
      close: () => store.close(),
    };
  }
}

function pendingPlaceholder(): ReturnType<typeof aPlaceholder> {
  return aPlaceholder({
    name: 'p1',
    nodeName: undefined,
    phase: 'Pending',
    warmth: 'cold',
    createdAt: START,
  });
}
