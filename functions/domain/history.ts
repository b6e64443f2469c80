import type { Instant } from './instant.ts';

/** When a node was first seen and last busy; kept by node UID, since names are reused. */
export interface NodeRecord {
  readonly name: string;
  readonly firstSeenAt: Instant;
  /** Undefined: never seen busy. */
  readonly lastBusyAt: Instant | undefined;
}

export interface NodeHistory {
  /** When a pass last saved its observations; undefined: never. */
  readonly observedAt: Instant | undefined;
  readonly nodes: ReadonlyMap<string, NodeRecord>;
}

export const EMPTY_HISTORY: NodeHistory = { observedAt: undefined, nodes: new Map() };
