import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wantedDeployment } from '../../functions/domain/placeholder-manifest.ts';
import { createCluster } from '../../functions/embedded/cluster.ts';
import { EmbeddedCluster } from '../../functions/embedded/embedded-cluster.ts';
import type { EmbeddedApi } from '../../functions/embedded/https.ts';
import { startEmbeddedApi } from '../../functions/embedded/https.ts';
import { install } from '../../functions/embedded/installation.ts';
import type { ClusterModel } from '../../functions/embedded/model.ts';
import { REFERENCE_USER } from '../../functions/embedded/reference.ts';
import { sendUsers, userShape } from '../../functions/embedded/users.ts';
import type { Cluster, ClusterQuery } from '../../functions/ports.ts';
import { referenceMorning } from '../../functions/simulation/reference-morning.ts';
import { clusterOf } from '../../functions/simulation/scenario.ts';
import { connectAdapter } from '../control-plane/connect.ts';

const CERTS = new URL('../certs/', import.meta.url);
const [key, cert, ca] = ['server.key', 'server.pem', 'ca.pem'].map((name) =>
  readFileSync(new URL(name, CERTS), 'utf8'),
) as [string, string, string];

const scenario = referenceMorning();
const settings = clusterOf(scenario);
const pool = settings.pools[0]!;
const { signal } = new AbortController();

const QUERY: ClusterQuery = {
  namespace: settings.namespace,
  nodePoolSelectorKey: settings.nodePoolSelectorKey,
  nodeLabels: ['base'],
  userImages: ['registry.example/user-image'],
  imagePullerSelectors: settings.imagePullerSelectors,
  userPodSelectors: settings.userPodSelectors,
  priorityClassName: settings.priorityClassName,
  withObjects: true,
};

function wanted(replicas: number) {
  return wantedDeployment(pool.placeholder, {
    replicas,
    why: { reason: 'a test asked for it', event: undefined, changedAt: scenario.fromAt },
    warmFirst: true,
  });
}

describe('the model in process', () => {
  let model: ClusterModel;
  let api: EmbeddedApi;
  let inProcess: Cluster;
  let overHttps: Cluster;

  beforeAll(async () => {
    const pools = scenario.pools.map(({ spec }) => spec);
    model = createCluster({ startAt: scenario.fromAt, pools });
    install(model, settings);
    const shapes = new Map([['base', userShape(pools[0]!, REFERENCE_USER)]]);
    sendUsers(model, scenario.visits(1), shapes);
    api = await startEmbeddedApi({ model, tls: { key, cert }, secondsPerRequest: 0 });
    inProcess = new EmbeddedCluster(model, settings.namespace);
    overHttps = connectAdapter({ server: api.url, ca, token: 'any', namespace: settings.namespace });
  });

  afterAll(async () => {
    await overHttps.close();
    await api.close();
  });

  it('is read as the real client reads it over HTTPS, at every stage of a morning', async () => {
    expect(await inProcess.apply(wanted(3), undefined, signal)).toBe('created');
    const seen = [];
    for (let minute = 0; minute <= 180; minute += 6) {
      model.clock.runUntil(scenario.fromAt + minute * 60_000);
      const { how, ...remote } = await overHttps.read(QUERY, signal);
      const local = await inProcess.read(QUERY, signal);
      expect(byName(local)).toEqual(byName(remote));
      seen.push(how?.podsOf, remote.placeholders.length > 0, remote.usage.size > 1);
    }
    expect(new Set(seen)).toEqual(new Set(['cluster', true, false]));
  });

  it('answers writes as the real client is answered', async () => {
    const live = async () => (await inProcess.read(QUERY, signal)).deployments[0]!;
    const older = await live();
    expect(await inProcess.apply(wanted(2), older, signal)).toBe('configured');
    expect(await overHttps.apply(wanted(2), await live(), signal)).toBe('unchanged');
    for (const cluster of [inProcess, overHttps]) {
      await expect(cluster.apply(wanted(5), older, signal)).rejects.toMatchObject({
        kind: 'conflict',
        status: 409,
      });
      await expect(cluster.apply(wanted(5), undefined, signal)).rejects.toMatchObject({ kind: 'conflict' });
    }
    await inProcess.scaleDown(await live(), signal);
    expect((await live()).replicas).toBe(0);
  });

  it('marks a placeholder warm once, and takes one that is gone for gone', async () => {
    const live = (await inProcess.read(QUERY, signal)).deployments[0]!;
    await inProcess.apply(wanted(1), live, signal);
    model.clock.runUntil(model.clock.now() + 60_000);
    const pod = (await inProcess.read(QUERY, signal)).placeholders[0]!;
    expect(pod.warmth).toBe('cold');
    expect(await inProcess.markWarm(pod, signal)).toBe('labelled');
    expect((await overHttps.read(QUERY, signal)).placeholders[0]).toEqual({ ...pod, warmth: 'warm' });
    expect(await inProcess.markWarm({ ...pod, uid: 'another' }, signal)).toBe('gone');
    expect(await inProcess.markWarm({ ...pod, name: 'another' }, signal)).toBe('gone');
  });

  it('is not read or written by a pass that was told to stop', async () => {
    const stopped = AbortSignal.abort();
    await expect(inProcess.read(QUERY, stopped)).rejects.toMatchObject({ kind: 'aborted' });
    await expect(inProcess.apply(wanted(9), undefined, stopped)).rejects.toMatchObject({ kind: 'aborted' });
  });
});

function byName(reading: Awaited<ReturnType<Cluster['read']>>): object {
  const sort = <T extends { readonly name: string }>(items: readonly T[]): readonly T[] =>
    [...items].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    ...reading,
    nodes: sort(reading.nodes),
    placeholders: sort(reading.placeholders),
    usage: new Map([...reading.usage].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
