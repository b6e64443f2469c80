/** A cluster behind a Kubernetes API server: the port that a pass reads and writes through. */
import { hasDrifted, WARMTH_LABEL } from '../domain/placeholder.ts';
import type { LiveDeployment, PlaceholderPod, WantedDeployment } from '../domain/placeholder.ts';
import { ClusterError } from '../errors.ts';
import type { ApplyOutcome, Cluster, ClusterQuery, ClusterReading, ReadPlan } from '../ports.ts';
import { writeFenced } from './fenced.ts';
import { sendPatch } from './patching.ts';
import { readCluster } from './reading.ts';
import { DEPLOYMENTS, PODS } from './request.ts';
import { Transport } from './transport.ts';
import type { TransportOptions } from './transport.ts';

export interface ApiClusterOptions extends TransportOptions {
  /** Where the placeholders live. */
  readonly namespace: string;
  readonly pageSize?: number | undefined;
  /** Whose pods a reading lists, whatever that costs: for measuring. */
  readonly podsOf?: ReadPlan['podsOf'] | undefined;
}

export class ApiCluster implements Cluster {
  readonly label: string;
  readonly #transport: Transport;
  readonly #namespace: string;
  readonly #pageSize: number | undefined;
  readonly #podsOf: ReadPlan['podsOf'] | undefined;

  constructor(options: ApiClusterOptions) {
    this.label = options.label;
    this.#transport = new Transport(options);
    this.#namespace = options.namespace;
    this.#pageSize = options.pageSize;
    this.#podsOf = options.podsOf;
  }

  read(query: ClusterQuery, signal: AbortSignal): Promise<ClusterReading> {
    return readCluster({
      transport: this.#transport,
      query,
      pageSize: this.#pageSize,
      podsOf: this.#podsOf,
      signal,
    });
  }

  apply(
    wanted: WantedDeployment,
    live: LiveDeployment | undefined,
    signal: AbortSignal,
  ): Promise<ApplyOutcome> {
    const done: ApplyOutcome = live === undefined ? 'created' : 'configured';
    return writeFenced({
      ...this.#deployment(wanted.name, live, signal),
      recognise: (now) => (hasDrifted(now, wanted) ? undefined : done),
      send: async (resourceVersion) => {
        const { status, resourceVersion: after } = await sendPatch(
          this.#transport,
          {
            target: { verb: 'apply', resource: DEPLOYMENTS, namespace: this.#namespace, name: wanted.name },
            strategy: 'ServerSideApply',
            body: fence(wanted.manifest, resourceVersion, live?.uid),
          },
          signal,
        );
        if (status === CREATED) {
          return 'created';
        }
        return after === resourceVersion ? 'unchanged' : 'configured';
      },
    });
  }

  async scaleDown(live: LiveDeployment, signal: AbortSignal): Promise<void> {
    try {
      await writeFenced({
        ...this.#deployment(live.name, live, signal),
        recognise: (now) => (now.replicas === 0 ? true : undefined),
        send: async (resourceVersion) => {
          await sendPatch(
            this.#transport,
            {
              target: { verb: 'patch', resource: DEPLOYMENTS, namespace: this.#namespace, name: live.name },
              strategy: 'MergePatch',
              body: { metadata: { resourceVersion, uid: live.uid }, spec: { replicas: 0 } },
            },
            signal,
          );
          return true;
        },
      });
    } catch (error) {
      // Deleted meanwhile: it holds nothing any more, which is what was wanted.
      ignoreStatuses(error, [404]);
    }
  }

  async markWarm(pod: PlaceholderPod, signal: AbortSignal): Promise<'labelled' | 'gone'> {
    try {
      await sendPatch(
        this.#transport,
        {
          target: { verb: 'patch', resource: PODS, namespace: this.#namespace, name: pod.name },
          strategy: 'JsonPatch',
          body: [
            { op: 'test', path: '/metadata/uid', value: pod.uid },
            { op: 'add', path: `/metadata/labels/${escapePointer(WARMTH_LABEL)}`, value: 'warm' },
          ],
        },
        signal,
      );
      return 'labelled';
    } catch (error) {
      // Evicted (404), going (409), or another pod by now (422: the test failed). The pass after this one sees.
      ignoreStatuses(error, [404, 409, 422]);
      return 'gone';
    }
  }

  requests(): Readonly<Record<string, number>> {
    return this.#transport.counts();
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #deployment(
    name: string,
    live: LiveDeployment | undefined,
    signal: AbortSignal,
  ): Pick<Parameters<typeof writeFenced>[0], 'transport' | 'namespace' | 'name' | 'live' | 'signal'> {
    return { transport: this.#transport, namespace: this.#namespace, name, live, signal };
  }
}

const CREATED = 201;

/**
 * With the uid the object must still exist (on one that was deleted meanwhile the version alone would let it be made
 * anew), and managed fields are never sent: the server refuses them.
 */
function fence(
  manifest: Readonly<Record<string, unknown>>,
  resourceVersion: string,
  uid: string | undefined,
): Readonly<Record<string, unknown>> {
  const metadata = typeof manifest['metadata'] === 'object' ? { ...manifest['metadata'] } : {};
  return { ...manifest, metadata: { ...metadata, managedFields: undefined, uid, resourceVersion } };
}

/** @throws the error, unless the server answered with one of these. */
function ignoreStatuses(error: unknown, statuses: readonly number[]): void {
  if (!(error instanceof ClusterError) || error.status === undefined || !statuses.includes(error.status)) {
    throw error;
  }
}

/** RFC 6901. */
function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
