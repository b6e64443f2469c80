import { describe, expect, test } from 'vitest';
import { parseArguments, type ParsedArguments } from '../../functions/commands/arguments.ts';

interface Outcome {
  readonly parsed: ParsedArguments;
  readonly out: string;
  readonly error: string;
}

function parse(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Outcome {
  let out = '';
  let error = '';
  const parsed = parseArguments({
    argv,
    env,
    version: '1.2.3',
    columns: 100,
    writeOut: (text) => (out += text),
    writeError: (text) => (error += text),
  });
  return { parsed, out, error };
}

const DEFAULTS = { config: undefined, state: undefined, logFormat: 'text', logLevel: 'info' };

describe('what is asked for', () => {
  test.each<[string, string[], object, object]>([
    ['nothing: the demonstration', [], {}, { command: 'morning', seed: 1 }],
    ['the demonstration by name', ['morning', '--seed', '7'], {}, { command: 'morning', seed: 7 }],
    ['a pass', ['pass'], {}, { command: 'pass', isDryRun: false }],
    [
      'a dry run, its options behind the command',
      ['pass', '--dry-run', '--config', 'c.yaml', '--state', 'memory'],
      { config: 'c.yaml', state: 'memory' },
      { command: 'pass', isDryRun: true },
    ],
    [
      'options before the command',
      ['--config=c.yaml', '--log-format=json', '--log-level=debug', 'pass'],
      { config: 'c.yaml', logFormat: 'json', logLevel: 'debug' },
      { command: 'pass', isDryRun: false },
    ],
    ['a plan', ['plan'], {}, { command: 'plan', days: 7, from: undefined, format: 'text', isStrict: false }],
    [
      'a plan with everything',
      ['plan', '--days', '30', '--from', '2026-09-01T08:00:00Z', '--format', 'json', '--strict'],
      {},
      {
        command: 'plan',
        days: 30,
        from: { kind: 'instant', at: Date.UTC(2026, 8, 1, 8) },
        format: 'json',
        isStrict: true,
      },
    ],
    [
      'a plan from an instant with an offset',
      ['plan', '--from', '2026-09-01T08:00+02:00'],
      {},
      {
        command: 'plan',
        days: 7,
        from: { kind: 'instant', at: Date.UTC(2026, 8, 1, 6) },
        format: 'text',
        isStrict: false,
      },
    ],
    [
      'a plan from a time of the calendar',
      ['plan', '--from', '2026-09-01T08:00'],
      {},
      {
        command: 'plan',
        days: 7,
        from: { kind: 'wall', wall: Date.UTC(2026, 8, 1, 8) },
        format: 'text',
        isStrict: false,
      },
    ],
    [
      'a plan from a date',
      ['plan', '--from', '2026-09-01'],
      {},
      {
        command: 'plan',
        days: 7,
        from: { kind: 'wall', wall: Date.UTC(2026, 8, 1) },
        format: 'text',
        isStrict: false,
      },
    ],
    [
      'the size of a node',
      ['size', 'n1'],
      {},
      { command: 'size', of: { kind: 'node', name: 'n1' }, cluster: undefined },
    ],
    [
      'the size of a pool in a fleet',
      ['size', '--pool', 'base', '--cluster', 'hub'],
      {},
      { command: 'size', of: { kind: 'pool', name: 'base' }, cluster: 'hub' },
    ],
  ])('%s', (...[, argv, options, chosen]) => {
    expect(parse(argv)).toEqual({
      parsed: { kind: 'run', invocation: { options: { ...DEFAULTS, ...options }, arguments: chosen } },
      out: '',
      error: '',
    });
  });
});

describe('what the environment says', () => {
  const optionsOf = (argv: readonly string[], env: Readonly<Record<string, string>>) => {
    const { parsed } = parse(argv, env);
    return (parsed as Extract<ParsedArguments, { kind: 'run' }>).invocation.options;
  };

  test.each<[string, Record<string, string>, string[], object]>([
    [
      'stands in for options',
      { CONFIG_PATH: 'c.yaml', STATE: 'firestore', LOG_FORMAT: 'json', LOG_LEVEL: 'warn' },
      ['pass'],
      { config: 'c.yaml', state: 'firestore', logFormat: 'json', logLevel: 'warn' },
    ],
    [
      'gives way to the command line',
      { CONFIG_PATH: 'c.yaml', LOG_LEVEL: 'warn' },
      ['pass', '--config', 'd.yaml'],
      {
        config: 'd.yaml',
        logLevel: 'warn',
      },
    ],
    ['counts for nothing when empty', { CONFIG_PATH: '', LOG_FORMAT: '' }, ['pass'], {}],
    ['does not disturb the demonstration', { CONFIG_PATH: 'c.yaml' }, [], { config: 'c.yaml' }],
    ['makes JSON the format in a job', { CLOUD_RUN_JOB: 'scaler' }, ['pass'], { logFormat: 'json' }],
    ['leaves a job the choice', { CLOUD_RUN_JOB: 'scaler' }, ['pass', '--log-format', 'text'], {}],
  ])('%s', (...[, env, argv, options]) => {
    expect(optionsOf(argv, env)).toEqual({ ...DEFAULTS, ...options });
  });
});

describe('mistakes: one line that says what was probably meant, and exit 2', () => {
  test.each<[string[], string]>([
    [['pas'], "error: unknown command 'pas'\n(Did you mean pass?)\n"],
    [
      ['deploy'],
      "error: unknown command 'deploy'\n(Commands are pass, plan, size, simulate, morning; --help explains them)\n",
    ],
    [['pass', '--dryrun'], "error: unknown option '--dryrun'\n(Did you mean --dry-run?)\n"],
    [['pass', '--confg', 'x'], "error: unknown option '--confg'\n(Did you mean --config?)\n"],
    [['pass', '--config'], "error: option '--config <path>' argument missing\n"],
    [['pass', 'now'], "error: too many arguments for 'pass'. Expected 0 arguments but got 1: now.\n"],
    [
      ['pass', '--log-format', 'xml'],
      "error: option '--log-format <format>' argument 'xml' is invalid. Allowed choices are text, json.\n",
    ],
    [
      ['plan', '--days', '0'],
      "error: option '--days <n>' argument '0' is invalid. It must be a whole number from 1 to 400.\n",
    ],
    [
      ['plan', '--days', '1e2'],
      "error: option '--days <n>' argument '1e2' is invalid. It must be a whole number from 1 to 400.\n",
    ],
    ...[
      '2026-13-01',
      '2026-02-30',
      '2026-02-30T08:00Z',
      '2026-09-01T24:00',
      '2026-09-01T08',
      '1 September',
    ].map((from): [string[], string] => [
      ['plan', '--from', from],
      `error: option '--from <time>' argument '${from}' is invalid. It must be a date or a date and time, 2026-09-01 or 2026-09-01T08:00, in the calendar's zone, or one with an offset: 2026-09-01T08:00-07:00.\n`,
    ]),
    [['size'], 'error: name either one node or a pool: size NODE, or size --pool POOL\n'],
    [
      ['size', 'n1', '--pool', 'base'],
      'error: name either one node or a pool: size NODE, or size --pool POOL\n',
    ],
    [['--config', 'c.yaml'], 'error: --config needs a command: pass, plan, size or simulate\n'],
    [
      ['simulate', '--compare', 'plan,constant:1000,all'],
      'error: option \'--compare <policies>\' argument \'plan,constant:1000,all\' is invalid. "plan" is no policy; did you mean plain? "constant:1000" is no policy; N of constant:N goes from 0 to 999. "all" is no policy; they are warm-first, plain, none, constant:N, ancestor.\n',
    ],
    [
      ['simulate', '--seed', '1234567890'],
      "error: option '--seed <n>' argument '1234567890' is invalid. It must be a whole number of at most nine digits.\n",
    ],
    [
      ['morning', '--seed', 'x'],
      "error: option '--seed <n>' argument 'x' is invalid. It must be a whole number of at most nine digits.\n",
    ],
  ])('%j', (argv, error) => {
    expect(parse(argv)).toEqual({ parsed: { kind: 'exit', code: 2 }, out: '', error });
  });

  test('a variable with a wrong value is one, too', () => {
    expect(parse(['pass'], { LOG_LEVEL: 'loud' })).toEqual({
      parsed: { kind: 'exit', code: 2 },
      out: '',
      error:
        "error: option '--log-level <level>' argument 'loud' is invalid. Allowed choices are debug, info, warn, error.\n",
    });
  });
});

test('the version, on stdout', () => {
  expect(parse(['--version'])).toEqual({ parsed: { kind: 'exit', code: 0 }, out: '1.2.3\n', error: '' });
});

test.each([[[]], [['pass']], [['plan']], [['size']], [['simulate']], [['morning']]])(
  '%j explains itself',
  (command) => {
    const { parsed, out, error } = parse([...command, '--help']);

    expect({ parsed, error }).toEqual({ parsed: { kind: 'exit', code: 0 }, error: '' });
    expect(out).toMatch(/^Usage: calendar-node-pool-autoscaler /);
    expect(out).toContain('--config <path>');
  },
);
