/** What one description comes to, in a form that a table can hold. */
import { matchRequests } from '../../functions/domain/demand.ts';
import type { PoolAddress } from '../../functions/domain/demand.ts';
import { readDescription } from '../../functions/domain/description.ts';
import type { Finding } from '../../functions/domain/event.ts';

export interface TextReading {
  /** By pool; the larger where two requests name one. */
  readonly counts: Readonly<Record<string, number>>;
  /** `severity code line` of each finding, in order; `-` when it is about no line. */
  readonly findings: readonly string[];
}

export const POOLS: readonly PoolAddress[] = [
  { cluster: 'default', pool: 'base' },
  { cluster: 'default', pool: 'workshop' },
];

export function readText(text: string, pools: readonly PoolAddress[] = POOLS): TextReading {
  const names = [...new Set(pools.map(({ pool }) => pool))];
  const { event, findings } = readDescription({ id: 'e1', title: 'Lab', startAt: 0, endAt: 1, text }, names);
  const matched = matchRequests([event], pools);
  const counts = new Map<string, number>();
  for (const { address, count } of matched.asks) {
    counts.set(address.pool, Math.max(count, counts.get(address.pool) ?? 0));
  }
  return {
    counts: Object.fromEntries(counts),
    findings: [...findings, ...matched.findings].map(writeFinding),
  };
}

function writeFinding({ severity, code, line }: Finding): string {
  return `${severity} ${code} ${line === undefined ? '-' : String(line)}`;
}
