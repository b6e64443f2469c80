/** Whom a user evicts: the order of the scheduler, criterion by criterion, and what the budget makes of it. */
import type { V1Node } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';

import type { ApiStage, Filler } from './api-stage.ts';
import { podsOf } from './placeholder-scene.ts';
import { livePods, nodeOf, podPath } from './scene.ts';

interface Order {
  readonly name: string;
  /** Oldest first. */
  readonly fillers: readonly Filler[];
  readonly userCpu?: string;
  readonly left: readonly string[];
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

export function describeEvicting(stage: ApiStage): void {
  describe('whom a user evicts', () => {
    it.each(ORDERS)('$name', async ({ fillers, userCpu = '3', left }) => {
      const pool = stage.newPool();
      await stage.addNodes(pool, 'a', 'b');
      await stage.fill(pool, fillers);
      await stage.whereRuns(await stage.addUser(pool, 'user', userCpu));
      expect(await stage.fillersLeft(pool, fillers)).toEqual(left);
    });

    it('without labels: the newest, and then its replacement on a node that is newer still', async () => {
      const pool = stage.newPool();
      await stage.raiseOneByOne(pool, ['0', '1', '2'], { warmFirst: false });
      expect(await stage.whereRuns(await stage.addUser(pool, 'u1'))).toBe(`${pool}-2`);
      await stage.untilPlaceholders(pool, 2, 1);
      await stage.addNodes(pool, '9');
      await stage.untilPlaceholders(pool, 3);
      expect(await stage.whereRuns(await stage.addUser(pool, 'u2'))).toBe(`${pool}-2`);
      expect(await stage.whereRuns(await stage.addUser(pool, 'u3'))).toBe(`${pool}-9`);
      expect(await stage.nodesOfPlaceholders(pool)).toEqual(['0', '1']);
    });

    it('with the warm ones labelled: the warm, the cold one last, and still when nothing else is left', async () => {
      const pool = stage.newPool();
      await stage.raiseOneByOne(pool, ['0', '1', '2']);
      for (const node of ['0', '1', '2']) await stage.markWarmOn(pool, node);
      expect(await stage.whereRuns(await stage.addUser(pool, 'u1'))).toBe(`${pool}-2`);
      await stage.untilPlaceholders(pool, 2, 1);
      await stage.addNodes(pool, '9');
      await stage.untilPlaceholders(pool, 3);
      await stage.untilBudgetCounts(1);
      const places: string[] = [];
      for (const userName of ['u2', 'u3', 'u4', 'u5', 'u6', 'u7']) {
        places.push((await stage.whereRuns(await stage.addUser(pool, userName))).replace(`${pool}-`, ''));
      }
      expect(places).toEqual(['2', '1', '1', '0', '0', '9']);
      expect(await stage.nodesOfPlaceholders(pool)).toEqual([]);
    });

    it('lets a drain have what is warm or waits, and holds it up for what is cold', async () => {
      const pool = stage.newPool();
      await stage.raiseOneByOne(pool, ['a', 'b']);
      await stage.untilBudgetCounts(2);
      const pods = await livePods(stage.face.admin, stage.face.namespace, podsOf(pool));
      const [warm, cold] = ['a', 'b'].map((node) => pods.find((pod) => nodeOf(pod) === `${pool}-${node}`)!);
      await expect(stage.evict(cold!)).rejects.toMatchObject({ status: 429 });
      // The disruption controller does not count again when a pod leaves the budget's selector; at zero it need not.
      await stage.markWarmOn(pool, 'a');
      await expect(stage.evict(cold!)).rejects.toMatchObject({ status: 429 });
      await stage.face.admin.merge<V1Node>(`/api/v1/nodes/${pool}-a`, { spec: { unschedulable: true } });
      await stage.evict(warm!);
      const replacement = (await stage.untilPlaceholders(pool, 1, 1)).find(
        (pod) => nodeOf(pod) === undefined,
      )!;
      await stage.evict(replacement);
      await stage.face.waitUntil('the one that waited is gone', async () => {
        return (await stage.face.admin.find(podPath(replacement))) === undefined;
      });
      expect(await stage.nodesOfPlaceholders(pool)).toEqual(['b']);
    });
  });
}
