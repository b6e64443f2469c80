/** The model behind the port that a pass reads and writes through, in process: no network, and time stands still meanwhile. */
import type { LiveDeployment, PlaceholderPod, WantedDeployment } from '../domain/placeholder.ts';
import { FIELD_MANAGER, hasDrifted, readDeployment, WARMTH_LABEL } from '../domain/placeholder.ts';
import type { FailureKind } from '../errors.ts';
import { ClusterError } from '../errors.ts';
import type { ApplyOutcome, Cluster, ClusterQuery, ClusterReading } from '../ports.ts';
import { Lister } from './api/list.ts';
import type { Resource } from './api/resource.ts';
import { resourcesOf } from './api/resources.ts';
import type { ApiAnswer } from './api/service.ts';
import { ApiService } from './api/service.ts';
import { objectAt, textAt } from './json.ts';
import type { ClusterModel } from './model.ts';
import { ModelReader, readModelObjects } from './reading.ts';
import { RefusalError } from './refusal.ts';

type Verb = 'list' | 'get' | 'apply' | 'patch';

/** On a missing object any version is taken, on one that exists this is never its own: so only one of two passes creates it. */
const ABSENT_RESOURCE_VERSION = '1';

const KIND_BY_STATUS: Readonly<Record<number, FailureKind>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'notFound',
  409: 'conflict',
  410: 'gone',
  422: 'invalid',
  429: 'throttled',
};

interface Write {
  readonly verb: Verb;
  readonly plural: 'deployments' | 'pods';
  readonly name: string;
  readonly contentType: string;
  readonly body: unknown;
}

export class EmbeddedCluster implements Cluster {
  readonly label = 'embedded';
  readonly #model: ClusterModel;
  readonly #namespace: string;
  readonly #service: ApiService;
  readonly #resources: readonly Resource[];
  readonly #counts = new Map<Verb, number>();
  #reader: { readonly key: string; readonly reader: ModelReader } | undefined;

  constructor(model: ClusterModel, namespace: string) {
    this.#model = model;
    this.#namespace = namespace;
    this.#service = new ApiService(model, new Lister(model));
    this.#resources = resourcesOf(model);
  }

  read(query: ClusterQuery, signal: AbortSignal): Promise<ClusterReading> {
    if (signal.aborted) return Promise.reject(interrupted());
    this.#count('list', 3);
    const reading = this.#readerFor(query).read();
    if (!query.withObjects) return Promise.resolve(reading);
    this.#count('get', 2);
    return Promise.resolve({ ...reading, objects: readModelObjects(this.#model, query) });
  }

  apply(
    wanted: WantedDeployment,
    live: LiveDeployment | undefined,
    signal: AbortSignal,
  ): Promise<ApplyOutcome> {
    return this.#attempt(signal, () => {
      const metadata = wanted.manifest['metadata'];
      const fence = { resourceVersion: this.#fenceOf(wanted.name, live), uid: live?.uid };
      const before = this.findDeployment(wanted.name);
      if (before !== undefined && live === undefined && !hasDrifted(before, wanted)) return 'unchanged';
      const answer = this.#write({
        verb: 'apply',
        plural: 'deployments',
        name: wanted.name,
        contentType: 'application/apply-patch+yaml',
        body: {
          ...wanted.manifest,
          metadata: { ...(typeof metadata === 'object' ? metadata : {}), ...fence },
        },
      });
      if (answer.status === 201) return 'created';
      return textAt(objectAt(answer.body, 'metadata'), 'resourceVersion') === before?.resourceVersion
        ? 'unchanged'
        : 'configured';
    });
  }

  async scaleDown(live: LiveDeployment, signal: AbortSignal): Promise<void> {
    await this.#attempt(signal, () =>
      this.#write({
        verb: 'patch',
        plural: 'deployments',
        name: live.name,
        contentType: 'application/merge-patch+json',
        body: {
          metadata: { resourceVersion: this.#fenceOf(live.name, live), uid: live.uid },
          spec: { replicas: 0 },
        },
      }),
    );
  }

  async markWarm(pod: PlaceholderPod, signal: AbortSignal): Promise<'labelled' | 'gone'> {
    try {
      await this.#attempt(signal, () =>
        this.#write({
          verb: 'patch',
          plural: 'pods',
          name: pod.name,
          contentType: 'application/merge-patch+json',
          body: { metadata: { uid: pod.uid, labels: { [WARMTH_LABEL]: 'warm' } } },
        }),
      );
      return 'labelled';
    } catch (error) {
      if (error instanceof ClusterError && (error.kind === 'notFound' || error.kind === 'conflict'))
        return 'gone';
      throw error;
    }
  }

  requests(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** The model goes on; only the count of this pass's requests ends here. */
  close(): Promise<void> {
    this.#counts.clear();
    return Promise.resolve();
  }

  /** The version read, or the present one where only the status moved on since. */
  #fenceOf(name: string, live: LiveDeployment | undefined): string {
    const now = this.findDeployment(name);
    if (live === undefined) return ABSENT_RESOURCE_VERSION;
    const isSameDecision = now?.uid === live.uid && now.generation === live.generation;
    return isSameDecision ? now.resourceVersion : live.resourceVersion;
  }

  findDeployment(name: string): LiveDeployment | undefined {
    const document: object | undefined = this.#resource('deployments').find(this.#namespace, name)?.render();
    return document === undefined ? undefined : readDeployment(document);
  }

  #resource(plural: string): Resource {
    const found = this.#resources.find((each) => each.plural === plural);
    if (found === undefined) throw new Error(`the model has no ${plural}`);
    return found;
  }

  #readerFor(query: ClusterQuery): ModelReader {
    const key = JSON.stringify({ ...query, knownNodes: undefined, withObjects: false });
    if (this.#reader?.key !== key) this.#reader = { key, reader: new ModelReader(this.#model, query) };
    return this.#reader.reader;
  }

  #count(verb: Verb, times = 1): void {
    this.#counts.set(verb, (this.#counts.get(verb) ?? 0) + times);
  }

  #write(write: Write): ApiAnswer {
    this.#count(write.verb);
    return this.#service.answer({
      method: 'PATCH',
      route: {
        resource: this.#resource(write.plural),
        namespace: this.#namespace,
        name: write.name,
        subresource: undefined,
      },
      parameters: new URLSearchParams({ fieldManager: FIELD_MANAGER, force: 'true' }),
      contentType: write.contentType,
      body: JSON.stringify(write.body),
      userAgent: FIELD_MANAGER,
    });
  }

  /** What the write sets off happens before it returns, as far as it happens at once. */
  #attempt<T>(signal: AbortSignal, write: () => T): Promise<T> {
    return new Promise((resolve) => {
      if (signal.aborted) throw interrupted();
      try {
        const result = write();
        this.#model.clock.settle();
        resolve(result);
      } catch (error) {
        throw toClusterError(error);
      }
    });
  }
}

function interrupted(): ClusterError {
  return new ClusterError('embedded cluster: stopped, since the pass was told to', {
    kind: 'aborted',
    remedy: 'nothing: the next pass goes on',
  });
}

function toClusterError(error: unknown): unknown {
  if (!(error instanceof RefusalError)) return error;
  const { code, message } = error.refusal;
  return new ClusterError(`embedded cluster: ${String(code)} ${message}`, {
    kind: KIND_BY_STATUS[code] ?? 'invalid',
    status: code,
    remedy: 'correct what the message names in the config or the scenario',
    cause: error,
  });
}
