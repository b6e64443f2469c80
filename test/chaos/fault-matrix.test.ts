/** Every source broken in every way: nothing that could not be read lowers a count, and each failure is told once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { mapBounded } from '../../functions/pass/bounded.ts';
import { emulatorHost, hasEmulator } from '../support/firestore-emulator.ts';
import type { Source } from './faults.ts';
import { FAULTS, SOURCES } from './faults.ts';
import { FIRST_PATIENCE_MILLIS, LATER_SECONDS, Rig } from './rig.ts';
import { NOW } from './scene-model.ts';

/** Most of the time a cell waits for an answer that does not come. */
const CELLS_AT_A_TIME = 10;

interface Expected {
  /** Three are live; two is what a pass decides that can read everything. */
  readonly replicas: number;
  readonly exitCode: 0 | 1;
  readonly level: 'warn' | 'error';
  readonly message: string;
  /** What the error names. */
  readonly names: RegExp;
}

const UNREAD = {
  replicas: 3,
  exitCode: 1,
  level: 'error',
  message: 'cluster could not be read: it is left as it is',
} as const;
const UNAPPLIED: Expected = {
  replicas: 3,
  exitCode: 1,
  level: 'error',
  message: 'pool could not be applied',
  names: /apply deployment node-placeholder\/base-placeholder/,
};

const EXPECTED: Readonly<Record<Source, Expected>> = {
  // The kept events stand in for the calendar, and the node that became free was read.
  calendar: {
    replicas: 2,
    exitCode: 0,
    level: 'warn',
    message: 'calendar could not be read: deciding from the events kept from the last good reading',
    names: /calendar 127\.0\.0\.1:\d+\/…/,
  },
  nodes: { ...UNREAD, names: /nodes/ },
  pods: { ...UNREAD, names: /pods/ },
  deployments: { ...UNREAD, names: /deployments/ },
  apply: UNAPPLIED,
  lease: {
    replicas: 3,
    exitCode: 1,
    level: 'error',
    message: 'state could not be read: no count is lowered in this pass',
    names: /taking the lease and reading the state of cluster .* in firestore chaos\/placeholders/,
  },
  save: {
    replicas: 3,
    exitCode: 1,
    level: 'error',
    message: 'state could not be written: no count is lowered in this pass',
    names: /saving the state of cluster .* in firestore chaos\/placeholders/,
  },
};

/** Cells that differ from their row. */
const EXCEPTIONS: Readonly<Record<string, Expected>> = {
  // The Deployment that was not listed cannot be made anew: the fence of a first apply refuses.
  'deployments: an empty list': { ...UNAPPLIED, names: /409 .*base-placeholder/ },
  'deployments: a truncated but valid list': { ...UNAPPLIED, names: /409 .*base-placeholder/ },
  // Every reading that justified it succeeded, and it was carried out; the pass could not hear so.
  'apply: a connection cut in the body': { ...UNAPPLIED, replicas: 2 },
};

interface Cell {
  readonly source: Source;
  readonly faultName: string;
  readonly name: string;
  readonly expected: Expected;
}

const CELLS: readonly Cell[] = SOURCES.flatMap((source) =>
  Object.keys(FAULTS).map((faultName) => {
    const name = `${source}: ${faultName}`;
    return { source, faultName, name, expected: EXCEPTIONS[name] ?? EXPECTED[source] };
  }),
);

interface Played {
  readonly replicas: number | undefined;
  readonly exitCode: number;
  readonly lines: readonly {
    readonly level: string;
    readonly message: string;
    readonly error: string;
    readonly remedy: unknown;
  }[];
  /** The next pass, when everything answers again. */
  readonly next: {
    readonly exitCode: number;
    readonly replicas: number | undefined;
    readonly errors: readonly string[];
  };
}

async function play(cell: Cell, host: string): Promise<Played> {
  const rig = await Rig.start(host, `matrix-${CELLS.indexOf(cell)}-${process.pid}`);
  try {
    const prepared = await rig.prepare();
    expect([prepared.report.exitCode, rig.replicas()]).toEqual([0, 3]);
    const fault = FAULTS[cell.faultName];
    expect(fault).toBeDefined();
    rig.break(cell.source, fault!);
    const { report, log } = await rig.pass();
    const replicas = rig.replicas();
    const lines = [...log.at('warn'), ...log.at('error')].map(({ level, message, fields }) => ({
      level,
      message,
      error: String(fields['error']),
      remedy: fields['remedy'],
    }));
    rig.mend();
    // Whether it recovers is asked, not how fast.
    const next = await rig.pass(NOW + 2 * LATER_SECONDS * 1000, FIRST_PATIENCE_MILLIS);
    return {
      replicas,
      exitCode: report.exitCode,
      lines,
      next: {
        exitCode: next.report.exitCode,
        replicas: rig.replicas(),
        errors: next.log.at('error').map(({ message, fields }) => `${message}: ${String(fields['error'])}`),
      },
    };
  } finally {
    await rig.stop();
  }
}

describe.skipIf(!hasEmulator())('fault matrix', () => {
  const played = new Map<Cell, Played>();

  beforeAll(async () => {
    const host = await emulatorHost();
    await mapBounded(CELLS, CELLS_AT_A_TIME, async (cell) => {
      played.set(cell, await play(cell, host));
    });
  }, 300_000);
  afterAll(() => {
    expect(played.size).toBe(SOURCES.length * Object.keys(FAULTS).length);
  });

  test.each(CELLS)('$name', (cell) => {
    const { names, ...expected } = cell.expected;
    const { replicas, exitCode, lines, next } = played.get(cell)!;
    expect({ replicas, exitCode, lines }).toEqual({
      replicas: expected.replicas,
      exitCode: expected.exitCode,
      lines: [
        {
          level: expected.level,
          message: expected.message,
          error: expect.stringMatching(names) as string,
          remedy: expect.stringMatching(/\S/) as string,
        },
      ],
    });
    expect([next.exitCode, next.errors]).toEqual([0, []]);
    expect(next.replicas).toBeGreaterThanOrEqual(2);
  });

  test('a pass that can read everything lowers the count to two, so the matrix can fail', async () => {
    const rig = await Rig.start(await emulatorHost(), `matrix-healthy-${process.pid}`);
    await rig.prepare();
    const { report, log } = await rig.pass();
    const lines = [...log.at('warn'), ...log.at('error')];
    const replicas = rig.replicas();
    await rig.stop();
    expect({ replicas, exitCode: report.exitCode, lines }).toEqual({ replicas: 2, exitCode: 0, lines: [] });
  });
});
