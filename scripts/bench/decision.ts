/** The decision alone: nodes judged, warmth judged, count decided, from what was read; no request, no log. */
import { assessPool } from '../../functions/domain/assessment.ts';
import { readNode } from '../../functions/domain/node.ts';
import type { NodeFacts, RawNode } from '../../functions/domain/node.ts';
import { collectRecords, EMPTY_HISTORY } from '../../functions/domain/history.ts';
import type { RawPod } from '../../functions/domain/pod.ts';
import { createUsageTally } from '../../functions/domain/usage.ts';
import type { NodeUsage } from '../../functions/domain/usage.ts';
import { aPoolSettings } from '../../test/support/pool-settings.ts';
import { figureOf } from './figure.ts';
import type { Count, Figure, Findings } from './figure.ts';
import type { BenchContext, Scenario } from './scenario.ts';
import { POOL_LABEL, writeNodes, writePods } from './synthetic-objects.ts';
import { timeRuns } from './timing.ts';

const PODS_PER_NODE = 30;
const NOW = Date.UTC(2026, 10, 30, 9, 0);

const QUERY = {
  nodePoolSelectorKey: POOL_LABEL,
  userImages: ['registry.example/image-1'],
  userPodSelectors: ['component=singleuser-server'],
  imagePullerSelectors: ['component=continuous-image-puller'],
};

export const decision: Scenario = {
  name: 'decision',
  about: 'the decision alone, from facts in memory to a count with its reasons',
  run: measure,
};

async function measure({ isSmoke }: BenchContext): Promise<Findings> {
  const sizes = isSmoke ? [100] : [100, 1000, 15_000];
  const parts: { readonly figure: Figure; readonly count: Count }[] = [];
  for (const nodes of sizes) parts.push(await measureSize(nodes, isSmoke));
  return {
    figures: parts.map(({ figure }) => figure),
    counts: parts.map(({ count }) => count),
    bars: [],
    notes: [`${PODS_PER_NODE} pods a node, a history of all nodes, an event that asks for three`],
  };
}

async function measureSize(nodes: number, isSmoke: boolean) {
  const facts = readFacts(nodes);
  const reading = {
    settings: aPoolSettings(),
    nodes: facts.nodes,
    usage: facts.usage,
    placeholders: [],
    demand: { count: 3, eventId: 'e', eventTitle: 'Data 8 lab', endAt: NOW + 3_600_000 },
    live: undefined,
    floors: [],
    now: NOW,
  };
  const { records } = assessPool({ ...reading, history: EMPTY_HISTORY });
  const history = collectRecords(records, NOW - 60_000);
  const assess = () => assessPool({ ...reading, history });
  const runs = isSmoke ? 3 : Math.max(3, Math.round(30_000 / nodes));
  const seconds = await timeRuns(assess, { samples: isSmoke ? 3 : 20, runs });
  const name = `${nodes.toLocaleString('en')} nodes, ${(nodes * PODS_PER_NODE).toLocaleString('en')} pods`;
  return {
    figure: figureOf(
      name,
      'ms',
      seconds.map((one) => one * 1000),
    ),
    count: { name: `${name}: the count decided`, expected: 3, found: assess().decision.replicas },
  };
}

function readFacts(nodes: number): {
  readonly nodes: readonly NodeFacts[];
  readonly usage: ReadonlyMap<string, NodeUsage>;
} {
  const tally = createUsageTally(QUERY);
  const facts: NodeFacts[] = [];
  const chunk = 100;
  for (let from = 0; from < nodes; from += chunk) {
    const page = { from, to: from + chunk, continueToken: undefined, remaining: 0 };
    facts.push(...itemsOf(writeNodes(page)).map((raw) => readNode(raw as RawNode, QUERY)));
    const pods = { ...page, from: from * PODS_PER_NODE, to: page.to * PODS_PER_NODE };
    for (const pod of itemsOf(writePods(pods, PODS_PER_NODE))) tally.add(pod as RawPod);
  }
  return { nodes: facts, usage: tally.usage() };
}

function itemsOf(page: Buffer): readonly unknown[] {
  return (JSON.parse(page.toString()) as { readonly items: readonly unknown[] }).items;
}
