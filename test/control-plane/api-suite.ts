/**
 * What the product relies on a Kubernetes API for. One suite, run on a real control plane and on the embedded cluster's
 * HTTPS face: where they differ, the model is wrong.
 */
import type { V1Deployment, V1Node, V1Pod } from '@kubernetes/client-node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { WARM_BUDGET_NAME, WARMTH_LABEL } from '../../functions/domain/placeholder.ts';
import { ClusterError } from '../../functions/errors.ts';
import type { Cluster, ClusterReading, WantedDeployment } from '../../functions/ports.ts';
import { ApiError } from './admin-client.ts';
import { usersNamespace, type ApiFace } from './api-face.ts';
import { countByVerb } from './audit-log.ts';
import { placeholders, podsOf, queryFor, type PlaceholderScene } from './placeholder-scene.ts';
import {
  addNamespace,
  addNode,
  addPod,
  deploymentPath,
  deploymentsPath,
  isRunning,
  livePods,
  nameOf,
  nodeOf,
  podPath,
  podsPath,
  type PodScene,
} from './scene.ts';

const STARTUP_TIMEOUT_MS = 90_000;

interface Budget {
  readonly status?: { readonly currentHealthy?: number; readonly disruptionsAllowed?: number };
}

interface Filler {
  readonly name: string;
  readonly node: string;
  readonly cpu: string;
  readonly priority: number;
}

interface Order {
  readonly name: string;
  readonly fillers: readonly Filler[];
  readonly userCpu?: string;
  readonly left: readonly string[];
}

export function describeApi(name: string, open: () => Promise<ApiFace>): void {
  describe(name, () => {
    let face: ApiFace;
    let cluster: Cluster;
    let poolCount = 0;
    const signal = new AbortController().signal;

    beforeAll(async () => {
      face = await open();
      cluster = face.connect();
      await addNamespace(face.admin, usersNamespace(face.namespace));
    }, STARTUP_TIMEOUT_MS);

    afterAll(async () => {
      await cluster.close();
      await face.close();
    });

    // The budget counts over all Deployments of the namespace: what one test leaves would protect another's pods.
    afterEach(async () => {
      const path = deploymentsPath(face.namespace);
      for (const deployment of await face.admin.list<V1Deployment>(path)) {
        await face.admin.delete(`${path}/${nameOf(deployment)}`);
      }
      await face.waitUntil('all placeholders are gone', async () => {
        return (await face.admin.list(podsPath(face.namespace))).length === 0;
      });
    });

    /** Each test has a pool of its own, so that none sees another's nodes. */
    function newPool(): string {
      poolCount += 1;
      return `${face.namespace}-${poolCount}`;
    }

    function wanted(pool: string, replicas: number, more: Partial<PlaceholderScene> = {}): WantedDeployment {
      return placeholders({ namespace: face.namespace, pool, replicas, ...more });
    }

    async function read(...pools: readonly string[]): Promise<ClusterReading> {
      return await cluster.read(queryFor(face.namespace, pools), signal);
    }

    async function liveOf(pool: string) {
      const { deployments } = await read(pool);
      const live = deployments.find((each) => each.poolName === pool || each.name === `${pool}-placeholder`);
      if (live === undefined) throw new Error(`no Deployment for ${pool}`);
      return live;
    }

    /** As one pass after another would: decided anew when the controllers wrote the object meanwhile. */
    async function change(deployment: WantedDeployment): Promise<void> {
      await face.waitUntil(`${deployment.name} is applied`, async () => {
        const live = await liveOf(deployment.poolName);
        return await cluster.apply(deployment, live, signal).then(() => true, isAgain);
      });
    }

    function isAgain(error: unknown): false {
      if (error instanceof ClusterError && error.kind === 'conflict') return false;
      throw error;
    }

    async function deploymentOf(pool: string): Promise<V1Deployment> {
      return await face.admin.get(deploymentPath(face.namespace, `${pool}-placeholder`));
    }

    async function addNodes(pool: string, ...names: readonly string[]): Promise<void> {
      for (const each of names) await addNode(face.admin, { name: `${pool}-${each}`, pool });
    }

    async function addUser(pool: string, userName: string, cpu = '1500m'): Promise<V1Pod> {
      return await addPod(face.admin, {
        name: `${pool}-${userName}`,
        namespace: usersNamespace(face.namespace),
        pool,
        cpu,
        labels: { component: 'singleuser-server' },
      });
    }

    /** Makes a priority class and a pod of it, which admission refuses until it has heard of the class. */
    async function addPodOfPriority(priority: number, scene: PodScene): Promise<V1Pod> {
      const priorityClassName = `${face.namespace}${priority}`;
      await face.admin.apply(`/apis/scheduling.k8s.io/v1/priorityclasses/${priorityClassName}`, {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: priorityClassName },
        value: priority,
      });
      return await face.waitUntil(`${scene.name} is admitted`, async () =>
        addPod(face.admin, { ...scene, priorityClassName }).catch((error: unknown) => {
          if (error instanceof ApiError && error.status === 403) return undefined;
          throw error;
        }),
      );
    }

    /** Waits for a user's pod and says which node it came to. */
    async function whereRuns(pod: V1Pod): Promise<string> {
      return await face.waitUntil(`${nameOf(pod)} runs`, async () => {
        const now = await face.admin.get<V1Pod>(podPath(pod));
        return isRunning(now) && nodeOf(now);
      });
    }

    /** Waits until so many placeholders of a pool run, and so many are Pending. */
    async function untilPlaceholders(pool: string, running: number, pending = 0): Promise<readonly V1Pod[]> {
      return await face.waitUntil(`${running} placeholders of ${pool} run, ${pending} wait`, async () => {
        const pods = await livePods(face.admin, face.namespace, podsOf(pool));
        const count = pods.filter(isRunning).length;
        const waiting = pods.filter((pod) => nodeOf(pod) === undefined).length;
        return count === running && waiting === pending && pods;
      });
    }

    /** Raises a pool one by one, so that its placeholders differ in age, oldest first. */
    async function raiseOneByOne(
      pool: string,
      nodes: readonly string[],
      more: Partial<PlaceholderScene> = {},
    ) {
      for (const [index, node] of nodes.entries()) {
        await addNodes(pool, node);
        if (index === 0) await cluster.apply(wanted(pool, 1, more), undefined, signal);
        else await change(wanted(pool, index + 1, more));
        await untilPlaceholders(pool, index + 1);
        await face.letTimePass(10);
      }
    }

    async function nodesOfPlaceholders(pool: string): Promise<readonly string[]> {
      const pods = await livePods(face.admin, face.namespace, podsOf(pool));
      return pods.flatMap((pod) => nodeOf(pod)?.replace(`${pool}-`, '') ?? []).sort();
    }

    async function markWarmOn(pool: string, node: string): Promise<void> {
      const pod = (await read(pool)).placeholders.find((each) => each.nodeName === `${pool}-${node}`);
      if (pod === undefined) throw new Error(`no placeholder on ${node}`);
      expect(await cluster.markWarm(pod, signal)).toBe('labelled');
    }

    describe('reading', () => {
      it('reads the nodes of the managed pools and what their pods ask for', async () => {
        const [pool, other] = [newPool(), newPool()];
        await addNodes(pool, 'a', 'b');
        await addNodes(other, 'c');
        for (const userName of ['u1', 'u2']) {
          await whereRuns(
            await addPod(face.admin, {
              name: `${pool}-${userName}`,
              namespace: usersNamespace(face.namespace),
              nodeName: `${pool}-a`,
              cpu: '250m',
            }),
          );
        }
        const reading = await read(pool);
        expect(reading.nodes.map(({ name: node }) => node).sort()).toEqual([`${pool}-a`, `${pool}-b`]);
        expect(reading.nodes[0]).toMatchObject({
          poolLabel: pool,
          isCordoned: false,
          ready: 'True',
          leaving: undefined,
          allocatable: { kind: 'known', cpuMillis: 4000, memoryBytes: 16 * 1024 ** 3 },
        });
        expect(reading.usage.get(`${pool}-a`)).toMatchObject({ cpuMillis: 500, podCount: 2 });
        expect(reading.usage.get(`${pool}-b`)?.podCount ?? 0).toBe(0);
      });

      it('reads every page of a long list once, and asks for no more than a page at a time', async () => {
        const pool = newPool();
        await addNode(face.admin, { name: `${pool}-a`, pool, cpu: '40' });
        const names = Array.from({ length: 23 }, (_, index) => `u${index}`);
        for (const userName of names) await addUser(pool, userName, '100m');
        await untilUsersRun(pool, names.length);
        const paging = face.connect(5);
        let reading: ClusterReading | undefined;
        const requests = await face.requestsDuring(async () => {
          reading = await paging.read(queryFor(face.namespace, [pool]), signal);
        });
        await paging.close();
        expect(reading?.usage.get(`${pool}-a`)).toMatchObject({ cpuMillis: 2300, podCount: 23 });
        const pages = requests.filter(({ uri }) => uri.startsWith('/api/v1/pods?'));
        expect(pages.length).toBeGreaterThanOrEqual(5);
        expect(pages.every(({ uri }) => uri.includes('limit=5'))).toBe(true);
        expect(countByVerb(requests)).toEqual({ list: requests.length });
      });

      it('does not count pods that have come to their end', async () => {
        const pool = newPool();
        await addNodes(pool, 'a');
        const pods = [await addUser(pool, 'u1'), await addUser(pool, 'u2')];
        for (const pod of pods) await whereRuns(pod);
        await face.admin.merge(`${podPath(pods[0]!)}/status`, { status: { phase: 'Succeeded' } });
        const reading = await read(pool);
        expect(reading.usage.get(`${pool}-a`)).toMatchObject({ cpuMillis: 1500, podCount: 1 });
      });

      it('sees a cordon and the taint of a node that is about to be removed', async () => {
        const pool = newPool();
        await addNodes(pool, 'a');
        await addNode(face.admin, {
          name: `${pool}-b`,
          pool,
          taints: [{ key: 'ToBeDeletedByClusterAutoscaler', value: '1', effect: 'NoSchedule' }],
        });
        await face.admin.merge<V1Node>(`/api/v1/nodes/${pool}-a`, { spec: { unschedulable: true } });
        const { nodes } = await read(pool);
        const seen = nodes.map(({ name: node, isCordoned, leaving }) => [node, isCordoned, leaving]);
        expect(seen.sort()).toEqual([
          [`${pool}-a`, true, undefined],
          [`${pool}-b`, false, 'toBeDeletedTaint'],
        ]);
      });

      it('says why a placeholder has found no node', async () => {
        const pool = newPool();
        await addNodes(pool, 'a');
        await cluster.apply(wanted(pool, 2), undefined, signal);
        const pending = await face.waitUntil('the scheduler says why', async () => {
          const pods = (await read(pool)).placeholders.filter((pod) => pod.poolName === pool);
          return pods.find((pod) => pod.nodeName === undefined && pod.pendingMessage !== undefined);
        });
        expect(pending).toMatchObject({ phase: 'Pending', warmth: 'cold', isTerminating: false });
        expect(pending.pendingMessage).toContain('Insufficient cpu');
      });

      it('finds the priority class and the budget of the cluster YAML', async () => {
        const { objects } = await cluster.read(
          { ...queryFor(face.namespace, [newPool()]), withObjects: true },
          signal,
        );
        expect(objects).toEqual({
          priorityClass: { kind: 'present', value: -10, preemptionPolicy: 'Never' },
          warmBudget: 'present',
        });
      });
    });

    async function untilUsersRun(pool: string, count: number): Promise<void> {
      await face.waitUntil(`${count} users of ${pool} run`, async () => {
        const pods = await livePods(face.admin, usersNamespace(face.namespace), '');
        return pods.filter((pod) => isRunning(pod) && nodeOf(pod)?.startsWith(pool)).length === count;
      });
    }

    describe('applying', () => {
      it('creates, leaves alone what is as wanted, and changes what has drifted', async () => {
        const pool = newPool();
        expect(await cluster.apply(wanted(pool, 2), undefined, signal)).toBe('created');
        const created = await untilSettled(pool);
        expect(created).toMatchObject({ replicas: 2, poolName: pool, hasOurSelector: true, generation: 1 });
        expect(await cluster.apply(wanted(pool, 2), created, signal)).toBe('unchanged');
        expect(await liveOf(pool)).toEqual(created);
        expect(await cluster.apply(wanted(pool, 3), created, signal)).toBe('configured');
        expect(await liveOf(pool)).toMatchObject({ replicas: 3, generation: 2 });
      });

      it('takes back a count that somebody else set', async () => {
        const pool = newPool();
        await cluster.apply(wanted(pool, 2), undefined, signal);
        await face.admin.merge(deploymentPath(face.namespace, `${pool}-placeholder`), {
          spec: { replicas: 7 },
        });
        expect(await cluster.apply(wanted(pool, 2), await untilSettled(pool), signal)).toBe('configured');
        expect((await deploymentOf(pool)).spec?.replicas).toBe(2);
      });

      it('refuses a decision made on an older reading, and changes nothing', async () => {
        const pool = newPool();
        await cluster.apply(wanted(pool, 2), undefined, signal);
        const older = await untilSettled(pool);
        await cluster.apply(wanted(pool, 0), older, signal);
        await expect(cluster.apply(wanted(pool, 3), older, signal)).rejects.toMatchObject({
          name: 'ClusterError',
          kind: 'conflict',
        });
        expect((await deploymentOf(pool)).spec?.replicas).toBe(0);
      });

      it('goes on when only the status moved since the reading', async () => {
        const pool = newPool();
        await cluster.apply(wanted(pool, 2), undefined, signal);
        const older = await untilSettled(pool);
        await addNodes(pool, 'a', 'b');
        await untilPlaceholders(pool, 2);
        await untilSettled(pool);
        expect((await liveOf(pool)).resourceVersion).not.toBe(older.resourceVersion);
        expect(await cluster.apply(wanted(pool, 1), older, signal)).toBe('configured');
        expect((await deploymentOf(pool)).spec?.replicas).toBe(1);
      });

      it('does not bring back a Deployment that was deleted since the reading', async () => {
        const pool = newPool();
        await cluster.apply(wanted(pool, 0), undefined, signal);
        const older = await liveOf(pool);
        const path = deploymentPath(face.namespace, `${pool}-placeholder`);
        await face.admin.delete(path);
        await face.waitUntil('it is gone', async () => (await face.admin.find(path)) === undefined);
        await expect(cluster.apply(wanted(pool, 3), older, signal)).rejects.toMatchObject({
          kind: 'conflict',
        });
        expect(await face.admin.find(path)).toBeUndefined();
      });

      it('does not overwrite a Deployment that appeared since the reading', async () => {
        const pool = newPool();
        await cluster.apply(wanted(pool, 4), undefined, signal);
        await expect(cluster.apply(wanted(pool, 1), undefined, signal)).rejects.toMatchObject({
          kind: 'conflict',
        });
        expect((await deploymentOf(pool)).spec?.replicas).toBe(4);
      });

      it("reports another tool's Deployment of the same name, whose selector cannot be changed", async () => {
        const pool = newPool();
        const labels = { app: 'somebody-else' };
        await face.admin.create(deploymentsPath(face.namespace), {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: `${pool}-placeholder`, namespace: face.namespace },
          spec: {
            replicas: 0,
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: { containers: [{ name: 'main', image: 'registry.example/other:1' }] },
            },
          },
        });
        const live = await liveOf(pool);
        expect(live).toMatchObject({ poolName: undefined, hasOurSelector: false });
        await expect(cluster.apply(wanted(pool, 1), live, signal)).rejects.toMatchObject({ kind: 'invalid' });
        expect((await deploymentOf(pool)).spec?.selector.matchLabels).toEqual(labels);
      });

      it('scales to zero a Deployment whose pool has gone, unless it changed since', async () => {
        const pool = newPool();
        await cluster.apply(wanted(pool, 2), undefined, signal);
        const older = await untilSettled(pool);
        await cluster.apply(wanted(pool, 3), older, signal);
        await expect(cluster.scaleDown(older, signal)).rejects.toMatchObject({ kind: 'conflict' });
        await cluster.scaleDown(await untilSettled(pool), signal);
        expect((await deploymentOf(pool)).spec?.replicas).toBe(0);
      });
    });

    /** Waits until the controllers have nothing left to write to a Deployment. */
    async function untilSettled(pool: string) {
      let before = await liveOf(pool);
      let calm = 0;
      return await face.waitUntil(`${pool} has settled`, async () => {
        const now = await liveOf(pool);
        calm = now.resourceVersion === before.resourceVersion ? calm + 1 : 0;
        before = now;
        return calm >= 8 && now;
      });
    }

    describe('marking placeholders warm', () => {
      it('changes one label and nothing else', async () => {
        const pool = newPool();
        await raiseOneByOne(pool, ['a']);
        const requests = await face.requestsDuring(async () => {
          await markWarmOn(pool, 'a');
        });
        const [pod, ...rest] = await livePods(face.admin, face.namespace, podsOf(pool));
        expect(rest).toEqual([]);
        expect(pod?.metadata?.labels?.[WARMTH_LABEL]).toBe('warm');
        expect(countByVerb(requests)).toMatchObject({ patch: 1 });
        expect((await read(pool)).placeholders.find((each) => each.poolName === pool)).toMatchObject({
          warmth: 'warm',
          phase: 'Running',
        });
      });

      it('takes a pod that was evicted meanwhile for gone', async () => {
        const pool = newPool();
        await raiseOneByOne(pool, ['a']);
        const pod = (await read(pool)).placeholders.find((each) => each.poolName === pool)!;
        await face.admin.delete(`${podsPath(face.namespace)}/${pod.name}`);
        await face.waitUntil('it is gone', async () => {
          return (await face.admin.find(`${podsPath(face.namespace)}/${pod.name}`)) === undefined;
        });
        const requests = await face.requestsDuring(async () => {
          expect(await cluster.markWarm(pod, signal)).toBe('gone');
        });
        expect(requests).toHaveLength(1);
      });

      it('never touches a pod of the same name and another uid', async () => {
        const pool = newPool();
        await raiseOneByOne(pool, ['a']);
        const pod = (await read(pool)).placeholders.find((each) => each.poolName === pool)!;
        const other = { ...pod, uid: '3c5ae6f0-0000-4000-8000-000000000000' };
        expect(await cluster.markWarm(other, signal)).toBe('gone');
        const now = await face.admin.get<V1Pod>(`${podsPath(face.namespace)}/${pod.name}`);
        expect(now.metadata?.labels?.[WARMTH_LABEL]).toBe('cold');
      });
    });

    describe('scheduling', () => {
      it('gives a user the node of a placeholder, which then waits for another', async () => {
        const pool = newPool();
        await raiseOneByOne(pool, ['a']);
        expect(await whereRuns(await addUser(pool, 'u1'))).toBe(`${pool}-a`);
        await untilPlaceholders(pool, 0, 1);
        await addNodes(pool, 'b');
        await untilPlaceholders(pool, 1);
        expect(await nodesOfPlaceholders(pool)).toEqual(['b']);
      });

      it('never evicts a user for another user', async () => {
        const pool = newPool();
        await addNodes(pool, 'a');
        const first = await addUser(pool, 'u1', '3');
        await whereRuns(first);
        const second = await addUser(pool, 'u2', '3');
        await face.waitUntil('the second waits', async () => {
          const now = await face.admin.get<V1Pod>(podPath(second));
          return now.status?.conditions?.some(({ reason }) => reason === 'Unschedulable');
        });
        expect(isRunning(await face.admin.get<V1Pod>(podPath(first)))).toBe(true);
      });

      it('never lets a placeholder evict anybody, even one of lower priority', async () => {
        const pool = newPool();
        await addNodes(pool, 'a');
        const lowest = await addPodOfPriority(-1000, {
          name: `${pool}-batch`,
          namespace: usersNamespace(face.namespace),
          pool,
          cpu: '3',
        });
        await whereRuns(lowest);
        await cluster.apply(wanted(pool, 1), undefined, signal);
        await face.waitUntil('the scheduler says why', async () => {
          return (await read(pool)).placeholders.find((pod) => pod.poolName === pool)?.pendingMessage;
        });
        expect(isRunning(await face.admin.get<V1Pod>(podPath(lowest)))).toBe(true);
      });

      it('puts placeholders on tainted nodes only when they tolerate the taint', async () => {
        const pool = newPool();
        const taint = { key: 'hub.jupyter.org/dedicated', value: 'user', effect: 'NoSchedule' } as const;
        await addNode(face.admin, { name: `${pool}-a`, pool, taints: [taint] });
        await cluster.apply(wanted(pool, 1), undefined, signal);
        await untilPlaceholders(pool, 0, 1);
        const pending = await face.waitUntil('the scheduler says why', async () => {
          return (await read(pool)).placeholders.find((pod) => pod.poolName === pool)?.pendingMessage;
        });
        expect(pending).toContain('taint');
        const tolerant = wanted(pool, 1, { tolerations: [{ operator: 'Equal', ...taint }] });
        await change(tolerant);
        await untilPlaceholders(pool, 1);
        expect(await nodesOfPlaceholders(pool)).toEqual(['a']);
      });

      it('replaces placeholders one for one when their request changes: no surge', async () => {
        const pool = newPool();
        await addNodes(pool, 'a', 'b');
        await cluster.apply(wanted(pool, 1), undefined, signal);
        await untilPlaceholders(pool, 1);
        const count = await face.watchPodCount(podsOf(pool));
        await change(wanted(pool, 1, { cpu: '3' }));
        await face.waitUntil('the new one runs', async () => {
          const pods = await livePods(face.admin, face.namespace, podsOf(pool));
          return pods.some(
            (pod) => isRunning(pod) && pod.spec?.containers[0]?.resources?.requests?.['cpu'] === '3',
          );
        });
        expect(await count.stop()).toBe(1);
      });

      it('deletes first the placeholder that waits, then the one that became Ready last', async () => {
        const pool = newPool();
        await raiseOneByOne(pool, ['a', 'b', 'c']);
        await change(wanted(pool, 4));
        await untilPlaceholders(pool, 3, 1);
        await change(wanted(pool, 3));
        await untilPlaceholders(pool, 3);
        expect(await nodesOfPlaceholders(pool)).toEqual(['a', 'b', 'c']);
        await change(wanted(pool, 2));
        await untilPlaceholders(pool, 2);
        expect(await nodesOfPlaceholders(pool)).toEqual(['a', 'b']);
      });
    });

    it('deletes first from a node that holds two placeholders, though another is newer', async () => {
      const pool = newPool();
      const small = { cpu: '1500m' };
      await addNodes(pool, 'a');
      await cluster.apply(wanted(pool, 1, small), undefined, signal);
      await untilPlaceholders(pool, 1);
      await face.letTimePass(10);
      await change(wanted(pool, 2, small));
      await untilPlaceholders(pool, 2);
      await face.letTimePass(10);
      await addNodes(pool, 'b');
      await change(wanted(pool, 3, small));
      await untilPlaceholders(pool, 3);
      expect(await nodesOfPlaceholders(pool)).toEqual(['a', 'a', 'b']);
      await change(wanted(pool, 2, small));
      await untilPlaceholders(pool, 2);
      expect(await nodesOfPlaceholders(pool)).toEqual(['a', 'b']);
    });

    describe('whom a user evicts', () => {
      /** Pods of given priorities that fill the nodes of a pool, oldest first. */
      async function fill(pool: string, fillers: readonly Filler[]): Promise<void> {
        for (const { name: filler, node, cpu, priority } of fillers) {
          const pod = await addPodOfPriority(priority, {
            name: `${pool}-${filler}`,
            namespace: usersNamespace(face.namespace),
            nodeName: `${pool}-${node}`,
            cpu,
          });
          await whereRuns(pod);
          await face.letTimePass(10);
        }
      }

      async function fillersLeft(pool: string, fillers: readonly Filler[]): Promise<readonly string[]> {
        const pods = await livePods(face.admin, usersNamespace(face.namespace), '');
        const names = new Set(pods.map(nameOf));
        return fillers.map(({ name: filler }) => filler).filter((filler) => names.has(`${pool}-${filler}`));
      }

      const ORDERS: readonly Order[] = [
        {
          name: 'of two priorities the lower, though the other is newer',
          fillers: [
            { name: 'older', node: 'a', cpu: '3', priority: -10 },
            { name: 'newer', node: 'b', cpu: '3', priority: -5 },
          ],
          left: ['newer'],
        },
        {
          name: 'of two nodes the one where a single pod gives way, though the pods of the other are newer',
          fillers: [
            { name: 'single', node: 'a', cpu: '3', priority: -10 },
            { name: 'one', node: 'b', cpu: '2', priority: -10 },
            { name: 'two', node: 'b', cpu: '2', priority: -10 },
          ],
          left: ['one', 'two'],
        },
        {
          name: 'of two nodes whose highest victims are equal the one with the smaller sum',
          fillers: [
            { name: 'low', node: 'a', cpu: '2', priority: -20 },
            { name: 'same', node: 'a', cpu: '2', priority: -10 },
            { name: 'one', node: 'b', cpu: '2', priority: -10 },
            { name: 'two', node: 'b', cpu: '2', priority: -10 },
          ],
          left: ['one', 'two'],
        },
        {
          name: 'on one node the newest, and no more than needed',
          fillers: [
            { name: 'older', node: 'a', cpu: '1800m', priority: -10 },
            { name: 'newer', node: 'a', cpu: '1800m', priority: -10 },
            { name: 'full', node: 'b', cpu: '3500m', priority: 0 },
          ],
          userCpu: '1500m',
          left: ['older', 'full'],
        },
        {
          name: 'on one node the lower priority, though the other is newer',
          fillers: [
            { name: 'low', node: 'a', cpu: '1800m', priority: -20 },
            { name: 'high', node: 'a', cpu: '1800m', priority: -10 },
            { name: 'full', node: 'b', cpu: '3500m', priority: 0 },
          ],
          userCpu: '1500m',
          left: ['high', 'full'],
        },
      ];

      it.each(ORDERS)('$name', async ({ fillers, userCpu = '3', left }) => {
        const pool = newPool();
        await addNodes(pool, 'a', 'b');
        await fill(pool, fillers);
        await whereRuns(await addUser(pool, 'user', userCpu));
        expect(await fillersLeft(pool, fillers)).toEqual(left);
      });

      it('without labels: the newest, and then its replacement on a node that is newer still', async () => {
        const pool = newPool();
        await raiseOneByOne(pool, ['0', '1', '2'], { warmFirst: false });
        expect(await whereRuns(await addUser(pool, 'u1'))).toBe(`${pool}-2`);
        await untilPlaceholders(pool, 2, 1);
        await addNodes(pool, '9');
        await untilPlaceholders(pool, 3);
        expect(await whereRuns(await addUser(pool, 'u2'))).toBe(`${pool}-2`);
        expect(await whereRuns(await addUser(pool, 'u3'))).toBe(`${pool}-9`);
        expect(await nodesOfPlaceholders(pool)).toEqual(['0', '1']);
      });

      it('with the warm ones labelled: the warm, the cold one last, and still when nothing else is left', async () => {
        const pool = newPool();
        await raiseOneByOne(pool, ['0', '1', '2']);
        for (const node of ['0', '1', '2']) await markWarmOn(pool, node);
        expect(await whereRuns(await addUser(pool, 'u1'))).toBe(`${pool}-2`);
        await untilPlaceholders(pool, 2, 1);
        await addNodes(pool, '9');
        await untilPlaceholders(pool, 3);
        await untilBudgetCounts(1);
        const places: string[] = [];
        for (const userName of ['u2', 'u3', 'u4', 'u5', 'u6', 'u7']) {
          places.push((await whereRuns(await addUser(pool, userName))).replace(`${pool}-`, ''));
        }
        expect(places).toEqual(['2', '1', '1', '0', '0', '9']);
        expect(await nodesOfPlaceholders(pool)).toEqual([]);
      });
    });

    it('lets a drain have what is warm or waits, and holds it up for what is cold', async () => {
      const pool = newPool();
      await raiseOneByOne(pool, ['a', 'b']);
      await untilBudgetCounts(2);
      const pods = await livePods(face.admin, face.namespace, podsOf(pool));
      const [warm, cold] = ['a', 'b'].map((node) => pods.find((pod) => nodeOf(pod) === `${pool}-${node}`)!);
      await expect(evict(cold!)).rejects.toMatchObject({ status: 429 });
      // The disruption controller does not count again when a pod leaves the budget's selector; at zero it need not.
      await markWarmOn(pool, 'a');
      await expect(evict(cold!)).rejects.toMatchObject({ status: 429 });
      await face.admin.merge<V1Node>(`/api/v1/nodes/${pool}-a`, { spec: { unschedulable: true } });
      await evict(warm!);
      const replacement = (await untilPlaceholders(pool, 1, 1)).find((pod) => nodeOf(pod) === undefined)!;
      await evict(replacement);
      await face.waitUntil('the one that waited is gone', async () => {
        return (await face.admin.find(podPath(replacement))) === undefined;
      });
      expect(await nodesOfPlaceholders(pool)).toEqual(['b']);
    });

    async function evict(pod: V1Pod): Promise<void> {
      await face.admin.create(`${podPath(pod)}/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: nameOf(pod), namespace: face.namespace },
      });
    }

    /** The scheduler reads the budget's status, which its controller writes a moment after the pods changed. */
    async function untilBudgetCounts(coldAndHealthy: number): Promise<void> {
      const path = `/apis/policy/v1/namespaces/${face.namespace}/poddisruptionbudgets/${WARM_BUDGET_NAME}`;
      await face.waitUntil(`the budget counts ${coldAndHealthy}`, async () => {
        const { status } = await face.admin.get<Budget>(path);
        return status?.currentHealthy === coldAndHealthy && status.disruptionsAllowed === 0;
      });
    }
  });
}
