import { expect, it } from 'vitest';
import { anEvent } from '../support/fakes.ts';
import { aPool, aScene } from './scene.ts';

it('says what an event asks and what maxReplicasTotal leaves of it', async () => {
  const scene = aScene({ events: [anEvent({ text: 'base: 9\nworkshop: 5' })], maxReplicasTotal: 8 });
  const report = await scene.pass();
  expect(report.clusters[0]?.pools.map(({ reason }) => reason)).toEqual([
    "5 = event 'Data 8 lab' asks 9, cut to 5 by maxReplicasTotal",
    "3 = event 'Data 8 lab' asks 5, cut to 3 by maxReplicasTotal",
  ]);
});

it('names maxReplicas where that is what took more away', async () => {
  const pools = [aPool('base', { maxReplicas: 2 }), aPool('workshop')];
  const scene = aScene({ pools, events: [anEvent({ text: 'base: 9\nworkshop: 50' })], maxReplicasTotal: 21 });
  const report = await scene.pass();
  expect(report.clusters[0]?.pools.map(({ reason }) => reason)).toEqual([
    "2 = event 'Data 8 lab' asks 9, limited to maxReplicas 2",
    "19 = event 'Data 8 lab' asks 50, cut to 19 by maxReplicasTotal",
  ]);
});
