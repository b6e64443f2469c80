/** Where placeholders and users land, and which placeholder a lowered count takes. */
import type { V1Pod } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';

import { usersNamespace } from './api-face.ts';
import type { ApiStage } from './api-stage.ts';
import { podsOf } from './placeholder-scene.ts';
import { addNode, addPod, isRunning, livePods, podPath } from './scene.ts';

export function describeScheduling(stage: ApiStage): void {
  describe('scheduling', () => {
    it('gives a user the node of a placeholder, which then waits for another', async () => {
      const pool = stage.newPool();
      await stage.raiseOneByOne(pool, ['a']);
      expect(await stage.whereRuns(await stage.addUser(pool, 'u1'))).toBe(`${pool}-a`);
      await stage.untilPlaceholders(pool, 0, 1);
      await stage.addNodes(pool, 'b');
      await stage.untilPlaceholders(pool, 1);
      expect(await stage.nodesOfPlaceholders(pool)).toEqual(['b']);
    });

    it('never evicts a user for another user', async () => {
      const pool = stage.newPool();
      await stage.addNodes(pool, 'a');
      const first = await stage.addUser(pool, 'u1', '3');
      await stage.whereRuns(first);
      const second = await stage.addUser(pool, 'u2', '3');
      await stage.face.waitUntil('the second waits', async () => {
        const now = await stage.face.admin.get<V1Pod>(podPath(second));
        return now.status?.conditions?.some(({ reason }) => reason === 'Unschedulable');
      });
      expect(isRunning(await stage.face.admin.get<V1Pod>(podPath(first)))).toBe(true);
    });

    it('never lets a placeholder evict anybody, even one of lower priority', async () => {
      const pool = stage.newPool();
      await stage.addNodes(pool, 'a');
      const lowest = await stage.addPodOfPriority(-1000, {
        name: `${pool}-batch`,
        namespace: usersNamespace(stage.face.namespace),
        pool,
        cpu: '3',
      });
      await stage.whereRuns(lowest);
      await stage.cluster.apply(stage.wanted(pool, 1), undefined, stage.signal);
      await stage.face.waitUntil('the scheduler says why', async () => {
        return (await stage.read(pool)).placeholders.find((pod) => pod.poolName === pool)?.pendingMessage;
      });
      expect(isRunning(await stage.face.admin.get<V1Pod>(podPath(lowest)))).toBe(true);
    });

    it('puts placeholders on tainted nodes only when they tolerate the taint', async () => {
      const pool = stage.newPool();
      const taint = { key: 'hub.jupyter.org/dedicated', value: 'user', effect: 'NoSchedule' } as const;
      await addNode(stage.face.admin, { name: `${pool}-a`, pool, taints: [taint] });
      await stage.cluster.apply(stage.wanted(pool, 1), undefined, stage.signal);
      await stage.untilPlaceholders(pool, 0, 1);
      const pending = await stage.face.waitUntil('the scheduler says why', async () => {
        return (await stage.read(pool)).placeholders.find((pod) => pod.poolName === pool)?.pendingMessage;
      });
      expect(pending).toContain('taint');
      const tolerant = stage.wanted(pool, 1, { tolerations: [{ operator: 'Equal', ...taint }] });
      await stage.change(tolerant);
      await stage.untilPlaceholders(pool, 1);
      expect(await stage.nodesOfPlaceholders(pool)).toEqual(['a']);
    });

    it('spreads pods over racks as a hard constraint has it, and says why one waits', async () => {
      const pool = stage.newPool();
      const racks = { a: '4', b: '600m' };
      for (const [rack, cpu] of Object.entries(racks)) {
        await addNode(stage.face.admin, {
          name: `${pool}-${rack}`,
          pool,
          cpu,
          labels: { rack: `${pool}-${rack}` },
        });
      }
      const labels = { app: pool };
      const topologySpreadConstraints = [
        {
          maxSkew: 1,
          topologyKey: 'rack',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: labels },
        },
      ];
      const namespace = usersNamespace(stage.face.namespace);
      const add = (name: string): Promise<V1Pod> =>
        addPod(stage.face.admin, {
          name: `${pool}-${name}`,
          namespace,
          pool,
          cpu: '500m',
          labels,
          topologySpreadConstraints,
        });
      const places: string[] = [];
      for (const name of ['1', '2', '3']) places.push(await stage.whereRuns(await add(name)));
      expect(places.sort()).toEqual([`${pool}-a`, `${pool}-a`, `${pool}-b`]);
      const fourth = await add('4');
      const message = await stage.face.waitUntil('the scheduler says why', async () => {
        const now = await stage.face.admin.get<V1Pod>(podPath(fourth));
        return now.status?.conditions?.find(({ reason }) => reason === 'Unschedulable')?.message;
      });
      expect(message).toContain("1 node(s) didn't match pod topology spread constraints");
    });

    it('replaces placeholders one for one when their request changes: no surge', async () => {
      const pool = stage.newPool();
      await stage.addNodes(pool, 'a', 'b');
      await stage.cluster.apply(stage.wanted(pool, 1), undefined, stage.signal);
      await stage.untilPlaceholders(pool, 1);
      const count = await stage.face.watchPodCount(podsOf(pool));
      await stage.change(stage.wanted(pool, 1, { cpu: '3' }));
      await stage.face.waitUntil('the new one runs', async () => {
        const pods = await livePods(stage.face.admin, stage.face.namespace, podsOf(pool));
        return pods.some(
          (pod) => isRunning(pod) && pod.spec?.containers[0]?.resources?.requests?.['cpu'] === '3',
        );
      });
      expect(await count.stop()).toBe(1);
    });

    it('deletes first the placeholder that waits, then the one that became Ready last', async () => {
      const pool = stage.newPool();
      await stage.raiseOneByOne(pool, ['a', 'b', 'c']);
      await stage.change(stage.wanted(pool, 4));
      await stage.untilPlaceholders(pool, 3, 1);
      await stage.change(stage.wanted(pool, 3));
      await stage.untilPlaceholders(pool, 3);
      expect(await stage.nodesOfPlaceholders(pool)).toEqual(['a', 'b', 'c']);
      await stage.change(stage.wanted(pool, 2));
      await stage.untilPlaceholders(pool, 2);
      expect(await stage.nodesOfPlaceholders(pool)).toEqual(['a', 'b']);
    });

    it('deletes first from a node that holds two placeholders, though another is newer', async () => {
      const pool = stage.newPool();
      const small = { cpu: '1500m' };
      await stage.addNodes(pool, 'a');
      await stage.cluster.apply(stage.wanted(pool, 1, small), undefined, stage.signal);
      await stage.untilPlaceholders(pool, 1);
      await stage.face.letTimePass(10);
      await stage.change(stage.wanted(pool, 2, small));
      await stage.untilPlaceholders(pool, 2);
      await stage.face.letTimePass(10);
      await stage.addNodes(pool, 'b');
      await stage.change(stage.wanted(pool, 3, small));
      await stage.untilPlaceholders(pool, 3);
      expect(await stage.nodesOfPlaceholders(pool)).toEqual(['a', 'a', 'b']);
      await stage.change(stage.wanted(pool, 2, small));
      await stage.untilPlaceholders(pool, 2);
      expect(await stage.nodesOfPlaceholders(pool)).toEqual(['a', 'b']);
    });
  });
}
