/** A pass without history and lock, or without a place for what it saw, raises counts and does nothing else. */
import { describe, expect, test } from 'vitest';

import { aPool, aScene } from '../pass/scene.ts';
import type { Method } from '../support/fakes.ts';
import { aDeployment, aNode, aUsage, anEvent, outsideError } from '../support/fakes.ts';

const WITHOUT: readonly Method[] = ['state.acquire', 'state.save'];

describe.each(WITHOUT)('when %s fails', (method) => {
  async function passOver(options: {
    live: number;
    maxReplicas?: number;
    event?: number;
    templateHash?: string;
  }) {
    const scene = aScene({
      pools: [aPool('base', { maxReplicas: options.maxReplicas ?? 20, calendarOverrideEnabled: true })],
      events: options.event === undefined ? [] : [anEvent({ text: `base: ${options.event}` })],
    });
    scene.world.nodes = [aNode({ name: 'n1' })];
    scene.world.usage = new Map([['n1', aUsage({ podCount: 1 })]]);
    // Its template is what the job applied before, unless a test says otherwise.
    await scene.pass(-1);
    const { templateHash } = scene.world.deployment('base-placeholder') ?? {};
    scene.world.put(
      aDeployment({ replicas: options.live, templateHash: options.templateHash ?? templateHash }),
    );
    scene.outside.failNext(method, outsideError(method, 'unavailable'), 3);
    const report = await scene.pass();
    return {
      replicas: scene.world.replicas('base-placeholder'),
      templateHash: scene.world.deployment('base-placeholder')?.templateHash,
      exitCode: report.exitCode,
      applied: report.clusters[0]?.pools.map((pool) => pool.applied),
    };
  }

  test('an event that overrides still raises the count', async () => {
    expect(await passOver({ live: 1, event: 4 })).toMatchObject({
      replicas: 4,
      exitCode: 1,
      applied: ['configured'],
    });
  });

  test('a count is not lowered to the baseline', async () => {
    expect(await passOver({ live: 5 })).toMatchObject({ replicas: 5, exitCode: 1 });
  });

  test('nor to maxReplicas', async () => {
    expect(await passOver({ live: 5, maxReplicas: 3 })).toMatchObject({
      replicas: 5,
      exitCode: 1,
      applied: ['withheld'],
    });
  });

  test('and placeholders of another template are left standing', async () => {
    expect(await passOver({ live: 5, templateHash: 'older' })).toMatchObject({
      replicas: 5,
      templateHash: 'older',
      exitCode: 1,
      applied: ['withheld'],
    });
  });
});
