import { describe, expect, test } from 'vitest';
import { demandAt, matchRequests } from '../../functions/domain/demand.ts';
import { readDescription } from '../../functions/domain/description.ts';
import { POOLS } from './read-text.ts';

interface SceneEvent {
  readonly text: string;
  readonly start: string;
  readonly end: string;
}

function decide(events: readonly SceneEvent[], now: string) {
  const readings = events.map(({ text, start, end }, index) =>
    readDescription(
      { id: String(index), title: 'Lab', text, startAt: Date.parse(start), endAt: Date.parse(end) },
      ['base', 'workshop'],
    ),
  );
  const { asks, findings } = matchRequests(
    readings.map(({ event }) => event),
    POOLS,
  );
  const counts = POOLS.map((pool) => demandAt(asks, pool, Date.parse(now))?.count);
  const all = [...readings.flatMap((reading) => reading.findings), ...findings];
  return { counts, findings: all.map(({ code, eventId }) => `${code} ${eventId}`) };
}

const HOURS = { start: '2026-03-02T12:00:00Z', end: '2026-03-02T14:00:00Z' };

describe('several events at once', () => {
  test('one that cannot be read costs itself, and nothing is carried over', () => {
    const events = ['base: 2', '{{{ not yaml', '# note\nbase: 1'].map((text) => ({ text, ...HOURS }));
    expect(decide(events, '2026-03-02T13:00:00Z')).toEqual({
      counts: [2, undefined],
      findings: ['unreadable-line 1'],
    });
  });

  test('those that ended, or end now, are over; of the others the larger count wins for each pool', () => {
    const day = { start: '2026-03-02T00:00:00Z', end: '2026-03-03T00:00:00Z' };
    const events = [
      { text: 'base: 9', start: '2026-03-02T15:00:00Z', end: '2026-03-02T16:00:00Z' },
      { text: 'base: 3', ...day },
      { text: 'base: 7\nworkshop: 2', ...day },
      { text: 'base: 8', start: '2026-03-02T16:00:00Z', end: '2026-03-02T17:00:00Z' },
    ];
    expect(decide(events, '2026-03-02T17:00:00Z')).toEqual({ counts: [7, 2], findings: [] });
  });

  test.each([
    ['from an hour ago to an hour ahead', '11:00', '13:00', 1],
    ['from an hour ago until now', '11:00', '12:00', undefined],
    ['from now on', '12:00', '13:00', 1],
    ['from a minute ahead', '12:01', '13:00', undefined],
  ])('an event %s', (...[, start, end, count]) => {
    const event = { text: 'base: 1', start: `2026-03-02T${start}:00Z`, end: `2026-03-02T${end}:00Z` };
    expect(decide([event], '2026-03-02T12:00:00Z').counts).toEqual([count, undefined]);
  });

  test('anchors and aliases refuse their own event alone', () => {
    const events = ['a: &a [1]\nb: *a\nbase: 9', 'base: 2'].map((text) => ({ text, ...HOURS }));
    expect(decide(events, '2026-03-02T13:00:00Z')).toEqual({ counts: [2, undefined], findings: ['alias 0'] });
  });
});
