/** A weekly event with a slip has it every week: said once, with how often and when first. */
import type { Finding } from './event.ts';

export interface FindingGroup {
  /** The first of them in time. */
  readonly finding: Finding;
  /** In how many entries of the window. */
  readonly times: number;
}

/** Findings that say the same about entries of the same title, in order of their first time. */
export function groupFindings(findings: readonly Finding[]): readonly FindingGroup[] {
  const groups = Map.groupBy(findings, ({ code, eventTitle, line, text, message }) =>
    JSON.stringify([code, eventTitle, line, text, message]),
  );
  return [...groups.values()]
    .flatMap((members) => {
      const [finding] = members.toSorted(byStart);
      return finding === undefined ? [] : [{ finding, times: members.length }];
    })
    .sort((left, right) => byStart(left.finding, right.finding));
}

/** Those without a start, which concern no day in particular, come first. */
function byStart(left: Finding, right: Finding): number {
  const startOf = ({ eventStartAt }: Finding): number => eventStartAt ?? Number.MIN_SAFE_INTEGER;
  return startOf(left) - startOf(right);
}
