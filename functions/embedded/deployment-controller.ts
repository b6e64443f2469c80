/** The Deployment controller: one ReplicaSet for each template; Recreate ends the old pods before it makes new ones. */
import type { ClusterModel, ModelEvent } from './model.ts';
import { keyOf } from './model.ts';
import type { Deployment, ReplicaSet } from './objects.ts';
import { syncReplicaSet } from './replica-set-controller.ts';

const HASH_LABEL = 'pod-template-hash';
/** Upstream's default `revisionHistoryLimit`. */
const KEPT_REVISIONS = 10;
/** How long a refused pod is left alone. Upstream backs off from milliseconds to minutes. */
const RETRY_SECONDS = 15;

export function runWorkloadControllers(model: ClusterModel): void {
  model.listen((event) => {
    if (event.kind === 'deploymentChanged') wake(model, event.deployment);
    else if (event.kind === 'deploymentRemoved') removeChildren(model, event.deployment);
    else wakeOwner(model, event);
  });
}

function wake(model: ClusterModel, deployment: Deployment): void {
  model.clock.soon(`deployment/${deployment.meta.uid}`, () => {
    const { namespace, name } = deployment.meta;
    if (model.deployments.get(keyOf(namespace, name)) === deployment) syncDeployment(model, deployment);
  });
}

/** Pods that come, go or turn Ready concern the ReplicaSet that owns them, and through it the Deployment's status. */
function wakeOwner(model: ClusterModel, event: ModelEvent): void {
  if (!('pod' in event) || event.kind === 'podPreempted' || event.pod.meta.owner?.kind !== 'ReplicaSet')
    return;
  const owner = event.pod.meta.owner;
  const set = model.replicaSets.get(keyOf(event.pod.meta.namespace, owner.name));
  if (set === undefined) return;
  const deployment = model.deployments.get(keyOf(set.meta.namespace, set.meta.owner?.name ?? ''));
  if (deployment !== undefined) wake(model, deployment);
}

function syncDeployment(model: ClusterModel, deployment: Deployment): void {
  const { workload } = deployment;
  const sets = setsOf(model, deployment);
  const current = sets.find((set) => set.template.hash === workload.template.hash);
  const old = sets.filter((set) => set !== current);
  const oldPods = old.reduce((sum, set) => sum + set.pods.size, 0);
  if (oldPods > 0 && workload.strategy === 'Recreate') {
    for (const set of old) scaleSet(model, set, 0);
    if (current !== undefined) syncReplicaSet(model, current);
  } else {
    const set = current ?? addSet(model, deployment);
    if (oldPods > 0) roll(model, deployment, { current: set, old });
    else scaleSet(model, set, workload.replicas);
    prune(model, old);
  }
  deployment.observedGeneration = deployment.meta.generation;
  model.touch(deployment.meta);
  if (setsOf(model, deployment).some((set) => set.failure !== undefined)) {
    model.clock.after(RETRY_SECONDS, () => {
      wake(model, deployment);
    });
  }
}

/** A quarter more than wanted may stand for a while, and three quarters are available all the time (upstream's defaults). */
function roll(
  model: ClusterModel,
  deployment: Deployment,
  sets: { readonly current: ReplicaSet; readonly old: readonly ReplicaSet[] },
): void {
  const { replicas } = deployment.workload;
  const wantedOld = sets.old.reduce((sum, set) => sum + set.replicas, 0);
  const most = replicas + Math.ceil(replicas / 4);
  scaleSet(model, sets.current, Math.min(replicas, Math.max(sets.current.replicas, most - wantedOld)));
  const ready = [...sets.current.pods].filter((pod) => pod.readyAt !== undefined).length;
  let spare = ready + wantedOld - (replicas - Math.floor(replicas / 4));
  for (const set of sets.old) {
    const fewer = Math.min(set.replicas, Math.max(0, spare));
    spare -= fewer;
    scaleSet(model, set, set.replicas - fewer);
  }
}

function scaleSet(model: ClusterModel, set: ReplicaSet, replicas: number): void {
  if (set.replicas !== replicas) set.meta.generation += 1;
  set.replicas = replicas;
  syncReplicaSet(model, set);
}

function addSet(model: ClusterModel, deployment: Deployment): ReplicaSet {
  const { selector, template } = deployment.workload;
  const labels = { ...template.labels, [HASH_LABEL]: template.hash };
  const set: ReplicaSet = {
    meta: model.newMeta({
      namespace: deployment.meta.namespace,
      name: `${deployment.meta.name}-${template.hash}`,
      labels,
      owner: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: deployment.meta.name,
        uid: deployment.meta.uid,
      },
    }),
    selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: template.hash } },
    template: { ...template, labels },
    pods: new Set(),
    replicas: 0,
    failure: undefined,
  };
  model.addReplicaSet(set);
  return set;
}

export function setsOf(model: ClusterModel, deployment: Deployment): ReplicaSet[] {
  return [...model.replicaSets.values()].filter((set) => set.meta.owner?.uid === deployment.meta.uid);
}

function prune(model: ClusterModel, old: readonly ReplicaSet[]): void {
  const idle = old.filter((set) => set.pods.size === 0 && set.replicas === 0);
  for (const set of idle.slice(0, Math.max(0, idle.length - KEPT_REVISIONS))) model.removeReplicaSet(set);
}

/** What the garbage collector does when the owner is gone. */
function removeChildren(model: ClusterModel, deployment: Deployment): void {
  for (const set of setsOf(model, deployment)) {
    set.replicas = 0;
    for (const pod of [...set.pods]) model.deletePod(pod, 'deleted');
    model.removeReplicaSet(set);
  }
}
