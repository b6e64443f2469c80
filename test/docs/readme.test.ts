import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import schema from '../../functions/config/schema.json' with { type: 'json' };
import type { Adjustment, DecisionRule } from '../../functions/domain/decision.ts';
import type { RoomReason } from '../../functions/domain/room.ts';

const readme = readFileSync('README.md', 'utf8');

/** Keys of the first column of the table that follows a heading, several in one cell split up. */
function firstColumn(heading: string): readonly (readonly [key: string, cells: readonly string[]])[] {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => {
    const cells = row.split('|').map((cell) => cell.trim());
    return [...(cells[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, key = '']) => [key, cells.slice(2)] as const);
  });
}

interface Described {
  readonly default?: unknown;
  readonly deprecated?: boolean;
}

const entries = (properties: object): readonly (readonly [string, Described])[] => Object.entries(properties);
const ofFile = entries(schema.properties).filter(([, { deprecated }]) => deprecated !== true);
const ofPool = entries(schema.$defs.nodePool.properties);
/** Explained in a sentence, since it only wraps the others. */
const WRAPPER = 'node-placeholder-scaler';

describe('the README', () => {
  it('lists every key of the config, and no other', () => {
    const keys = firstColumn('Config').map(([key]) => key.replace('… .', ''));
    const inherited = new Set(ofFile.map(([key]) => key));
    const own = ofPool.map(([key]) => key).filter((key) => !inherited.has(key) || key === 'tolerations');
    const expected = [...inherited].filter((key) => key !== WRAPPER && key !== 'nodePools');
    expect(keys.toSorted()).toEqual([...expected, 'nodePools.NAME', ...own].toSorted());
  });

  it('gives the defaults that the schema has', () => {
    const plain = [...ofFile, ...ofPool].filter(([, one]) =>
      ['string', 'number', 'boolean'].includes(typeof one.default),
    );
    const told = new Map(firstColumn('Config').map(([key, cells]) => [key.replace('… .', ''), cells[0]]));
    expect(plain.map(([key]) => [key, told.get(key)])).toEqual(
      plain.map(([key, one]) => [key, `\`${String(one.default)}\``]),
    );
  });

  it('explains every rule that a log line can carry', () => {
    const rules: Readonly<Record<DecisionRule['kind'] | Adjustment['kind'], true>> = {
      override: true,
      pending: true,
      room: true,
      covered: true,
      held: true,
      clamped: true,
    };
    const verdicts: Readonly<Record<RoomReason['kind'], true>> = {
      room: true,
      hostsPlaceholder: true,
      belowThreshold: true,
      newlySeen: true,
      recentlyBusy: true,
      cordoned: true,
      notReady: true,
      leaving: true,
      suspended: true,
      unreadableAllocatable: true,
      unreadablePod: true,
    };
    const told = firstColumn('What a reason in the log means').map(([key]) => key);
    expect(told.toSorted()).toEqual([...Object.keys(rules), ...Object.keys(verdicts)].toSorted());
  });

  it('stays short enough to be read', () => {
    expect(readme.split('\n').length).toBeLessThan(250);
  });
});
