/** The order of a pass, which makes it safe to kill at any point; and what it does not do. */
import { expect, test } from 'vitest';

import type { Call } from '../support/fakes.ts';
import { aNode, aUsage, anEvent } from '../support/fakes.ts';
import { aScene } from '../pass/scene.ts';

/** One word a crossing; the concurrent reads in one order. */
function crossingsOf(calls: readonly Call[]): readonly string[] {
  const words = calls.map(({ method, detail }) => {
    const { release } = (detail ?? {}) as { release?: boolean };
    return release === undefined ? method : `${method} ${release ? 'and release' : 'and keep the lease'}`;
  });
  const isRead = (word: string): boolean => word.endsWith('.read');
  return [
    ...words.slice(0, words.findIndex(isRead)),
    ...words.filter(isRead).sort(),
    ...words.slice(words.findLastIndex(isRead) + 1),
  ];
}

test('a pass that changes something: lease, read, save what was seen, apply, save the outcome with the release', async () => {
  const scene = aScene({ events: [anEvent()] });
  scene.world.nodes = [aNode({ name: 'n1' })];
  scene.world.usage = new Map([['n1', aUsage({ cpuMillis: 16_000, podCount: 1 })]]);
  await scene.pass();
  expect(crossingsOf(scene.outside.calls)).toEqual([
    'state.acquire',
    'calendar.read',
    'cluster.read',
    'state.save and keep the lease',
    'cluster.apply',
    'cluster.apply',
    'state.save and release',
    'cluster.close',
  ]);
});

test('a quiet pass: two transactions, three reads, and no write', async () => {
  const scene = aScene({ events: [anEvent()] });
  await scene.pass();
  scene.outside.calls.length = 0;
  await scene.pass(1);
  expect(crossingsOf(scene.outside.calls)).toEqual([
    'state.acquire',
    'calendar.read',
    'cluster.read',
    'state.save and release',
    'cluster.close',
  ]);
});

test('a pass that finds the lease held asks nothing else', async () => {
  const scene = aScene({ events: [anEvent()] });
  const claim = { owner: 'other', now: Date.UTC(2026, 2, 2, 9, 0), leaseSeconds: 58 };
  await scene.store.acquire('default', claim, new AbortController().signal);
  const report = await scene.pass();
  expect(report).toMatchObject({ exitCode: 0, clusters: [{ outcome: 'held' }] });
  expect(scene.outside.calls.map(({ method }) => method)).toEqual(['state.acquire']);
});
