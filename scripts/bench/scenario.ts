/** One thing that is measured. */
import type { Findings } from './figure.ts';

export interface BenchContext {
  /** Smaller and fewer runs: for counts, not for figures. */
  readonly isSmoke: boolean;
  /** Of everything that is a process: what `--runs` said. */
  readonly runs: number | undefined;
  /** A folder of this scenario's own. */
  readonly folder: string;
  readonly say: (progress: string) => void;
}

export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** Left out of a smoke run that does not name it. */
  readonly takesLong?: boolean;
  readonly run: (context: BenchContext) => Promise<Findings>;
}

/** How often a process is run for one figure: as told, else once in a smoke run, else so often. */
export function runsOf({ isSmoke, runs }: BenchContext, otherwise: number): number {
  return runs ?? (isSmoke ? 1 : otherwise);
}
