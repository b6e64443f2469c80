/** One label, once, on one pod. */
import type { V1Pod } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';

import { WARMTH_LABEL } from '../../functions/domain/placeholder.ts';
import type { ApiStage } from './api-stage.ts';
import { countByVerb } from './audit-log.ts';
import { podsOf } from './placeholder-scene.ts';
import { livePods, podsPath } from './scene.ts';

export function describeMarking(stage: ApiStage): void {
  describe('marking placeholders warm', () => {
    it('changes one label and nothing else', async () => {
      const pool = stage.newPool();
      await stage.raiseOneByOne(pool, ['a']);
      const requests = await stage.face.requestsDuring(async () => {
        await stage.markWarmOn(pool, 'a');
      });
      const [pod, ...rest] = await livePods(stage.face.admin, stage.face.namespace, podsOf(pool));
      expect(rest).toEqual([]);
      expect(pod?.metadata?.labels?.[WARMTH_LABEL]).toBe('warm');
      expect(countByVerb(requests)).toMatchObject({ patch: 1 });
      expect((await stage.read(pool)).placeholders.find((each) => each.poolName === pool)).toMatchObject({
        warmth: 'warm',
        phase: 'Running',
      });
    });

    it('takes a pod that was evicted meanwhile for gone', async () => {
      const pool = stage.newPool();
      await stage.raiseOneByOne(pool, ['a']);
      const pod = (await stage.read(pool)).placeholders.find((each) => each.poolName === pool)!;
      await stage.face.admin.delete(`${podsPath(stage.face.namespace)}/${pod.name}`);
      await stage.face.waitUntil('it is gone', async () => {
        return (await stage.face.admin.find(`${podsPath(stage.face.namespace)}/${pod.name}`)) === undefined;
      });
      const requests = await stage.face.requestsDuring(async () => {
        expect(await stage.cluster.markWarm(pod, stage.signal)).toBe('gone');
      });
      expect(requests).toHaveLength(1);
    });

    it('never touches a pod of the same name and another uid', async () => {
      const pool = stage.newPool();
      await stage.raiseOneByOne(pool, ['a']);
      const pod = (await stage.read(pool)).placeholders.find((each) => each.poolName === pool)!;
      const other = { ...pod, uid: '3c5ae6f0-0000-4000-8000-000000000000' };
      expect(await stage.cluster.markWarm(other, stage.signal)).toBe('gone');
      const now = await stage.face.admin.get<V1Pod>(`${podsPath(stage.face.namespace)}/${pod.name}`);
      expect(now.metadata?.labels?.[WARMTH_LABEL]).toBe('cold');
    });
  });
}
