/** A process killed at every line that a pass logs: the pass after it decides as if nothing had happened. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { IcsCalendar } from '../../functions/calendar/ics.ts';
import { openCluster } from '../../functions/cluster/open.ts';
import { parseSettings } from '../../functions/config/load.ts';
import { mapBounded } from '../../functions/pass/bounded.ts';
import { startDeadline } from '../../functions/pass/deadline.ts';
import type { PassReport } from '../../functions/pass/run-pass.ts';
import { runPass } from '../../functions/pass/run-pass.ts';
import { FileStateStore } from '../../functions/state/file.ts';
import { CapturedLog } from '../support/fakes.ts';
import {
  LAB_ICS,
  NOW,
  disperseCrowd,
  kubeconfigFor,
  openModelApi,
  replicasOf,
  sceneModel,
} from './scene-model.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SECOND = 1000;
/** Of the passes: two that prepare, the one that is killed, the one after it. */
const TIMES = [0, 250, 310, 370].map((seconds) => NOW + seconds * SECOND) as [number, number, number, number];
const KILLED_AT_A_TIME = 3;

const CONFIG = (calendar: string): string => `
cluster: kubeconfig
calendarUrl: ${calendar}
warmFirst: false
nodeGracePeriod: 300
nodePools:
  base:
    nodeSelector: { hub.jupyter.org/pool-name: base }
    replicas: 1
    resources: { requests: { cpu: 500m } }
`;

/** A cluster, a calendar and a state of its own, as two passes left them. */
class Place {
  readonly folder: string;
  readonly model = sceneModel();
  #close: () => Promise<void> = () => Promise.resolve();

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async prepare(): Promise<Place> {
    const place = new Place(await mkdtemp(join(tmpdir(), 'restart-')));
    const { api } = await openModelApi(place.model);
    place.#close = () => api.close();
    await writeFile(place.path('lab.ics'), LAB_ICS);
    await writeFile(place.path('kubeconfig'), kubeconfigFor(api.url));
    await writeFile(place.path('config.yaml'), CONFIG(place.path('lab.ics')));
    await place.pass(TIMES[0]);
    disperseCrowd(place.model);
    await place.pass(TIMES[1]);
    return place;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  async pass(now: number): Promise<PassReport> {
    const text = await readFile(this.path('config.yaml'), 'utf8');
    const kubeconfigPath = this.path('kubeconfig');
    return runPass(
      parseSettings(text, { source: 'config.yaml', folder: this.folder }, { kubeconfigPath }),
      {
        openCalendar: () => Promise.resolve(new IcsCalendar({ url: this.path('lab.ics') })),
        openCluster: ({ target, name, namespace }, signal) =>
          target.kind === 'embedded'
            ? Promise.reject(new Error('the config names a kubeconfig'))
            : openCluster(target, { label: name, namespace }, signal),
        state: new FileStateStore(this.path('state.json')),
        log: new CapturedLog(),
      },
      {
        now,
        owner: `pass-${now}`,
        deadline: startDeadline(new AbortController().signal),
        isDryRun: false,
        task: { index: 0, count: 1 },
      },
    );
  }

  /** The third pass, as a process. */
  async run(killAt: number): Promise<{ lines: number; signal: NodeJS.Signals | null; code: number | null }> {
    const args = ['pass', '--config', this.path('config.yaml'), '--state', `file:${this.path('state.json')}`];
    const hook = join(import.meta.dirname, 'kill-at-line.ts');
    const child = spawn(
      process.execPath,
      ['--import', hook, 'functions/main.ts', ...args, '--log-format', 'json', '--log-level', 'debug'],
      {
        cwd: ROOT,
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          PATH: process.env['PATH'],
          KUBECONFIG: this.path('kubeconfig'),
          NOW_AT: String(TIMES[2]),
          KILL_AT: String(killAt),
        },
      },
    );
    const ended = once(child, 'exit');
    let lines = 0;
    for await (const line of createInterface({ input: child.stdout })) lines += Number(line !== '');
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
    return { lines, signal, code };
  }

  async remove(): Promise<void> {
    await this.#close();
    await rm(this.folder, { recursive: true });
  }
}

interface Ending {
  readonly lines: number;
  readonly signal: NodeJS.Signals | null;
  readonly next: Pick<PassReport, 'exitCode'> & { readonly wanted: unknown; readonly reason: unknown };
  readonly replicas: number | undefined;
  readonly history: unknown;
}

async function runKilledAt(line: number): Promise<Ending> {
  const place = await Place.prepare();
  try {
    expect(replicasOf(place.model)).toBe(3);
    const { lines, signal } = await place.run(line);
    const report = await place.pass(TIMES[3]);
    const pool = report.clusters[0]?.pools[0];
    const never = new AbortController().signal;
    const { history } = await new FileStateStore(place.path('state.json')).peek('default', never);
    return {
      lines,
      signal,
      next: { exitCode: report.exitCode, wanted: pool?.wanted, reason: pool?.reason },
      replicas: replicasOf(place.model),
      history,
    };
  } finally {
    await place.remove();
  }
}

describe('a pass that is killed at any line it logs', () => {
  let unkilled: Ending;
  let killed: readonly Ending[];

  beforeAll(async () => {
    unkilled = await runKilledAt(0);
    const lines = Array.from({ length: unkilled.lines }, (_, index) => index + 1);
    killed = await mapBounded(lines, KILLED_AT_A_TIME, runKilledAt);
  }, 240_000);
  afterAll(() => {
    expect(killed.length).toBeGreaterThan(2);
  });

  test('when it is not, lowers the count to two', () => {
    expect(unkilled).toMatchObject({ signal: null, replicas: 2, next: { exitCode: 0, wanted: 2 } });
  });

  test('is dead at that line', () => {
    expect(killed.map(({ signal, lines }) => [signal, lines])).toEqual(
      killed.map((_, index) => ['SIGKILL', index + 1]),
    );
  });

  test('leaves the pass after it to decide and record as if it had not been killed', () => {
    const { next, replicas, history } = unkilled;
    expect(killed.map((each) => [each.next, each.replicas, each.history])).toEqual(
      killed.map(() => [next, replicas, history]),
    );
  });
});
