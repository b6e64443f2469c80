/** Writes that hold only for what was read. */
import { describe, expect, it } from 'vitest';

import type { ApiStage } from './api-stage.ts';
import { deploymentPath, deploymentsPath } from './scene.ts';

export function describeApplying(stage: ApiStage): void {
  describe('applying', () => {
    it('creates, leaves alone what is as wanted, and changes what has drifted', async () => {
      const pool = stage.newPool();
      expect(await stage.cluster.apply(stage.wanted(pool, 2), undefined, stage.signal)).toBe('created');
      const created = await stage.untilSettled(pool);
      expect(created).toMatchObject({ replicas: 2, poolName: pool, hasOurSelector: true, generation: 1 });
      expect(await stage.cluster.apply(stage.wanted(pool, 2), created, stage.signal)).toBe('unchanged');
      expect(await stage.liveOf(pool)).toEqual(created);
      expect(await stage.cluster.apply(stage.wanted(pool, 3), created, stage.signal)).toBe('configured');
      expect(await stage.liveOf(pool)).toMatchObject({ replicas: 3, generation: 2 });
    });

    it('takes back a count that somebody else set', async () => {
      const pool = stage.newPool();
      await stage.cluster.apply(stage.wanted(pool, 2), undefined, stage.signal);
      await stage.face.admin.merge(deploymentPath(stage.face.namespace, `${pool}-placeholder`), {
        spec: { replicas: 7 },
      });
      expect(
        await stage.cluster.apply(stage.wanted(pool, 2), await stage.untilSettled(pool), stage.signal),
      ).toBe('configured');
      expect((await stage.deploymentOf(pool)).spec?.replicas).toBe(2);
    });

    it('refuses a decision made on an older reading, and changes nothing', async () => {
      const pool = stage.newPool();
      await stage.cluster.apply(stage.wanted(pool, 2), undefined, stage.signal);
      const older = await stage.untilSettled(pool);
      await stage.cluster.apply(stage.wanted(pool, 0), older, stage.signal);
      await expect(stage.cluster.apply(stage.wanted(pool, 3), older, stage.signal)).rejects.toMatchObject({
        name: 'ClusterError',
        kind: 'conflict',
      });
      expect((await stage.deploymentOf(pool)).spec?.replicas).toBe(0);
    });

    it('goes on when only the status moved since the reading', async () => {
      const pool = stage.newPool();
      await stage.cluster.apply(stage.wanted(pool, 2), undefined, stage.signal);
      const older = await stage.untilSettled(pool);
      await stage.addNodes(pool, 'a', 'b');
      await stage.untilPlaceholders(pool, 2);
      await stage.untilSettled(pool);
      expect((await stage.liveOf(pool)).resourceVersion).not.toBe(older.resourceVersion);
      expect(await stage.cluster.apply(stage.wanted(pool, 1), older, stage.signal)).toBe('configured');
      expect((await stage.deploymentOf(pool)).spec?.replicas).toBe(1);
    });

    it('does not bring back a Deployment that was deleted since the reading', async () => {
      const pool = stage.newPool();
      await stage.cluster.apply(stage.wanted(pool, 0), undefined, stage.signal);
      const older = await stage.liveOf(pool);
      const path = deploymentPath(stage.face.namespace, `${pool}-placeholder`);
      await stage.face.admin.delete(path);
      await stage.face.waitUntil('it is gone', async () => (await stage.face.admin.find(path)) === undefined);
      await expect(stage.cluster.apply(stage.wanted(pool, 3), older, stage.signal)).rejects.toMatchObject({
        kind: 'conflict',
      });
      expect(await stage.face.admin.find(path)).toBeUndefined();
    });

    it('does not overwrite a Deployment that appeared since the reading', async () => {
      const pool = stage.newPool();
      await stage.cluster.apply(stage.wanted(pool, 4), undefined, stage.signal);
      await expect(stage.cluster.apply(stage.wanted(pool, 1), undefined, stage.signal)).rejects.toMatchObject(
        {
          kind: 'conflict',
        },
      );
      expect((await stage.deploymentOf(pool)).spec?.replicas).toBe(4);
    });

    it("reports another tool's Deployment of the same name, whose selector cannot be changed", async () => {
      const pool = stage.newPool();
      const labels = { app: 'somebody-else' };
      await stage.face.admin.create(deploymentsPath(stage.face.namespace), {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: `${pool}-placeholder`, namespace: stage.face.namespace },
        spec: {
          replicas: 0,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [{ name: 'main', image: 'registry.example/other:1' }] },
          },
        },
      });
      const live = await stage.liveOf(pool);
      expect(live).toMatchObject({ poolName: undefined, hasOurSelector: false });
      await expect(stage.cluster.apply(stage.wanted(pool, 1), live, stage.signal)).rejects.toMatchObject({
        kind: 'invalid',
      });
      expect((await stage.deploymentOf(pool)).spec?.selector.matchLabels).toEqual(labels);
    });

    it('scales to zero a Deployment whose pool has gone, unless it changed since', async () => {
      const pool = stage.newPool();
      await stage.cluster.apply(stage.wanted(pool, 2), undefined, stage.signal);
      const older = await stage.untilSettled(pool);
      await stage.cluster.apply(stage.wanted(pool, 3), older, stage.signal);
      await expect(stage.cluster.scaleDown(older, stage.signal)).rejects.toMatchObject({ kind: 'conflict' });
      await stage.cluster.scaleDown(await stage.untilSettled(pool), stage.signal);
      expect((await stage.deploymentOf(pool)).spec?.replicas).toBe(0);
    });
  });
}
