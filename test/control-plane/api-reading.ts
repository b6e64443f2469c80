/** What the product reads, and what it costs. */
import type { V1Node } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';

import type { ClusterReading } from '../../functions/ports.ts';
import { usersNamespace } from './api-face.ts';
import type { ApiStage } from './api-stage.ts';
import { countByVerb } from './audit-log.ts';
import { queryFor } from './placeholder-scene.ts';
import { addNode, addPod, podPath } from './scene.ts';

export function describeReading(stage: ApiStage): void {
  describe('reading', () => {
    it('reads the nodes of the managed pools and what their pods ask for', async () => {
      const [pool, other] = [stage.newPool(), stage.newPool()];
      await stage.addNodes(pool, 'a', 'b');
      await stage.addNodes(other, 'c');
      for (const userName of ['u1', 'u2']) {
        await stage.whereRuns(
          await addPod(stage.face.admin, {
            name: `${pool}-${userName}`,
            namespace: usersNamespace(stage.face.namespace),
            nodeName: `${pool}-a`,
            cpu: '250m',
          }),
        );
      }
      const reading = await stage.read(pool);
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
      const pool = stage.newPool();
      await addNode(stage.face.admin, { name: `${pool}-a`, pool, cpu: '40' });
      const names = Array.from({ length: 23 }, (_, index) => `u${index}`);
      for (const userName of names) await stage.addUser(pool, userName, '100m');
      await stage.untilUsersRun(pool, names.length);
      const paging = stage.face.connect(5);
      let reading: ClusterReading | undefined;
      const requests = await stage.face.requestsDuring(async () => {
        reading = await paging.read(queryFor(stage.face.namespace, [pool]), stage.signal);
      });
      await paging.close();
      expect(reading?.usage.get(`${pool}-a`)).toMatchObject({ cpuMillis: 2300, podCount: 23 });
      const pages = requests.filter(({ uri }) => uri.startsWith('/api/v1/pods?'));
      expect(pages.length).toBeGreaterThanOrEqual(5);
      expect(pages.every(({ uri }) => uri.includes('limit=5'))).toBe(true);
      expect(countByVerb(requests)).toEqual({ list: requests.length });
    });

    it('does not count pods that have come to their end', async () => {
      const pool = stage.newPool();
      await stage.addNodes(pool, 'a');
      const pods = [await stage.addUser(pool, 'u1'), await stage.addUser(pool, 'u2')];
      for (const pod of pods) await stage.whereRuns(pod);
      await stage.face.admin.merge(`${podPath(pods[0]!)}/status`, { status: { phase: 'Succeeded' } });
      const reading = await stage.read(pool);
      expect(reading.usage.get(`${pool}-a`)).toMatchObject({ cpuMillis: 1500, podCount: 1 });
    });

    it('sees a cordon and the taint of a node that is about to be removed', async () => {
      const pool = stage.newPool();
      await stage.addNodes(pool, 'a');
      await addNode(stage.face.admin, {
        name: `${pool}-b`,
        pool,
        taints: [{ key: 'ToBeDeletedByClusterAutoscaler', value: '1', effect: 'NoSchedule' }],
      });
      await stage.face.admin.merge<V1Node>(`/api/v1/nodes/${pool}-a`, { spec: { unschedulable: true } });
      const { nodes } = await stage.read(pool);
      const seen = nodes.map(({ name: node, isCordoned, leaving }) => [node, isCordoned, leaving]);
      expect(seen.sort()).toEqual([
        [`${pool}-a`, true, undefined],
        [`${pool}-b`, false, 'toBeDeletedTaint'],
      ]);
    });

    it('says why a placeholder has found no node', async () => {
      const pool = stage.newPool();
      await stage.addNodes(pool, 'a');
      await stage.cluster.apply(stage.wanted(pool, 2), undefined, stage.signal);
      const pending = await stage.face.waitUntil('the scheduler says why', async () => {
        const pods = (await stage.read(pool)).placeholders.filter((pod) => pod.poolName === pool);
        return pods.find((pod) => pod.nodeName === undefined && pod.pendingMessage !== undefined);
      });
      expect(pending).toMatchObject({ phase: 'Pending', warmth: 'cold', isTerminating: false });
      expect(pending.pendingMessage).toContain('Insufficient cpu');
    });

    it('finds the priority class and the budget of the cluster YAML', async () => {
      const { objects } = await stage.cluster.read(
        { ...queryFor(stage.face.namespace, [stage.newPool()]), withObjects: true },
        stage.signal,
      );
      expect(objects).toEqual({
        priorityClass: { kind: 'present', value: -10, preemptionPolicy: 'Never' },
        warmBudget: 'present',
      });
    });
  });
}
