/** Everything that a decision needs from outside, read at the same time. What fails is a value, not an end. */
import { findImplausibility } from '../domain/plausibility.ts';
import type { Implausibility } from '../domain/plausibility.ts';
import { ClusterError, OutsideError } from '../errors.ts';
import type { Cluster, ClusterQuery, ClusterReading, ClusterState } from '../ports.ts';
import { asksOf } from './calendars.ts';
import type { OtherAsks } from './calendars.ts';
import { chooseEvents } from './events.ts';
import type { EventSet } from './events.ts';
import type { ClusterJob } from './job.ts';
import { areObjectsDue } from './objects.ts';

export interface Readings {
  readonly events: EventSet;
  readonly otherAsks: OtherAsks;
  readonly cluster:
    | { readonly kind: 'read'; readonly client: Cluster; readonly reading: ClusterReading }
    | { readonly kind: 'failed'; readonly client: Cluster | undefined; readonly error: OutsideError };
}

export async function readOutside(job: ClusterJob, state: ClusterState): Promise<Readings> {
  const [outcome, otherAsks, cluster] = await Promise.all([
    job.calendar?.read(),
    readOtherAsks(job),
    readCluster(job, state),
  ]);
  const { calendar } = job.settings;
  const events = chooseEvents(outcome, state.keptEvents, { settings: calendar, now: job.now });
  return { events, otherAsks, cluster };
}

/** Only bounds over several clusters depend on calendars that do not speak to this one. */
function readOtherAsks({ fleet, calendar }: ClusterJob): Promise<OtherAsks> {
  return asksOf(fleet.calendars.filter((other) => other !== calendar));
}

async function readCluster(job: ClusterJob, state: ClusterState): Promise<Readings['cluster']> {
  let client: Cluster | undefined;
  try {
    client = await job.openCluster(job.settings, job.deadline.stop);
    const reading = await client.read(queryFor(job, state), job.deadline.stop);
    assertPlausible(client, reading, state);
    return { kind: 'read', client, reading };
  } catch (error) {
    if (error instanceof OutsideError) return { kind: 'failed', client, error };
    await client?.close();
    throw error;
  }
}

function queryFor({ settings, now }: ClusterJob, state: ClusterState): ClusterQuery {
  return {
    namespace: settings.namespace,
    nodePoolSelectorKey: settings.nodePoolSelectorKey,
    nodeLabels: [...new Set(settings.pools.map((pool) => pool.settings.nodeLabel))],
    knownNodes: [...state.history.nodes.values()].map(({ name }) => name),
    userImages: settings.userImages,
    imagePullerSelectors: settings.imagePullerSelectors,
    userPodSelectors: settings.userPodSelectors,
    priorityClassName: settings.priorityClassName,
    withObjects: areObjectsDue(settings, state, now),
  };
}

/** @throws ClusterError when the lists, though answered, cannot be what stands in the cluster. */
function assertPlausible(client: Cluster, reading: ClusterReading, state: ClusterState): void {
  const found = findImplausibility({
    nodes: reading.nodes,
    usage: reading.usage,
    history: state.history,
    podsSeenBefore: state.podsSeen,
  });
  if (found === undefined) return;
  throw new ImplausibleReading(client.label, found);
}

export class ImplausibleReading extends ClusterError {
  readonly found: Implausibility;

  constructor(label: string, found: Implausibility) {
    super(`${label}: ${wordsFor(found)}`, {
      kind: 'malformed',
      remedy:
        'nothing if it passes within two minutes; else compare with `kubectl get nodes` and `kubectl get pods -A`',
    });
    this.found = found;
  }
}

function wordsFor(found: Implausibility): string {
  return found.kind === 'nodesLost'
    ? `the list of nodes lacks ${found.lost} of ${found.known} nodes whose pods are still listed`
    : `the list of pods has ${found.now} on the managed nodes, where the last pass makes one expect ${found.expected}`;
}
