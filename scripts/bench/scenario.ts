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
  /** What this machine lacks for it, and how to get that; undefined when it lacks nothing. */
  readonly lacks?: () => string | undefined;
  readonly run: (context: BenchContext) => Promise<Findings>;
}

/** Objects in a page, as documented: not the program's own constant, since the program's requests are counted by it. */
export const PAGE_SIZE = 500;

export function pagesOf(objects: number): number {
  return Math.ceil(objects / PAGE_SIZE);
}

/** How often a process is run for one figure: as told, else once in a smoke run, else so often. */
export function runsOf({ isSmoke, runs }: BenchContext, otherwise: number): number {
  return runs ?? (isSmoke ? 1 : otherwise);
}
