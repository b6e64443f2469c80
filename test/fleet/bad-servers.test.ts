/** A fleet over real connections, with API servers in it that are silent, slow or throttled. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiCluster } from '../../functions/cluster/api.ts';
import { DEFAULT_LIMITS } from '../../functions/cluster/transport.ts';
import type { ClusterReport } from '../../functions/pass/job.ts';
import { runPass } from '../../functions/pass/run-pass.ts';
import { MemoryStateStore } from '../../functions/state/memory.ts';
import type { Trouble } from '../../scripts/bench/synthetic-protocol.ts';
import { CA_FILE, SyntheticApi } from '../../scripts/bench/synthetic.ts';
import { aClusterOf, aDeadline, aPool } from '../pass/scene.ts';
import { CapturedLog } from '../support/fakes.ts';
import { clusterNames } from './fleet-scene.ts';

const CLUSTERS = 20;
const DEAD = [0, 4, 7];
const SLOW = [2, 9];
const THROTTLED = 5;

describe('a fleet with bad API servers in it', () => {
  let api: SyntheticApi;
  let clusters: readonly ClusterReport[];
  let endedInOrder: readonly string[];
  let refused: readonly number[];
  let connections: readonly number[];

  async function makeTrouble(indices: readonly number[], trouble: Trouble): Promise<void> {
    for (const index of indices) await api.trouble(index, trouble);
  }

  beforeAll(async () => {
    api = await SyntheticApi.start({ clusters: CLUSTERS, nodes: 3, podsPerNode: 2 });
    await makeTrouble(DEAD, { kind: 'silent' });
    await makeTrouble(SLOW, { kind: 'slow', millis: 400 });
    await makeTrouble([THROTTLED], { kind: 'throttled', requests: 1, retryAfterSeconds: 1 });
    const log = new CapturedLog();
    const ca = readFileSync(CA_FILE, 'utf8');
    const urls = new Map(clusterNames(CLUSTERS).map((name, index) => [name, api.urls()[index] ?? '']));
    const report = await runPass(
      {
        source: 'config.yaml',
        clusters: [...urls.keys()].map((name) => aClusterOf([aPool('base')], { name, calendar: undefined })),
        caps: [],
        notices: [],
      },
      {
        openCalendar: () => Promise.reject(new Error('none is configured')),
        openCluster: ({ name, namespace }) =>
          Promise.resolve(
            new ApiCluster({
              label: name,
              namespace,
              limits: { ...DEFAULT_LIMITS, headers: 4000 },
              endpoint: {
                server: urls.get(name) ?? '',
                ca,
                clientCertificate: undefined,
                serverName: undefined,
                proxyUrl: undefined,
                headers: { authorization: 'Bearer token' },
                advice: { credentials: '', reach: '' },
              },
            }),
          ),
        state: new MemoryStateStore(),
        log,
      },
      {
        now: Date.UTC(2026, 10, 30, 9),
        owner: 'pass',
        deadline: aDeadline(new AbortController().signal),
        isDryRun: false,
        task: { index: 0, count: 1 },
      },
    );
    ({ clusters } = report);
    endedInOrder = log.lines
      .filter(({ message }) => message === 'pass summary')
      .map(({ fields }) => String(fields['cluster']));
    const stats = await api.stats();
    refused = stats.map(({ byVerb }) => byVerb['refused']?.requests ?? 0);
    connections = stats.map((one) => one.connections);
  });

  afterAll(async () => {
    await api.stop();
  });

  it('serves every cluster whose server answers, slow and throttled ones too', () => {
    const failed = clusters.filter(({ outcome }) => outcome !== 'ok').map(({ cluster }) => cluster);
    expect(failed).toEqual(DEAD.map((index) => `hub-${index}`));
  });

  // Of the slow and the throttled one only the outcome is asserted: how long they take is up to the machine.
  it('is through with the healthy ones before a dead one is given up', () => {
    const healthy = clusterNames(CLUSTERS).filter(
      (_, index) => ![...DEAD, ...SLOW, THROTTLED].includes(index),
    );
    const lastHealthy = Math.max(...healthy.map((name) => endedInOrder.indexOf(name)));
    const firstDead = Math.min(...DEAD.map((index) => endedInOrder.indexOf(`hub-${index}`)));
    expect(healthy).toHaveLength(CLUSTERS - DEAD.length - SLOW.length - 1);
    expect(lastHealthy).toBeLessThan(firstDead);
  });

  it('asks the server that throttles again, and is refused nowhere else', () => {
    expect(refused).toEqual(clusterNames(CLUSTERS).map((_, index) => Number(index === THROTTLED)));
  });

  it('opens one connection to each server', () => {
    expect(connections).toEqual(clusterNames(CLUSTERS).map(() => 1));
  });
});
