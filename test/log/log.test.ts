import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { ClusterError, ConfigError } from '../../functions/errors.ts';
import { createLogger, type LoggerOptions } from '../../functions/log.ts';
import type { Logger } from '../../functions/ports.ts';

const NOON = Date.parse('2026-03-02T12:00:01.250Z');

function captureStream(): { readonly stream: Writable; readonly text: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk.toString('utf8'));
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
}

async function logged(write: (log: Logger) => void, options: Partial<LoggerOptions>): Promise<string> {
  const { stream, text } = captureStream();
  const log = await createLogger({ format: 'text', level: 'debug', stream, now: () => NOON, ...options });
  write(log);
  await log.close();
  return text();
}

async function loggedJson(write: (log: Logger) => void): Promise<readonly unknown[]> {
  const text = await logged(write, { format: 'json' });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
}

describe('for Cloud Logging', () => {
  test.each([
    ['debug', 'DEBUG'],
    ['info', 'INFO'],
    ['warn', 'WARNING'],
    ['error', 'ERROR'],
  ] as const)(
    '%s has the severity %s, a message that is text, and its fields beside it',
    async (level, severity) => {
      const lines = await loggedJson((log) => {
        log[level]('count changed', { pool: 'base', from: 1, to: 3, isClamped: false, nodes: ['a', 'b'] });
      });

      expect(lines).toEqual([
        {
          severity,
          message: 'count changed',
          time: '2026-03-02T12:00:01.250Z',
          pool: 'base',
          from: 1,
          to: 3,
          isClamped: false,
          nodes: ['a', 'b'],
          'logging.googleapis.com/insertId': expect.any(String) as unknown,
        },
      ]);
    },
  );

  test('one line for each call, in order, and none of the library itself', async () => {
    const lines = await loggedJson((log) => {
      for (let count = 0; count < 100; count += 1) log.info(`line ${count}`);
    });

    expect(lines.map((line) => (line as { readonly message: string }).message)).toEqual(
      Array.from({ length: 100 }, (_, count) => `line ${count}`),
    );
  });

  test('a field cannot take the place of what the line itself says', async () => {
    const [line] = await loggedJson((log) => {
      log.info('told', {
        message: 'm',
        severity: 's',
        time: 't',
        timestamp: 'ts',
        level: 'l',
        stack: 'st',
        splat: 'sp',
        labels: { a: 1 },
        logName: 'n',
        httpRequest: { a: 1 },
        'logging.googleapis.com/trace': 'x',
      });
    });

    expect(line).toEqual({
      severity: 'INFO',
      message: 'told',
      time: '2026-03-02T12:00:01.250Z',
      level: 'l',
      stack: 'st',
      splat: 'sp',
      labels: { a: 1 },
      _message: 'm',
      _severity: 's',
      _time: 't',
      _timestamp: 'ts',
      _logName: 'n',
      _httpRequest: { a: 1 },
      '_logging.googleapis.com/trace': 'x',
      'logging.googleapis.com/insertId': expect.any(String) as unknown,
    });
  });

  test('an error is told with its kind, its causes and what to do', async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const [line] = await loggedJson((log) => {
      log.error('cluster cannot be read', {
        error: new ClusterError('GET /api/v1/nodes of hub-west', {
          kind: 'unavailable',
          remedy: 'check that the API server is up',
          status: 503,
          cause,
        }),
      });
    });

    expect(line).toMatchObject({
      error: {
        name: 'ClusterError',
        message: 'GET /api/v1/nodes of hub-west',
        kind: 'unavailable',
        status: 503,
        remedy: 'check that the API server is up',
        cause: { name: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
      },
    });
    expect(JSON.stringify(line)).not.toContain('"stack"');
  });

  test('an error that nobody foresaw says where it arose; a config error lists its findings', async () => {
    const findings = [{ path: 'replicas', line: 3, column: 5, message: 'must be a number' }];
    const lines = await loggedJson((log) => {
      log.error('crashed', { error: new TypeError('x is undefined') });
      log.error('invalid', { error: new ConfigError('config.yaml', findings) });
    });

    expect(lines).toMatchObject([
      { error: { name: 'TypeError', stack: expect.stringContaining('log.test.ts') as unknown } },
      { error: { name: 'ConfigError', findings } },
    ]);
  });

  test.each<[string, unknown, unknown]>([
    ['a bigint', 12n, '12'],
    ['no number', Number.NaN, 'NaN'],
    ['infinity', Infinity, 'Infinity'],
    ['a date', new Date(NOON), '2026-03-02T12:00:01.250Z'],
    ['no date', new Date(Number.NaN), 'invalid date'],
    ['a map', new Map([['a', 1]]), { a: 1 }],
    ['a set', new Set([1, 2]), [1, 2]],
    ['nothing', null, null],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
  ])('%s as a field does not lose the line', async (_, value, printed) => {
    const [line] = await loggedJson((log) => {
      log.info('told', { value });
    });

    expect(line).toMatchObject({ message: 'told', value: printed });
  });

  test('an object that contains itself, or goes on for ever, is cut off', async () => {
    const circle: Record<string, unknown> = { name: 'circle' };
    circle['self'] = circle;
    const deep = { a: { a: { a: { a: { a: { a: { a: 1 } } } } } } };
    const [line] = await loggedJson((log) => {
      log.info('told', {
        circle,
        deep,
        long: 'x'.repeat(10_000),
        many: Array.from({ length: 5000 }, () => 0),
      });
    });

    expect(line).toMatchObject({
      circle: { name: 'circle', self: '[circular]' },
      deep: { a: { a: { a: { a: { a: { a: '[deeper]' } } } } } },
      long: `${'x'.repeat(4000)}… (10000 characters)`,
    });
    expect((line as { readonly many: readonly number[] }).many).toHaveLength(200);
  });

  test('the same error twice on a line is not taken for a circle', async () => {
    const error = new ClusterError('no answer', { kind: 'timeout', remedy: 'wait' });
    const [line] = await loggedJson((log) => {
      log.warn('told', { first: error, second: error });
    });

    expect(line).toMatchObject({ first: { kind: 'timeout' }, second: { kind: 'timeout' } });
  });
});

describe('secrets are never written', () => {
  const pem = '-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----';
  test.each([
    ['a bearer token', 'Authorization: Bearer abc.DEF-123_~+/=', 'Authorization: Bearer [redacted]'],
    ['basic credentials', 'Basic dXNlcjpwYXNz', 'Basic [redacted]'],
    ['an access token of Google', 'got ya29.a0AfH6SMBx-y_z here', 'got [redacted] here'],
    ['a signed token', 'eyJhbGciOi.eyJzdWIi.c2ln', '[redacted]'],
    ['a private key', `key: ${pem}`, 'key: [redacted]'],
    [
      'the private address of a calendar',
      'https://calendar.google.com/calendar/ical/x/private-0123456789abcdef/basic.ics',
      'https://calendar.google.com/calendar/ical/x/private-[redacted]/basic.ics',
    ],
    [
      'user and password in an address',
      'a URL that includes credentials: https://me:p%40ss@h.example/x, socks5://u@h:1',
      'a URL that includes credentials: https://[redacted]@h.example/x, socks5://[redacted]@h:1',
    ],
    [
      'a token in an address',
      'https://h/x?a=1&access_token=abc&b=2',
      'https://h/x?a=1&access_token=[redacted]&b=2',
    ],
  ])('%s, in a message, a field or a cause', async (_, secret, shown) => {
    const lines = await loggedJson((log) => {
      log.info(secret, { nested: { text: secret }, error: new Error('outer', { cause: new Error(secret) }) });
    });

    expect(lines).toMatchObject([
      { message: shown, nested: { text: shown }, error: { cause: { message: shown } } },
    ]);
  });

  test.each([
    'authorization',
    'Authorization',
    'token',
    'access_token',
    'accessToken',
    'password',
    'private_key',
  ])('a field that is called %s', async (key) => {
    const [line] = await loggedJson((log) => {
      log.info('told', { nested: { [key]: 'hunter2' } });
    });

    expect(line).toMatchObject({ nested: { [key]: '[redacted]' } });
  });
});

describe('for a person', () => {
  test.each([
    ['debug', '12:00:01Z DEBUG   said  pool=base\n'],
    ['info', '12:00:01Z INFO    said  pool=base\n'],
    ['warn', '12:00:01Z WARNING said  pool=base\n'],
    ['error', '12:00:01Z ERROR   said  pool=base\n'],
  ] as const)('%s', async (level, line) => {
    const text = await logged((log) => {
      log[level]('said', { pool: 'base' });
    }, {});

    expect(text).toBe(line);
  });

  test.each<[string, unknown, string]>([
    ['a plain word', 'base', 'base'],
    ['a sentence', 'two words', '"two words"'],
    ['an empty text', '', '""'],
    ['a number', 0, '0'],
    ['a mapping', { a: [1] }, '{"a":[1]}'],
    ['a line break', 'a\nb', String.raw`"a\nb"`],
    ['a terminal sequence', '\u001b[2Jx', String.raw`"\u001b[2Jx"`],
    ['text that turns around', 'a\u202eb', String.raw`"a\u202eb"`],
    [
      'an error',
      new ClusterError('no nodes', { kind: 'forbidden', remedy: 'grant it', cause: new Error('403') }),
      '"ClusterError: no nodes: 403 -> grant it"',
    ],
  ])('%s', async (_, value, printed) => {
    const text = await logged((log) => {
      log.info('said', { value });
    }, {});

    expect(text).toBe(`12:00:01Z INFO    said  value=${printed}\n`);
  });

  test('a message cannot fake a second line', async () => {
    const text = await logged((log) => {
      log.info('one\n12:00:01Z ERROR   two');
    }, {});

    expect(text).toBe(String.raw`12:00:01Z INFO    one\u000a12:00:01Z ERROR   two` + '\n');
  });

  test('colours only where they are asked for', async () => {
    const text = await logged(
      (log) => {
        log.warn('said');
      },
      { hasColors: true },
    );

    expect(text).toBe('12:00:01Z \u001b[33mWARNING\u001b[39m said\n');
  });
});

test('what is below the level is left out', async () => {
  const text = await logged(
    (log) => {
      log.debug('a');
      log.info('b');
      log.warn('c');
      log.error('d');
    },
    { level: 'warn' },
  );

  expect(text).toBe('12:00:01Z WARNING c\n12:00:01Z ERROR   d\n');
});

test('a child adds its fields to every line, its own child more, and the parent none', async () => {
  const text = await logged((log) => {
    const cluster = log.child({ cluster: 'hub', run: 1 });
    cluster.child({ pool: 'base' }).info('a', { run: 2 });
    cluster.info('b');
    log.info('c');
  }, {});

  expect(text).toBe(
    '12:00:01Z INFO    a  cluster=hub run=2 pool=base\n12:00:01Z INFO    b  cluster=hub run=1\n12:00:01Z INFO    c\n',
  );
});
