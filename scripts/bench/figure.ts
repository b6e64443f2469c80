/** What a bench run says: figures with their spread, counts that must be right, and bars that are met or not. */

export type Unit = 's' | 'ms' | 'µs' | 'MB' | 'requests' | 'times' | '';

export interface Figure {
  readonly name: string;
  readonly unit: Unit;
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
  readonly samples: number;
}

/** A number that does not depend on the machine: a wrong one is a fault. */
export interface Count {
  readonly name: string;
  readonly expected: number;
  readonly found: number;
}

/** What the project promises of a figure; never a reason to fail, since machines differ. */
export interface Bar {
  readonly name: string;
  readonly atMost: number;
  readonly found: number;
  readonly unit: Unit;
}

export interface Findings {
  readonly figures: readonly Figure[];
  readonly counts: readonly Count[];
  readonly bars: readonly Bar[];
  /** What a reader must know to understand the figures. */
  readonly notes: readonly string[];
}

export function figureOf(name: string, unit: Unit, samples: readonly number[]): Figure {
  const sorted = [...samples].sort((a, b) => a - b);
  return {
    name,
    unit,
    median: medianOf(sorted),
    lowest: sorted[0] ?? Number.NaN,
    highest: sorted.at(-1) ?? Number.NaN,
    samples: sorted.length,
  };
}

function medianOf(sorted: readonly number[]): number {
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}

/** Any of these fails a run. */
export function wrongCounts(findings: readonly Pick<Findings, 'counts'>[]): readonly Count[] {
  return findings.flatMap(({ counts }) => counts.filter((count) => !isRight(count)));
}

export function isRight({ expected, found }: Count): boolean {
  return expected === found;
}

export function isMet({ atMost, found }: Bar): boolean {
  return found <= atMost;
}
