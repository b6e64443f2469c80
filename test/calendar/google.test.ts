import { OAuth2Client } from 'google-auth-library';
import { describe, expect, test } from 'vitest';
import { CALENDAR_SCOPE, GoogleCalendar } from '../../functions/calendar/google.ts';
import { openGoogleCalendar } from '../../functions/calendar/open-google.ts';
import type { CalendarReading } from '../../functions/ports.ts';
import { serve, type Answer, type Loopback } from './loopback.ts';

const WINDOW = { fromAt: Date.parse('2026-03-02T12:00:00Z'), toAt: Date.parse('2026-03-04T12:00:00Z') };
const ID = 'capacity@group.calendar.google.com';
const ACCOUNT = 'job@project.iam.gserviceaccount.com';

interface PageFields {
  readonly items?: readonly object[];
  readonly nextPageToken?: string;
  readonly timeZone?: string;
  readonly accessRole?: string;
}

function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json; charset=UTF-8', ...headers },
  };
}

function page(fields: PageFields): Answer {
  return json(200, { kind: 'calendar#events', timeZone: 'UTC', accessRole: 'reader', ...fields });
}

function refusal(status: number, reason: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return json(status, { error: { code: status, errors: [{ reason, domain: 'x' }] } }, headers);
}

function item(fields: object = {}): object {
  return {
    id: 'a',
    status: 'confirmed',
    summary: 'Lab',
    description: 'base: 3',
    start: { dateTime: '2026-03-02T12:00:00Z' },
    end: { dateTime: '2026-03-02T14:00:00Z' },
    ...fields,
  };
}

interface Scene {
  readonly server: Loopback;
  readonly waits: number[];
  readonly calendar: GoogleCalendar;
}

function open(
  server: Loopback,
  requestTimeoutMs = 5000,
  accountEmail = (): Promise<string> => Promise.resolve(ACCOUNT),
): Scene {
  const auth = new OAuth2Client();
  auth.setCredentials({ access_token: 'token', expiry_date: 4_000_000_000_000 });
  const waits: number[] = [];
  const calendar = new GoogleCalendar({
    calendarId: ID,
    auth,
    accountEmail,
    rootUrl: server.root,
    retry: {
      attempts: 5,
      waitBudgetMs: 15_000,
      firstWaitMs: 500,
      requestTimeoutMs,
      wait: (ms) => {
        waits.push(ms);
        return Promise.resolve();
      },
    },
  });
  return { server, waits, calendar };
}

function read(scene: Scene, window = WINDOW): Promise<CalendarReading> {
  return scene.calendar.read(window, new AbortController().signal);
}

async function readPages(pages: readonly Answer[], window = WINDOW): Promise<CalendarReading> {
  await using server = await serve(pages);
  return await read(open(server), window);
}

function iso({ startAt, endAt }: { readonly startAt: number; readonly endAt: number }): string {
  return `${new Date(startAt).toISOString().slice(0, 16)} ${new Date(endAt).toISOString().slice(0, 16)}`;
}

describe('the request', () => {
  test('asks for whole pages of single events, only for what is looked at', async () => {
    await using server = await serve([page({})]);
    await read(open(server));
    const [{ url, headers } = { url: new URL('http://none'), headers: {} }] = server.requests;
    expect(url.pathname).toBe(`/calendar/v3/calendars/${encodeURIComponent(ID)}/events`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      singleEvents: 'true',
      orderBy: 'startTime',
      timeMin: '2026-03-02T12:00:00.000Z',
      timeMax: '2026-03-04T12:00:00.000Z',
      maxResults: '2500',
      fields:
        'kind,accessRole,timeZone,nextPageToken,items(id,status,summary,description,start,end,visibility)',
    });
    expect(headers.authorization).toBe('Bearer token');
  });

  test('never has an end that equals its start, which the API refuses', async () => {
    await using server = await serve([page({})]);
    const at = Date.parse('2026-03-02T12:00:00.500Z');
    await read(open(server), { fromAt: at, toAt: at });
    const parameters = server.requests[0]?.url.searchParams;
    expect([parameters?.get('timeMin'), parameters?.get('timeMax')]).toEqual([
      '2026-03-02T12:00:00.000Z',
      '2026-03-02T12:00:01.000Z',
    ]);
  });

  test('has a scope of its own, to read events and nothing else', () => {
    expect(CALENDAR_SCOPE).toBe('https://www.googleapis.com/auth/calendar.events.readonly');
    expect(openGoogleCalendar(ID).label).toBe(ID);
  });
});

describe('an event', () => {
  test.each([
    ['with times', item(), ['2026-03-02T12:00 2026-03-02T14:00']],
    [
      'with an offset',
      item({
        start: { dateTime: '2026-03-02T13:00:00+01:00' },
        end: { dateTime: '2026-03-02T14:30:00+01:00' },
      }),
      ['2026-03-02T12:00 2026-03-02T13:30'],
    ],
    [
      'with a time zone beside a time without an offset',
      item({
        start: { dateTime: '2026-03-02T13:00:00', timeZone: 'Europe/Berlin' },
        end: { dateTime: '2026-03-02T14:00:00', timeZone: 'Europe/Berlin' },
      }),
      ['2026-03-02T12:00 2026-03-02T13:00'],
    ],
    [
      'that is cancelled and has little else',
      { id: 'a', status: 'cancelled', recurringEventId: 'r', originalStartTime: {} },
      [],
    ],
    ['that is cancelled and whole', item({ status: 'cancelled' }), []],
    ['that is tentative', item({ status: 'tentative' }), ['2026-03-02T12:00 2026-03-02T14:00']],
    ['that is transparent', item({ transparency: 'transparent' }), ['2026-03-02T12:00 2026-03-02T14:00']],
    [
      'that is a working location',
      item({ eventType: 'workingLocation' }),
      ['2026-03-02T12:00 2026-03-02T14:00'],
    ],
    [
      'that has ended',
      item({ end: { dateTime: '2026-03-02T12:00:00Z' }, start: { dateTime: '2026-03-02T11:00:00Z' } }),
      [],
    ],
    [
      'that starts at the end of the window',
      item({ start: { dateTime: '2026-03-04T12:00:00Z' }, end: { dateTime: '2026-03-04T13:00:00Z' } }),
      [],
    ],
  ])('%s', async (_, given, windows) => {
    const { events, findings } = await readPages([page({ items: [given] })]);
    expect([events.map(iso), findings]).toEqual([windows, []]);
  });

  test.each([
    ['an ordinary day', '2026-05-05', '2026-05-06', '2026-05-05T07:00 2026-05-06T07:00'],
    [
      'the day on which clocks go forward, 23 hours',
      '2026-03-08',
      '2026-03-09',
      '2026-03-08T08:00 2026-03-09T07:00',
    ],
    [
      'the day on which clocks go back, 25 hours',
      '2026-11-01',
      '2026-11-02',
      '2026-11-01T07:00 2026-11-02T08:00',
    ],
    ['a week', '2026-05-04', '2026-05-11', '2026-05-04T07:00 2026-05-11T07:00'],
  ])('of a whole day lies in the zone of its calendar: %s', async (...[, start, end, window]) => {
    const items = [item({ start: { date: start }, end: { date: end } })];
    const whole = { fromAt: Date.parse('2026-01-01T00:00Z'), toAt: Date.parse('2027-01-01T00:00Z') };
    const { events, timeZone } = await readPages([page({ items, timeZone: 'America/Los_Angeles' })], whole);
    expect([events.map(iso), timeZone]).toEqual([[window], 'America/Los_Angeles']);
  });

  test('has its description as plain text', async () => {
    const items = [item({ description: '<b>base</b>: 3<br>workshop:&nbsp;1' })];
    const { events } = await readPages([page({ items })]);
    expect(events).toEqual([
      {
        id: 'a',
        title: 'Lab',
        text: 'base: 3\nworkshop:\u00A01',
        startAt: Date.parse('2026-03-02T12:00:00Z'),
        endAt: Date.parse('2026-03-02T14:00:00Z'),
      },
    ]);
  });

  test.each([
    ['without a start', item({ start: undefined }), ['unreadable-event'], 0],
    ['with an empty start', item({ start: {} }), ['unreadable-event'], 0],
    ['with a start that is none', item({ start: { dateTime: 'soonZ' } }), ['unreadable-event'], 0],
    ['with a date that is none', item({ start: { date: '2026-02-30' } }), ['unreadable-event'], 0],
    [
      'in a zone that is none',
      item({ start: { dateTime: '2026-03-02T13:00:00', timeZone: 'Nowhere' } }),
      ['unreadable-event'],
      0,
    ],
    ['that is no object', 'nonsense' as unknown as object, ['unreadable-event'], 0],
    [
      'that is private and hidden',
      item({ visibility: 'private', summary: undefined, description: undefined }),
      ['hidden-event'],
      1,
    ],
    ['that is too long', item({ description: 'x'.repeat(100_000) }), ['text-cut'], 1],
  ])('%s is reported, and the others count', async (...[, given, codes, count]) => {
    const { events, findings } = await readPages([page({ items: [given, item({ id: 'good' })] })]);
    expect(findings.map(({ code }) => code)).toEqual(codes);
    expect(events).toHaveLength(count + 1);
    expect(events.map(({ id }) => id)).toContain('good');
  });

  test('without length is never active, and reported', async () => {
    const items = [
      item({ start: { dateTime: '2026-03-02T13:00:00Z' }, end: { dateTime: '2026-03-02T13:00:00Z' } }),
    ];
    const { events, findings } = await readPages([page({ items })]);
    expect(events.map(iso)).toEqual(['2026-03-02T13:00 2026-03-02T13:00']);
    expect(findings.map(({ code }) => code)).toEqual(['no-duration']);
  });
});

describe('pages', () => {
  test('are all read, empty ones too', async () => {
    await using server = await serve([page({ nextPageToken: 'two' }), page({ items: [item()] })]);
    const { events } = await read(open(server));
    expect(events.map(({ text }) => text)).toEqual(['base: 3']);
    expect(server.requests.map(({ url }) => url.searchParams.get('pageToken'))).toEqual([null, 'two']);
  });

  test('fail together: the second page cannot be had', async () => {
    const failing = Array.from({ length: 5 }, () => json(500, {}));
    await expect(
      readPages([page({ items: [item()], nextPageToken: 'two' }), ...failing]),
    ).rejects.toMatchObject({
      kind: 'unavailable',
      status: 500,
    });
  });

  test('end when a token comes again', async () => {
    const again = page({ nextPageToken: 'two' });
    await using server = await serve([again, again, again, again]);
    await expect(read(open(server))).rejects.toMatchObject({ kind: 'malformed' });
    expect(server.requests).toHaveLength(2);
  });

  test('are sorted by start, whatever their order', async () => {
    const later = item({ id: 'later', start: { dateTime: '2026-03-02T13:00:00Z' } });
    const { events } = await readPages([
      page({ items: [later], nextPageToken: 'two' }),
      page({ items: [item()] }),
    ]);
    expect(events.map(({ id }) => id)).toEqual(['a', 'later']);
  });
});

describe('a refusal that will not pass', () => {
  test.each([
    ['401', refusal(401, 'authError'), 'unauthenticated', 'gcloud auth application-default login'],
    ['403 forbidden', refusal(403, 'forbidden'), 'forbidden', `share the calendar ${ID} with ${ACCOUNT}`],
    [
      '403 of a disabled API',
      refusal(403, 'accessNotConfigured'),
      'forbidden',
      'gcloud services enable calendar-json.googleapis.com',
    ],
    [
      '403 of a missing scope',
      json(403, { error: { details: [{ reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }] } }),
      'forbidden',
      '--scopes=',
    ],
    ['403 without a word', { status: 403 } as const, 'forbidden', `share the calendar ${ID} with ${ACCOUNT}`],
    [
      '404',
      refusal(404, 'notFound'),
      'notFound',
      `check calendarId; share the calendar ${ID} with ${ACCOUNT}`,
    ],
    ['410', refusal(410, 'deleted'), 'gone', `check calendarId`],
    ['400', refusal(400, 'badRequest'), 'misconfigured', 'check calendarId'],
  ])('%s is not asked again, and says what to do', async (...[, answer, kind, remedy]) => {
    await using server = await serve([answer, page({})]);
    await expect(read(open(server))).rejects.toMatchObject({
      name: 'CalendarError',
      kind,
      message: expect.stringContaining(ID) as string,
      remedy: expect.stringContaining(remedy) as string,
    });
    expect(server.requests).toHaveLength(1);
  });

  test('is told without the name of the account, when whoever knows that does not answer', async () => {
    await using server = await serve([refusal(404, 'notFound')]);
    const { calendar } = open(server, 5000, () => new Promise(() => undefined));
    await expect(calendar.read(WINDOW, new AbortController().signal)).rejects.toMatchObject({
      kind: 'notFound',
      remedy: expect.stringContaining(`share the calendar ${ID} with the job's service account`) as string,
    });
  });

  test('free and busy times alone are one clear error', async () => {
    const answer = page({
      accessRole: 'freeBusyReader',
      items: [item({ summary: undefined, description: undefined })],
    });
    await expect(readPages([answer])).rejects.toMatchObject({
      kind: 'forbidden',
      message: `calendar ${ID}: descriptions are hidden from ${ACCOUNT}, which may see free and busy times only`,
      remedy: expect.stringContaining('See all event details') as string,
    });
  });
});

describe('a refusal that may pass', () => {
  test.each([
    [
      '403 rateLimitExceeded twice',
      [refusal(403, 'rateLimitExceeded'), refusal(403, 'rateLimitExceeded')],
      [500, 1000],
    ],
    ['403 userRateLimitExceeded', [refusal(403, 'userRateLimitExceeded')], [500]],
    ['503 three times', [json(503, {}), json(503, {}), json(503, {})], [500, 1000, 2000]],
    ['500', [{ status: 500, body: 'oops' } as const], [500]],
    ['429', [refusal(429, 'rateLimitExceeded')], [500]],
    ['429 with seconds to wait', [refusal(429, 'x', { 'retry-after': '7' })], [7000]],
    ['503 with no time to wait', [json(503, {}, { 'retry-after': '0' })], [0]],
    ['429 with a time that is none', [refusal(429, 'x', { 'retry-after': 'soon' })], [500]],
    ['a connection that is cut', ['hangUp'] as const, [500]],
    ['a body that is cut', ['cutOff'] as const, [500]],
  ])('%s is asked again', async (_, answers, waits) => {
    await using server = await serve([...answers, page({ items: [item()] })]);
    const scene = open(server);
    const { events } = await read(scene);
    expect(events).toHaveLength(1);
    expect(scene.waits).toEqual(waits);
  });

  test('silence is asked again after our own timeout, and then given up', async () => {
    await using server = await serve(['silence', 'silence', 'silence', 'silence', 'silence']);
    await expect(read(open(server, 50))).rejects.toMatchObject({ kind: 'timeout' });
    expect(server.requests).toHaveLength(5);
  });

  test('waiting that would take longer than there is time for is not begun', async () => {
    await using server = await serve([refusal(429, 'x', { 'retry-after': '16' }), page({})]);
    const scene = open(server);
    await expect(read(scene)).rejects.toMatchObject({ kind: 'throttled', status: 429 });
    expect(scene.waits).toEqual([]);
  });

  test('all pages share the time there is to wait', async () => {
    const slow = refusal(429, 'x', { 'retry-after': '8' });
    await using server = await serve([slow, page({ nextPageToken: 'two' }), slow, page({})]);
    const scene = open(server);
    await expect(read(scene)).rejects.toMatchObject({ kind: 'throttled' });
    expect(scene.waits).toEqual([8000]);
  });

  test('a pass that is told to stop asks no more', async () => {
    await using server = await serve(['silence']);
    const { calendar } = open(server);
    const stopping = new AbortController();
    const reading = calendar.read(WINDOW, stopping.signal);
    stopping.abort();
    await expect(reading).rejects.toMatchObject({ kind: 'aborted' });
  });
});

describe('an answer that is no list of events is an unreadable calendar', () => {
  const html = { 'content-type': 'text/html' };
  test.each([
    ['a sign-in page', { status: 200, body: '<html>Sign in</html>', headers: html }],
    ['an empty body', { status: 200, body: '' }],
    ['an empty object', json(200, {})],
    ['a list of something else', json(200, { kind: 'calendar#calendarList', timeZone: 'UTC', items: [] })],
    ['items that are no list', json(200, { kind: 'calendar#events', timeZone: 'UTC', items: {} })],
    ['half a JSON text', { status: 200, body: '{"kind": "calendar#events", "items": [', headers: html }],
    ['no time zone', json(200, { kind: 'calendar#events', items: [] })],
    ['a time zone that is none', page({ timeZone: 'Mars/Olympus' })],
    ['a number', { status: 200, body: '3', headers: { 'content-type': 'application/json' } }],
  ] as const)('%s', async (_, answer) => {
    await expect(readPages([answer])).rejects.toMatchObject({ name: 'CalendarError', kind: 'malformed' });
  });
});

describe('credentials that give no token', () => {
  test.each([
    [
      'are missing',
      new Error('Could not load the default credentials'),
      'unauthenticated',
      'gcloud auth application-default login',
      1,
    ],
    [
      'cannot be had just now',
      Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
      'unavailable',
      'wait, each pass tries again',
      2,
    ],
    [
      'are asked for too often',
      Object.assign(new Error('slow down'), { status: 429 }),
      'throttled',
      'wait, each pass tries again',
      2,
    ],
  ])('%s', async (...[, failure, kind, remedy, attempts]) => {
    await using server = await serve([]);
    const auth = new OAuth2Client();
    let asked = 0;
    auth.getAccessToken = () => {
      asked += 1;
      return Promise.reject(failure);
    };
    const calendar = new GoogleCalendar({
      calendarId: ID,
      auth,
      rootUrl: server.root,
      retry: {
        attempts: 2,
        waitBudgetMs: 1000,
        firstWaitMs: 1,
        requestTimeoutMs: 1000,
        wait: () => Promise.resolve(),
      },
    });
    await expect(calendar.read(WINDOW, new AbortController().signal)).rejects.toMatchObject({
      name: 'CalendarError',
      kind,
      remedy: expect.stringContaining(remedy) as string,
    });
    expect(asked).toBe(attempts);
    expect(server.requests).toHaveLength(0);
  });

  test('that never come are given up, and nobody is asked whose they are', async () => {
    await using server = await serve([]);
    const auth = new OAuth2Client();
    auth.getAccessToken = () => new Promise(() => undefined);
    let asked = 0;
    const calendar = new GoogleCalendar({
      calendarId: ID,
      auth,
      accountEmail: () => {
        asked += 1;
        return new Promise(() => undefined);
      },
      rootUrl: server.root,
      retry: {
        attempts: 1,
        waitBudgetMs: 0,
        firstWaitMs: 0,
        requestTimeoutMs: 50,
        wait: () => Promise.resolve(),
      },
    });
    await expect(calendar.read(WINDOW, new AbortController().signal)).rejects.toMatchObject({
      kind: 'unavailable',
      message: `calendar ${ID}: the credentials give no access token`,
    });
    expect(asked).toBe(0);
  });
});
