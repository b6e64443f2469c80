/** Who decides how many placeholders stand: the product, or what it is compared with. */
import type { Instant } from '../domain/instant.ts';

/** What one pass decided for one pool. */
export interface Note {
  readonly pool: string;
  readonly wanted: number;
  /** Replicas before it; undefined when there was no Deployment. */
  readonly live: number | undefined;
  readonly rule: string;
  readonly reason: string;
  /** `unchanged`, `created`, `configured`, or why nothing was applied. */
  readonly applied: string;
}

export interface Steward {
  /** What it does each minute. */
  pass(now: Instant): Promise<readonly Note[]>;
}
