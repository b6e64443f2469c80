/** What the shared suite's tests have in common: pools with nodes, placeholders and users, on whichever face. */
import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import { expect } from 'vitest';

import { WARM_BUDGET_NAME, type LiveDeployment } from '../../functions/domain/placeholder.ts';
import { ClusterError } from '../../functions/errors.ts';
import type { Cluster, ClusterReading, WantedDeployment } from '../../functions/ports.ts';
import { ApiError } from './admin-client.ts';
import { usersNamespace, type ApiFace } from './api-face.ts';
import { placeholders, podsOf, queryFor, type PlaceholderScene } from './placeholder-scene.ts';
import {
  addNamespace,
  addNode,
  addPod,
  deploymentPath,
  deploymentsPath,
  isRunning,
  livePods,
  nameOf,
  nodeOf,
  podPath,
  podsPath,
  type PodScene,
} from './scene.ts';

interface Budget {
  readonly status?: { readonly currentHealthy?: number; readonly disruptionsAllowed?: number };
}

/** A pod that fills a node, and what of it matters to the scheduler. */
export interface Filler {
  readonly name: string;
  readonly node: string;
  readonly cpu: string;
  readonly priority: number;
}

export class ApiStage {
  readonly signal = new AbortController().signal;
  readonly #open: () => Promise<ApiFace>;
  #face: ApiFace | undefined;
  #cluster: Cluster | undefined;
  #pools = 0;

  constructor(open: () => Promise<ApiFace>) {
    this.#open = open;
  }

  get face(): ApiFace {
    if (this.#face === undefined) throw new Error('the stage is not set');
    return this.#face;
  }

  /** The product's own adapter. */
  get cluster(): Cluster {
    if (this.#cluster === undefined) throw new Error('the stage is not set');
    return this.#cluster;
  }

  async set(): Promise<void> {
    this.#face = await this.#open();
    this.#cluster = this.#face.connect();
    await addNamespace(this.face.admin, usersNamespace(this.face.namespace));
  }

  async strike(): Promise<void> {
    await this.#cluster?.close();
    await this.#face?.close();
  }

  /** The budget counts over all Deployments of the namespace: what one test leaves would protect another's pods. */
  async clear(): Promise<void> {
    const path = deploymentsPath(this.face.namespace);
    for (const deployment of await this.face.admin.list<V1Deployment>(path)) {
      await this.face.admin.delete(`${path}/${nameOf(deployment)}`);
    }
    await this.face.waitUntil('all placeholders are gone', async () => {
      return (await this.face.admin.list(podsPath(this.face.namespace))).length === 0;
    });
  }

  /** Each test has a pool of its own, so that none sees another's nodes. */
  newPool(): string {
    this.#pools += 1;
    return `${this.face.namespace}-${this.#pools}`;
  }

  wanted(pool: string, replicas: number, more: Partial<PlaceholderScene> = {}): WantedDeployment {
    return placeholders({ namespace: this.face.namespace, pool, replicas, ...more });
  }

  async read(...pools: readonly string[]): Promise<ClusterReading> {
    return await this.cluster.read(queryFor(this.face.namespace, pools), this.signal);
  }

  async liveOf(pool: string): Promise<LiveDeployment> {
    const { deployments } = await this.read(pool);
    const live = deployments.find((each) => each.poolName === pool || each.name === `${pool}-placeholder`);
    if (live === undefined) throw new Error(`no Deployment for ${pool}`);
    return live;
  }

  /** As one pass after another would: decided anew when the controllers wrote the object meanwhile. */
  async change(deployment: WantedDeployment): Promise<void> {
    await this.face.waitUntil(`${deployment.name} is applied`, async () => {
      const live = await this.liveOf(deployment.poolName);
      return await this.cluster.apply(deployment, live, this.signal).then(() => true, isAgain);
    });
  }

  async deploymentOf(pool: string): Promise<V1Deployment> {
    return await this.face.admin.get(deploymentPath(this.face.namespace, `${pool}-placeholder`));
  }

  async addNodes(pool: string, ...names: readonly string[]): Promise<void> {
    for (const each of names) await addNode(this.face.admin, { name: `${pool}-${each}`, pool });
  }

  async addUser(pool: string, userName: string, cpu = '1500m'): Promise<V1Pod> {
    return await addPod(this.face.admin, {
      name: `${pool}-${userName}`,
      namespace: usersNamespace(this.face.namespace),
      pool,
      cpu,
      labels: { component: 'singleuser-server' },
    });
  }

  /** Makes a priority class and a pod of it, which admission refuses until it has heard of the class. */
  async addPodOfPriority(priority: number, scene: PodScene): Promise<V1Pod> {
    const priorityClassName = `${this.face.namespace}${priority}`;
    await this.face.admin.apply(`/apis/scheduling.k8s.io/v1/priorityclasses/${priorityClassName}`, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: priorityClassName },
      value: priority,
    });
    return await this.face.waitUntil(`${scene.name} is admitted`, async () =>
      addPod(this.face.admin, { ...scene, priorityClassName }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 403) return undefined;
        throw error;
      }),
    );
  }

  /** Waits for a user's pod and says which node it came to. */
  async whereRuns(pod: V1Pod): Promise<string> {
    return await this.face.waitUntil(`${nameOf(pod)} runs`, async () => {
      const now = await this.face.admin.get<V1Pod>(podPath(pod));
      return isRunning(now) && nodeOf(now);
    });
  }

  /** Waits until so many placeholders of a pool run, and so many are Pending. */
  async untilPlaceholders(pool: string, running: number, pending = 0): Promise<readonly V1Pod[]> {
    return await this.face.waitUntil(`${running} placeholders of ${pool} run, ${pending} wait`, async () => {
      const pods = await livePods(this.face.admin, this.face.namespace, podsOf(pool));
      const count = pods.filter(isRunning).length;
      const waiting = pods.filter((pod) => nodeOf(pod) === undefined).length;
      return count === running && waiting === pending && pods;
    });
  }

  /** Raises a pool one by one, so that its placeholders differ in age, oldest first. */
  async raiseOneByOne(pool: string, nodes: readonly string[], more: Partial<PlaceholderScene> = {}) {
    for (const [index, node] of nodes.entries()) {
      await this.addNodes(pool, node);
      if (index === 0) await this.cluster.apply(this.wanted(pool, 1, more), undefined, this.signal);
      else await this.change(this.wanted(pool, index + 1, more));
      await this.untilPlaceholders(pool, index + 1);
      await this.face.letTimePass(10);
    }
  }

  async nodesOfPlaceholders(pool: string): Promise<readonly string[]> {
    const pods = await livePods(this.face.admin, this.face.namespace, podsOf(pool));
    return pods.flatMap((pod) => nodeOf(pod)?.replace(`${pool}-`, '') ?? []).sort();
  }

  async markWarmOn(pool: string, node: string): Promise<void> {
    const pod = (await this.read(pool)).placeholders.find((each) => each.nodeName === `${pool}-${node}`);
    if (pod === undefined) throw new Error(`no placeholder on ${node}`);
    expect(await this.cluster.markWarm(pod, this.signal)).toBe('labelled');
  }

  async untilUsersRun(pool: string, count: number): Promise<void> {
    await this.face.waitUntil(`${count} users of ${pool} run`, async () => {
      const pods = await livePods(this.face.admin, usersNamespace(this.face.namespace), '');
      return pods.filter((pod) => isRunning(pod) && nodeOf(pod)?.startsWith(pool)).length === count;
    });
  }

  /** Waits until the controllers have nothing left to write to a Deployment. */
  async untilSettled(pool: string): Promise<LiveDeployment> {
    let before = await this.liveOf(pool);
    let calm = 0;
    return await this.face.waitUntil(`${pool} has settled`, async () => {
      const now = await this.liveOf(pool);
      calm = now.resourceVersion === before.resourceVersion ? calm + 1 : 0;
      before = now;
      return calm >= 8 && now;
    });
  }

  /** Pods of given priorities that fill the nodes of a pool, oldest first. */
  async fill(pool: string, fillers: readonly Filler[]): Promise<void> {
    for (const { name: filler, node, cpu, priority } of fillers) {
      const pod = await this.addPodOfPriority(priority, {
        name: `${pool}-${filler}`,
        namespace: usersNamespace(this.face.namespace),
        nodeName: `${pool}-${node}`,
        cpu,
      });
      await this.whereRuns(pod);
      await this.face.letTimePass(10);
    }
  }

  async fillersLeft(pool: string, fillers: readonly Filler[]): Promise<readonly string[]> {
    const pods = await livePods(this.face.admin, usersNamespace(this.face.namespace), '');
    const names = new Set(pods.map(nameOf));
    return fillers.map(({ name: filler }) => filler).filter((filler) => names.has(`${pool}-${filler}`));
  }

  async evict(pod: V1Pod): Promise<void> {
    await this.face.admin.create(`${podPath(pod)}/eviction`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: nameOf(pod), namespace: this.face.namespace },
    });
  }

  /** The scheduler reads the budget's status, which its controller writes a moment after the pods changed. */
  async untilBudgetCounts(coldAndHealthy: number): Promise<void> {
    const path = `/apis/policy/v1/namespaces/${this.face.namespace}/poddisruptionbudgets/${WARM_BUDGET_NAME}`;
    await this.face.waitUntil(`the budget counts ${coldAndHealthy}`, async () => {
      const { status } = await this.face.admin.get<Budget>(path);
      return status?.currentHealthy === coldAndHealthy && status.disruptionsAllowed === 0;
    });
  }
}

function isAgain(error: unknown): false {
  if (error instanceof ClusterError && error.kind === 'conflict') return false;
  throw error;
}
