/**
 * Things worth saying once, not every minute: a finding in a calendar entry, a missing right. What was said is
 * remembered between passes by a fingerprint and said again when it comes back after having been gone.
 */
export interface Once {
  /** Calls `say` unless the pass before this one said it already. */
  say(fingerprint: string, say: () => void): void;
  /** Keeps what was said of this kind, since this pass could not look whether it still holds. */
  keep(prefix: string): void;
  /** What is to be remembered, bounded. */
  said(): readonly string[];
}

/** More than any calendar that people read, and small in the store. */
const MOST_REMEMBERED = 500;

/** @param before undefined: not known, and then nothing is said, since all of it may have been said before. */
export function rememberSaid(before: readonly string[] | undefined): Once {
  const known = new Set(before ?? []);
  const now = new Set<string>();
  return {
    say(fingerprint, say) {
      if (before !== undefined && !known.has(fingerprint) && !now.has(fingerprint)) say();
      now.add(fingerprint);
    },
    keep(prefix) {
      for (const fingerprint of known) {
        if (fingerprint.startsWith(prefix)) now.add(fingerprint);
      }
    },
    said: () => [...now].slice(0, MOST_REMEMBERED),
  };
}
