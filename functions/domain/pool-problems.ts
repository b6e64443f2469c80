/**
 * What an operator should hear about a pool besides its count: spares that find no node, pods that are refused, a
 * request that fits no node or fits twice, a node that cannot be read, a count that was limited.
 */
import type { Asker, PoolDecision } from './decision.ts';
import { secondsBetween } from './instant.ts';
import type { Instant } from './instant.ts';
import type { PendingSpare, PoolAssessment } from './assessment.ts';
import type { NodeFacts } from './node.ts';
import { judgePlaceholderFit } from './placeholder-fit.ts';
import type { Capacity, PlaceholderFit } from './placeholder-fit.ts';
import type { LiveDeployment, PlaceholderSettings } from './placeholder.ts';
import type { Problem } from './problem.ts';
import type { NodeVerdict } from './room.ts';
import { quoteTitle } from './title.ts';
import type { NodeUsage } from './usage.ts';

export interface PoolInspection {
  readonly assessment: Pick<PoolAssessment, 'decision' | 'verdicts' | 'spares'>;
  readonly placeholder: Pick<PlaceholderSettings, 'poolName' | 'namespace' | 'requests'>;
  /** Those of the pool. */
  readonly nodes: readonly NodeFacts[];
  readonly usage: ReadonlyMap<string, NodeUsage>;
  readonly live: LiveDeployment | undefined;
  readonly now: Instant;
}

/** A new node takes about two minutes; a spare that waits five times that long waits for something else. */
export const LONG_PENDING_SECONDS = 600;

export function findPoolProblems(inspection: PoolInspection): readonly Problem[] {
  const { assessment, placeholder, live, now } = inspection;
  return [
    ...deploymentProblems(live, placeholder.namespace),
    ...limitProblems(assessment.decision),
    ...pendingProblems(placeholder.poolName, assessment.spares.pending, now),
    ...fitProblems(inspection),
    ...unreadableNodes(placeholder.poolName, assessment.verdicts),
  ];
}

function deploymentProblems(live: LiveDeployment | undefined, namespace: string): readonly Problem[] {
  if (live === undefined) {
    return [];
  }
  if (!live.hasOurSelector) {
    const message =
      `Deployment ${live.name} was made by another tool, and the selector of a Deployment cannot be changed; remove ` +
      `it, and the next pass makes ours: kubectl -n ${namespace} delete deployment ${live.name}`;
    return [{ code: 'foreign-deployment', severity: 'error', message }];
  }
  return live.replicaFailure === undefined
    ? []
    : [
        {
          code: 'replica-failure',
          severity: 'error',
          message: `Deployment ${live.name} cannot create its pods: ${live.replicaFailure}`,
        },
      ];
}

function limitProblems(decision: PoolDecision): readonly Problem[] {
  return decision.adjustments.flatMap((adjustment) =>
    adjustment.kind === 'clamped'
      ? [
          {
            code: 'clamped',
            severity: 'warning',
            message:
              `${askerWords(adjustment.askedBy, decision.poolName)} asks for more than maxReplicas allows: ` +
              `${adjustment.to} instead of ${adjustment.from}; raise nodePools.${decision.poolName}.maxReplicas if it is meant`,
          } as const,
        ]
      : [],
  );
}

function askerWords(asker: Asker, poolName: string): string {
  switch (asker.kind) {
    case 'event':
      return `event ${quoteTitle(asker.eventTitle)} (${poolName}: ${asker.count})`;
    case 'baseline':
      return `nodePools.${poolName}.replicas (${asker.count})`;
    case 'live':
      return `the live Deployment of ${poolName} (${asker.count})`;
  }
}

function pendingProblems(
  poolName: string,
  pending: readonly PendingSpare[],
  now: Instant,
): readonly Problem[] {
  const long = pending.filter(({ sinceAt }) => secondsBetween(sinceAt, now) >= LONG_PENDING_SECONDS);
  const oldest = long.reduce<PendingSpare | undefined>(
    (first, one) => (first === undefined || one.sinceAt < first.sinceAt ? one : first),
    undefined,
  );
  if (oldest === undefined) {
    return [];
  }
  const minutes = Math.floor(secondsBetween(oldest.sinceAt, now) / 60);
  const message =
    `${long.length} placeholder(s) of ${poolName} wait for a node, ${oldest.podName} for ${minutes} minutes; the ` +
    `scheduler says: ${oldest.message ?? 'nothing'} (look at the node pool's maximum, quota and zones)`;
  return [{ code: 'pending-long', severity: 'warning', message }];
}

function fitProblems({ placeholder, nodes, usage }: PoolInspection): readonly Problem[] {
  const offered = nodes.flatMap((node) => (node.allocatable.kind === 'known' ? [node.allocatable] : []));
  const fit = judgePlaceholderFit(placeholder.requests, offered);
  const besideOthers = judgePlaceholderFit(
    placeholder.requests,
    nodes.flatMap((node) => capacityBesideOthers(node, usage.get(node.name))),
  );
  const setting = `nodePools.${placeholder.poolName}.resources.requests`;
  return fit.kind === 'one' && besideOthers.kind === 'never'
    ? [
        {
          code: 'fit-tight',
          severity: 'warning',
          message: `${setting}: ${neverWords(besideOthers)} beside the pods that are always there; see the command size`,
        },
      ]
    : fitProblem(setting, fit);
}

function capacityBesideOthers({ allocatable }: NodeFacts, usage: NodeUsage | undefined): readonly Capacity[] {
  if (allocatable.kind === 'unreadable') {
    return [];
  }
  return [
    {
      cpuMillis: allocatable.cpuMillis - (usage?.otherCpuMillis ?? 0),
      memoryBytes: allocatable.memoryBytes - (usage?.otherMemoryBytes ?? 0),
    },
  ];
}

function fitProblem(setting: string, fit: PlaceholderFit): readonly Problem[] {
  switch (fit.kind) {
    case 'one':
    case 'unknown':
      return [];
    case 'several':
      return [
        {
          code: 'fit-several',
          severity: 'warning',
          message: `${setting}: ${fit.count} placeholders fit on one node, so one of them is no whole node in reserve; see the command size`,
        },
      ];
    case 'never':
      return [
        {
          code: 'fit-never',
          severity: 'error',
          message: `${setting}: ${neverWords(fit)}; see the command size`,
        },
      ];
    case 'unbounded':
      return [
        {
          code: 'fit-unbounded',
          severity: 'warning',
          message: `${setting} names neither cpu nor memory, so placeholders take no room; see the command size`,
        },
      ];
    case 'unreadable':
      return [{ code: 'request-unreadable', severity: 'error', message: `${setting}.${fit.problem}` }];
  }
}

function neverWords({ resource, requested, offered }: Extract<PlaceholderFit, { kind: 'never' }>): string {
  const unit = resource === 'cpu' ? 'm of cpu' : ' bytes of memory';
  return `a placeholder of ${requested}${unit} fits on no node, the roomiest offers ${offered}`;
}

function unreadableNodes(poolName: string, verdicts: readonly NodeVerdict[]): readonly Problem[] {
  const problems = verdicts.flatMap(({ nodeName, reason }) =>
    reason.kind === 'unreadableAllocatable' || reason.kind === 'unreadablePod'
      ? [`${nodeName}: ${reason.problem}`]
      : [],
  );
  const [first] = problems;
  return first === undefined
    ? []
    : [
        {
          code: 'unreadable-node',
          severity: 'warning',
          message: `${problems.length} node(s) of ${poolName} cannot be read and count as full, such as ${first}`,
        },
      ];
}
