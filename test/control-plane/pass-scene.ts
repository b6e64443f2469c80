/** Whole passes on the real control plane: settings from YAML, kubeconfig, adapter and rights as in production. */
import { parseSettings } from '../../functions/config/load.ts';
import type { Settings } from '../../functions/config/settings.ts';
import { openCluster } from '../../functions/cluster/open.ts';
import type { CalendarEvent } from '../../functions/domain/event.ts';
import { startDeadline } from '../../functions/pass/deadline.ts';
import type { ClusterReport, PoolReport } from '../../functions/pass/job.ts';
import { runPass } from '../../functions/pass/run-pass.ts';
import type { Cluster } from '../../functions/ports.ts';
import { MemoryStateStore } from '../../functions/state/memory.ts';
import { CapturedLog, FakeCalendar, Outside } from '../support/fakes.ts';
import { AuditLog, type AuditedRequest } from './audit-log.ts';
import type { JobUserName } from './files.ts';
import type { ControlPlane } from './harness.ts';

const SECOND_MS = 1000;

export interface PassSceneOptions {
  readonly plane: ControlPlane;
  readonly user: JobUserName;
  readonly namespace: string;
  /** YAML of `nodePools` and whatever else the test sets. */
  readonly config: string;
}

export interface PassResult {
  readonly report: ClusterReport;
  /** What the pass sent, as the API server wrote it down. */
  readonly requests: readonly AuditedRequest[];
  readonly log: CapturedLog;
}

/** Passes one after another on a clock that the test moves; nodes and pods live in real time. */
export class PassScene {
  readonly calendar = new FakeCalendar(new Outside());
  now = Date.now();
  /** Runs between reading and writing: what happens in a cluster meanwhile. */
  beforeWrite: () => Promise<void> = () => Promise.resolve();
  readonly #settings: Settings;
  readonly #state = new MemoryStateStore();
  readonly #audit: AuditLog;
  #passes = 0;

  constructor({ plane, user, namespace, config }: PassSceneOptions) {
    const kubeconfigPath = plane.info.kubeconfigs[user];
    const text = `cluster: kubeconfig\nnamespace: ${namespace}\ncalendarId: test\n${config}`;
    this.#settings = parseSettings(text, { source: 'test', folder: '/' }, { kubeconfigPath });
    this.#audit = new AuditLog(plane.info.auditLog, user);
  }

  /** An event over the whole test. */
  announce(text: string): void {
    const event: CalendarEvent = {
      id: `event-${this.calendar.events.length}`,
      title: 'Data 8 lab',
      text,
      startAt: this.now - 3600 * SECOND_MS,
      endAt: this.now + 24 * 3600 * SECOND_MS,
    };
    this.calendar.events = [event];
  }

  #interrupt(cluster: Cluster): Cluster {
    const markWarm: Cluster['markWarm'] = async (pod, signal) => {
      await this.beforeWrite();
      return await cluster.markWarm(pod, signal);
    };
    return new Proxy(cluster, {
      get: (target, key) => {
        if (key === 'markWarm') return markWarm;
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  async pass(secondsLater = 60): Promise<PassResult> {
    this.now += secondsLater * SECOND_MS;
    this.#passes += 1;
    const log = new CapturedLog();
    const terminated = new AbortController();
    let report: ClusterReport | undefined;
    const requests = await this.#audit.during(async () => {
      const { clusters } = await runPass(
        this.#settings,
        {
          openCalendar: () => Promise.resolve(this.calendar),
          openCluster: async ({ target, name, namespace }, signal) => {
            if (target.kind === 'embedded') throw new Error('the test names a real cluster');
            return this.#interrupt(await openCluster(target, { label: name, namespace }, signal));
          },
          state: this.#state,
          log,
        },
        {
          now: this.now,
          owner: `pass-${this.#passes}`,
          deadline: startDeadline(terminated.signal),
          isDryRun: false,
          task: { index: 0, count: 1 },
        },
      );
      report = clusters[0];
    });
    if (report === undefined) throw new Error('no cluster in the report');
    return { report, requests, log };
  }
}

/** What a test states about a pool: how many, and by which rule. */
export function countsOf(
  report: ClusterReport,
): readonly Pick<PoolReport, 'pool' | 'wanted' | 'rule' | 'applied'>[] {
  return report.pools.map(({ pool, wanted, rule, applied }) => ({ pool, wanted, rule, applied }));
}

export function writesOf(requests: readonly AuditedRequest[]): readonly AuditedRequest[] {
  return requests.filter(({ verb }) => verb !== 'list' && verb !== 'get');
}

/** Requests that do not merely fetch a further page of a list. */
export function firstRequestsOf(requests: readonly AuditedRequest[]): readonly AuditedRequest[] {
  return requests.filter(({ uri }) => !uri.includes('continue='));
}
