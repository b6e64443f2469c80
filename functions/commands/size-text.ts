/** The advice on a placeholder's size, as a person reads it: the sum, what to heed, and the lines to paste. */
import type { PlaceholderFit } from '../domain/placeholder-fit.ts';
import type { NodeSize, SizeAdvice } from './size-advice.ts';

export interface SizePlace {
  /** Key in `clusters`; undefined when the config names one cluster only. */
  readonly cluster: string | undefined;
}

export function describeSize(advice: SizeAdvice, place: SizePlace): string {
  const paragraphs = [
    ...advice.nodes.map(describeNode),
    describeResult(advice),
    warningsOf(advice).map((warning) => `Warning: ${warning}`),
    ...(advice.memoryBytes === undefined ? [] : [['Lines for the config:'], configLines(advice, place)]),
  ];
  const texts = paragraphs.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${texts.join('\n\n')}\n`;
}

const WIDEST_AMOUNT = 16;

function describeNode({
  node,
  allocatableBytes,
  otherBytes,
  heldFreeBytes,
  memoryBytes,
}: NodeSize): string[] {
  const rows: readonly (readonly [string, number])[] = [
    ['allocatable', allocatableBytes],
    ['requested by other pods', -otherBytes],
    ['held free, so that the node stays schedulable', -heldFreeBytes],
    ['recommended request', memoryBytes ?? 0],
  ];
  return [
    `Node ${node}, bytes of memory`,
    ...rows.map(([label, amount]) => `  ${label.padEnd(46)}${String(amount).padStart(WIDEST_AMOUNT)}`),
  ];
}

function describeResult({ pool, nodes, memoryBytes }: SizeAdvice): string[] {
  if (memoryBytes === undefined) {
    const full = nodes.filter((one) => one.memoryBytes === undefined).map(({ node }) => node);
    const why =
      full.length === 0
        ? 'no node of it can be judged by'
        : `no memory is left for one on ${full.join(', ')}`;
    return [`No request can be recommended for pool ${pool}: ${why}.`];
  }
  return nodes.length > 1
    ? [`Pool ${pool}: ${memoryBytes} bytes, the smallest of ${nodes.length} nodes, fits on each of them.`]
    : [];
}

export function warningsOf(advice: SizeAdvice): readonly string[] {
  return [
    ...advice.skipped.map(({ node, problem }) => `node ${node} was left out: ${problem}`),
    ...warnOfDifference(advice.nodes),
    ...(advice.memoryBytes === undefined ? [] : warnOfFit(advice.fit, 'the recommended request')),
    ...(advice.configuredFit === undefined
      ? []
      : warnOfFit(advice.configuredFit, 'the request in the config')),
  ];
}

/** System pods differ by a little from node to node; machines of another shape differ by more than this part. */
const NOTABLE_DIFFERENCE = 0.02;

function warnOfDifference(nodes: readonly NodeSize[]): readonly string[] {
  const ordered = [...nodes].sort((one, other) => one.offer.memoryBytes - other.offer.memoryBytes);
  const [least, most] = [ordered.at(0), ordered.at(-1)];
  if (least === undefined || most === undefined) {
    return [];
  }
  const difference = most.offer.memoryBytes - least.offer.memoryBytes;
  return difference > most.offer.memoryBytes * NOTABLE_DIFFERENCE
    ? [
        `the nodes differ by ${difference} bytes, from ${least.node} to ${most.node}: a pool works best with machines of one shape`,
      ]
    : [];
}

function warnOfFit(fit: PlaceholderFit, what: string): readonly string[] {
  switch (fit.kind) {
    case 'several':
      return [
        `${what} fits ${fit.count} times on one node, so ${fit.count} placeholders would hold one node`,
      ];
    case 'never':
      return [
        `${what} fits on no node: it asks for ${fit.requested} ${unitOf(fit.resource)} of ${fit.resource}, and the roomiest node offers ${fit.offered}`,
      ];
    case 'unreadable':
      return [`${what} cannot be read: ${fit.problem}`];
    case 'unbounded':
      return [`${what} names neither cpu nor memory, so any number of placeholders fits on one node`];
    case 'one':
    case 'unknown':
      return [];
  }
}

function unitOf(resource: 'cpu' | 'memory'): string {
  return resource === 'cpu' ? 'millicores' : 'bytes';
}

function configLines({ pool, requests }: SizeAdvice, { cluster }: SizePlace): readonly string[] {
  const path = [
    ...(cluster === undefined ? [] : ['clusters', cluster]),
    'nodePools',
    pool,
    'resources',
    'requests',
  ];
  const pairs = Object.entries(requests).map(
    ([name, amount]) => `${'  '.repeat(path.length)}${name}: ${amount}`,
  );
  return [...path.map((key, depth) => `${'  '.repeat(depth)}${key}:`), ...pairs];
}
