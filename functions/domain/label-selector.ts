/** Labels that mark a pod: `key=value`, several joined by commas, all of which the pod must carry. */

export type LabelSelector = readonly (readonly [key: string, value: string])[];

/** Undefined when the text is not of that form: an empty selector would match every pod. */
export function parseLabelSelector(text: string): LabelSelector | undefined {
  const pairs: (readonly [string, string])[] = [];
  for (const part of text.split(',')) {
    const match = /^\s*([^\s=!,]+)\s*==?\s*([^\s=,]*)\s*$/.exec(part);
    if (match === null) {
      return undefined;
    }
    pairs.push([match[1] ?? '', match[2] ?? '']);
  }
  return pairs;
}

export function matchesLabels(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return labels !== undefined && selector.every(([key, value]) => labels[key] === value);
}

/** A test for many pods: carries any of these selectors; those that cannot be read match nothing. */
export function createLabelTest(
  selectors: readonly string[],
): (labels: Readonly<Record<string, string>> | undefined) => boolean {
  const parsed = selectors.flatMap((text) => {
    const selector = parseLabelSelector(text);
    return selector === undefined ? [] : [selector];
  });
  return (labels) => parsed.some((selector) => matchesLabels(selector, labels));
}
