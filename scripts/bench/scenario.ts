/** One thing that is measured. */
import type { Findings } from './figure.ts';

export interface BenchContext {
  /** Smaller and fewer runs: for counts, not for figures. */
  readonly isSmoke: boolean;
  /** A folder of this scenario's own. */
  readonly folder: string;
  readonly say: (progress: string) => void;
}

export interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly run: (context: BenchContext) => Promise<Findings>;
}
