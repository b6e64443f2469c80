import { expect, it } from 'vitest';
import { anEvent, outsideError } from '../support/fakes.ts';
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

it('says what the cap of the calendar leaves, and what the total leaves of that', async () => {
  const scene = aScene({
    events: [anEvent({ text: 'base: 9\nworkshop: 3' })],
    calendarMaxReplicas: 9,
    maxReplicasTotal: 8,
  });
  const report = await scene.pass();
  expect(report.clusters[0]?.pools.map(({ reason }) => reason)).toEqual([
    "6 = event 'Data 8 lab' asks 9, cut to 7 by calendarMaxReplicas and to 6 by maxReplicasTotal",
    "2 = event 'Data 8 lab' asks 3, cut to 2 by calendarMaxReplicas",
  ]);
});

it('warns once that events ask for more than calendarMaxReplicas, with the sharing, and again for another sum', async () => {
  const scene = aScene({ events: [anEvent({ text: 'base: 9\nworkshop: 5' })], calendarMaxReplicas: 8 });
  await scene.pass(0);
  await scene.pass(1);
  scene.calendar.events = [anEvent({ text: 'base: 10\nworkshop: 5' })];
  await scene.pass(2);
  const about = { remedy: expect.stringContaining('raise calendarMaxReplicas') as string };
  expect(scene.log.at('warn').map(({ message, fields }) => [message, fields])).toEqual([
    [
      'events ask for more than several pools may hold',
      expect.objectContaining({
        ...about,
        setting: 'calendarMaxReplicas',
        asked: 14,
        allowed: 8,
        shared: ['default/base 5 of 9', 'default/workshop 3 of 5'],
      }),
    ],
    [
      'events ask for more than several pools may hold',
      expect.objectContaining({
        ...about,
        setting: 'calendarMaxReplicas',
        asked: 15,
        allowed: 8,
        shared: ['default/base 5 of 10', 'default/workshop 3 of 5'],
      }),
    ],
  ]);
});

it('lists as many pools that a cap cuts as fit a line', async () => {
  const pools = Array.from({ length: 23 }, (_, index) => aPool(`p${index}`, { baseline: 0 }));
  const text = pools.map(({ settings }) => `${settings.name}: 2`).join('\n');
  const scene = aScene({ pools, events: [anEvent({ text })], calendarMaxReplicas: 23 });
  await scene.pass();
  const [shared] = scene.log.at('warn').map(({ fields }) => fields['shared'] as readonly string[]);
  expect(shared).toHaveLength(21);
  expect(shared?.slice(19)).toEqual(['default/p19 1 of 2', 'and 3 more']);
});

it('decides under the cap from the kept events while the calendar cannot be read', async () => {
  const scene = aScene({ events: [anEvent({ text: 'base: 9\nworkshop: 5' })], calendarMaxReplicas: 8 });
  await scene.pass(0);
  scene.outside.failNext('calendar.read', outsideError('calendar.read', 'unavailable'));
  const report = await scene.pass(1);
  expect(report.clusters[0]?.pools.map(({ wanted }) => wanted)).toEqual([5, 3]);
});
