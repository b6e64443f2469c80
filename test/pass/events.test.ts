import { describe, expect, it } from 'vitest';
import type { ReadEvent } from '../../functions/domain/event.ts';
import { CalendarError } from '../../functions/errors.ts';
import { chooseEvents, readCalendar } from '../../functions/pass/events.ts';
import type { CalendarOutcome } from '../../functions/pass/events.ts';
import type { KeptEvents } from '../../functions/ports.ts';
import { anEvent, FakeCalendar, Outside, outsideError } from '../support/fakes.ts';

const NOW = Date.UTC(2026, 2, 2, 9, 0);
const HOUR = 3_600_000;
const CALENDAR = 'term@example.edu';
const NEVER = new AbortController().signal;

const events: readonly ReadEvent[] = [
  { id: 'e', title: 'Lab', startAt: NOW, endAt: NOW + HOUR, requests: [{ key: 'base', count: 3, line: 1 }] },
];
const error = new CalendarError('no answer', { kind: 'timeout', remedy: 'wait' });
const unreadable: CalendarOutcome = { kind: 'unreadable', label: CALENDAR, error };
const keptSince = (hoursAgo: number, source = CALENDAR): KeptEvents => ({
  readAt: NOW - hoursAgo * HOUR,
  source,
  timeZone: 'UTC',
  events,
});

interface Row {
  readonly name: string;
  readonly kept: KeptEvents | undefined;
  readonly staleAfterSeconds: number;
  readonly expected: unknown;
}

const UNREADABLE: readonly Row[] = [
  {
    name: 'a set kept an hour ago stands in',
    kept: keptSince(1),
    staleAfterSeconds: 86_400,
    expected: { standing: 'kept', events, readAt: NOW - HOUR, error },
  },
  {
    name: 'a set kept at this very instant stands in',
    kept: keptSince(0),
    staleAfterSeconds: 86_400,
    expected: { standing: 'kept', events, readAt: NOW, error },
  },
  {
    name: 'a set exactly as old as allowed stands in',
    kept: keptSince(24),
    staleAfterSeconds: 86_400,
    expected: { standing: 'kept', events, readAt: NOW - 24 * HOUR, error },
  },
  {
    name: 'a set older than calendarStaleAfter is not used',
    kept: keptSince(25),
    staleAfterSeconds: 86_400,
    expected: { standing: 'unknown', events: [], readAt: NOW - 25 * HOUR, error },
  },
  {
    name: 'a set is never used beyond the 48 hours that were read, whatever calendarStaleAfter says',
    kept: keptSince(49),
    staleAfterSeconds: 1_000_000,
    expected: { standing: 'unknown', events: [], readAt: NOW - 49 * HOUR, error },
  },
  {
    name: 'a set read later than now, by a clock that ran ahead, is not used: it lacks what it took for past',
    kept: keptSince(-0.5),
    staleAfterSeconds: 86_400,
    expected: { standing: 'unknown', events: [], readAt: NOW + HOUR / 2, error },
  },
  {
    name: 'the set of another calendar is not used',
    kept: keptSince(1, 'old@example.edu'),
    staleAfterSeconds: 86_400,
    expected: { standing: 'unknown', events: [], readAt: undefined, error },
  },
  {
    name: 'without a set nothing is known',
    kept: undefined,
    staleAfterSeconds: 86_400,
    expected: { standing: 'unknown', events: [], readAt: undefined, error },
  },
];

describe('the events that stand for a calendar that cannot be read', () => {
  it.each(UNREADABLE)('$name', ({ kept, staleAfterSeconds, expected }) => {
    const settings = {
      source: { kind: 'google' as const, calendarId: CALENDAR },
      timeZone: undefined,
      staleAfterSeconds,
    };
    expect(chooseEvents(unreadable, kept, { settings, now: NOW })).toEqual(expected);
  });

  it.each(['unavailable', 'misconfigured', 'notFound'] as const)('are the kept ones, be it %s', (kind) => {
    const failed = new CalendarError('no calendar', { kind, remedy: 'mend it' });
    const settings = {
      source: { kind: 'google' as const, calendarId: CALENDAR },
      timeZone: undefined,
      staleAfterSeconds: 86_400,
    };
    const outcome = { kind: 'unreadable', label: CALENDAR, error: failed } as const;
    expect(chooseEvents(outcome, keptSince(1), { settings, now: NOW })).toEqual({
      standing: 'kept',
      events,
      readAt: NOW - HOUR,
      error: failed,
    });
  });

  it('are none, and nothing is amiss, when no calendar is configured', () => {
    expect(chooseEvents(undefined, keptSince(1), { settings: undefined, now: NOW })).toEqual({
      standing: 'none',
      events: [],
    });
  });
});

describe('reading the calendar', () => {
  const query = { label: CALENDAR, now: NOW, poolNames: ['base'], stop: NEVER };

  it('reads 48 hours from now and keeps no description', async () => {
    const outside = new Outside();
    const calendar = new FakeCalendar(outside, [anEvent({ text: 'base: 3\nplease', endAt: NOW + HOUR })]);
    const outcome = await readCalendar(() => Promise.resolve(calendar), query);
    expect(outside.calls[0]?.detail).toEqual({ fromAt: NOW, toAt: NOW + 48 * HOUR });
    expect(outcome).toMatchObject({
      kind: 'read',
      events: [{ requests: [{ key: 'base', count: 3, line: 1 }] }],
    });
    expect(JSON.stringify(outcome)).not.toContain('please');
  });

  it('gives a failure as a value', async () => {
    const outside = new Outside();
    outside.failNext('calendar.read', outsideError('calendar.read', 'forbidden'));
    const outcome = await readCalendar(() => Promise.resolve(new FakeCalendar(outside)), query);
    expect(outcome).toMatchObject({ kind: 'unreadable', error: { kind: 'forbidden' } });
  });

  it('tells a calendar that takes too long from a pass that was told to stop', async () => {
    const outside = new Outside();
    const read = (stop: AbortSignal) => {
      outside.failNext('calendar.read', outsideError('calendar.read', 'aborted'));
      return readCalendar(() => Promise.resolve(new FakeCalendar(outside)), { ...query, stop });
    };
    expect(await read(NEVER)).toMatchObject({
      kind: 'unreadable',
      error: {
        kind: 'timeout',
        message: 'calendar fake-calendar: no answer within 20 seconds',
        remedy:
          'nothing if it passes; else check that calendarId or calendarUrl can be reached from where the job runs',
      },
    });
    expect(await read(AbortSignal.abort())).toMatchObject({ kind: 'unreadable', error: { kind: 'aborted' } });
  });

  it('does not wait for an adapter that hears no signal', async () => {
    const deaf = { label: 'deaf', read: () => new Promise<never>(() => undefined) };
    const stopping = new AbortController();
    const outcome = readCalendar(() => Promise.resolve(deaf), { ...query, stop: stopping.signal });
    stopping.abort(new Error('SIGTERM'));
    expect(await outcome).toMatchObject({
      kind: 'unreadable',
      error: {
        kind: 'aborted',
        message: 'calendar deaf: the reading was told to stop before an answer came',
      },
    });
  });

  it('takes the last words of one that does', async () => {
    const refused = new CalendarError('fails (503)', { kind: 'unavailable', remedy: 'wait' });
    const stopping = new AbortController();
    const read = () => new Promise<never>((_, reject) => setTimeout(reject, 20, refused));
    const outcome = readCalendar(() => Promise.resolve({ label: 'l', read }), {
      ...query,
      stop: stopping.signal,
    });
    stopping.abort(new Error('SIGTERM'));
    expect(await outcome).toMatchObject({ kind: 'unreadable', error: refused });
  });

  it('gives a calendar that cannot be opened as a value too', async () => {
    const outcome = await readCalendar(() => Promise.reject(error), query);
    expect(outcome).toEqual({ kind: 'unreadable', label: CALENDAR, error });
  });

  it('lets a fault of the program through', async () => {
    await expect(readCalendar(() => Promise.reject(new TypeError('x')), query)).rejects.toThrow(TypeError);
  });
});
