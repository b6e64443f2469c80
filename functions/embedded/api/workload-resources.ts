/** Deployments, ReplicaSets, PodDisruptionBudgets and PriorityClasses. */
import { isEqualJson, numberAt, objectAt, textAt } from '../json.ts';
import type { ClusterModel } from '../model.ts';
import { keyOf } from '../model.ts';
import type { Budget, Deployment, JsonObject, PriorityClass, ReplicaSet } from '../objects.ts';
import { refuse } from '../refusal.ts';
import { orUndefined } from './core-resources.ts';
import { readSelector } from '../labels.ts';
import { countOrPercent, readWorkload } from './read-documents.ts';
import { renderBudget, renderDeployment, renderPriorityClass, renderReplicaSet } from './render.ts';
import type { Handle, Resource } from './resource.ts';
import { mapIterable } from './resource.ts';

const APPS = { group: 'apps', version: 'v1', isNamespaced: true } as const;

export function deploymentResource(model: ClusterModel): Resource {
  const handle = (deployment: Deployment): Handle => ({
    meta: deployment.meta,
    render: () => renderDeployment(model, deployment),
    update: (document) => {
      const spec = objectAt(document, 'spec');
      if (isEqualJson(spec, { ...deployment.spec, replicas: deployment.workload.replicas })) return;
      const { name } = deployment.meta;
      const workload = readWorkload(name, spec);
      if (!isEqualJson(spec['selector'], deployment.spec['selector'])) {
        refuse(422, 'Invalid', `Deployment.apps "${name}" is invalid: spec.selector: field is immutable`);
      }
      deployment.spec = spec;
      deployment.workload = workload;
      deployment.meta.generation += 1;
    },
    updateStatus: undefined,
    changed: () => {
      model.touch(deployment.meta);
      model.emit({ kind: 'deploymentChanged', deployment });
    },
    remove: () => {
      model.deployments.delete(keyOf(deployment.meta.namespace, deployment.meta.name));
      model.touch(deployment.meta);
      model.emit({ kind: 'deploymentRemoved', deployment });
    },
  });
  return {
    ...APPS,
    plural: 'deployments',
    singular: 'deployment',
    kind: 'Deployment',
    shortNames: ['deploy'],
    list: () => mapIterable(model.deployments.values(), handle),
    find: (namespace, name) => orUndefined(model.deployments.get(keyOf(namespace, name)), handle),
    create: (document, meta) => {
      const spec = objectAt(document, 'spec');
      const workload = readWorkload(meta.name, spec);
      const deployment: Deployment = { meta: model.newMeta(meta), spec, workload, observedGeneration: 0 };
      model.deployments.set(keyOf(meta.namespace ?? '', meta.name), deployment);
      model.emit({ kind: 'deploymentChanged', deployment });
      return handle(deployment);
    },
  };
}

export function replicaSetResource(model: ClusterModel): Resource {
  const handle = (set: ReplicaSet): Handle => ({
    meta: set.meta,
    render: () => renderReplicaSet(set),
    update: () => undefined,
    updateStatus: undefined,
    changed: () => {
      model.touch(set.meta);
    },
    remove: () => {
      for (const pod of [...set.pods]) model.deletePod(pod, 'deleted');
      model.removeReplicaSet(set);
    },
  });
  return {
    ...APPS,
    plural: 'replicasets',
    singular: 'replicaset',
    kind: 'ReplicaSet',
    shortNames: ['rs'],
    list: () => mapIterable(model.replicaSets.values(), handle),
    find: (namespace, name) => orUndefined(model.replicaSets.get(keyOf(namespace, name)), handle),
    create: () => refuse(405, 'MethodNotAllowed', 'the model makes ReplicaSets from Deployments only'),
  };
}

export function budgetResource(model: ClusterModel): Resource {
  const handle = (budget: Budget): Handle => ({
    meta: budget.meta,
    render: () => renderBudget(model, budget),
    update: (document) => {
      takeBudgetSpec(budget, objectAt(document, 'spec'));
    },
    updateStatus: undefined,
    changed: () => {
      model.touch(budget.meta);
    },
    remove: () => {
      model.budgets.delete(keyOf(budget.meta.namespace, budget.meta.name));
      model.touch(budget.meta);
    },
  });
  return {
    group: 'policy',
    version: 'v1',
    plural: 'poddisruptionbudgets',
    singular: 'poddisruptionbudget',
    kind: 'PodDisruptionBudget',
    shortNames: ['pdb'],
    isNamespaced: true,
    list: () => mapIterable(model.budgets.values(), handle),
    find: (namespace, name) => orUndefined(model.budgets.get(keyOf(namespace, name)), handle),
    create: (document, meta) => {
      const spec = objectAt(document, 'spec');
      const budget: Budget = {
        meta: model.newMeta(meta),
        spec,
        selector: readSelector(objectAt(spec, 'selector')),
        maxUnavailable: undefined,
        minAvailable: undefined,
        unhealthyMayGo: false,
      };
      takeBudgetSpec(budget, spec);
      model.budgets.set(keyOf(meta.namespace ?? '', meta.name), budget);
      return handle(budget);
    },
  };
}

function takeBudgetSpec(budget: Budget, spec: JsonObject): void {
  budget.spec = spec;
  budget.selector = readSelector(objectAt(spec, 'selector'));
  budget.maxUnavailable = countOrPercent(spec, 'maxUnavailable');
  budget.minAvailable = countOrPercent(spec, 'minAvailable');
  budget.unhealthyMayGo = textAt(spec, 'unhealthyPodEvictionPolicy') === 'AlwaysAllow';
  if (budget.maxUnavailable !== undefined && budget.minAvailable !== undefined) {
    const problem = 'spec: Invalid value: minAvailable and maxUnavailable cannot be both set';
    refuse(422, 'Invalid', `PodDisruptionBudget.policy "${budget.meta.name}" is invalid: ${problem}`);
  }
}

export function priorityClassResource(model: ClusterModel): Resource {
  const handle = (priorityClass: PriorityClass): Handle => ({
    meta: priorityClass.meta,
    render: () => renderPriorityClass(priorityClass),
    update: (document) => {
      if (document['value'] === priorityClass.value) return;
      const problem = 'value: Forbidden: may not be changed in an update.';
      refuse(422, 'Invalid', `PriorityClass "${priorityClass.meta.name}" is invalid: ${problem}`);
    },
    updateStatus: undefined,
    changed: () => {
      model.touch(priorityClass.meta);
    },
    remove: () => {
      model.priorityClasses.delete(priorityClass.meta.name);
      model.touch(priorityClass.meta);
    },
  });
  return {
    group: 'scheduling.k8s.io',
    version: 'v1',
    plural: 'priorityclasses',
    singular: 'priorityclass',
    kind: 'PriorityClass',
    shortNames: ['pc'],
    isNamespaced: false,
    list: () => mapIterable(model.priorityClasses.values(), handle),
    find: (_namespace, name) => orUndefined(model.priorityClasses.get(name), handle),
    create: (document, meta) =>
      handle(
        model.addPriorityClass({
          meta: model.newMeta(meta),
          value: numberAt(document, 'value') ?? 0,
          preemptionPolicy: document['preemptionPolicy'] === 'Never' ? 'Never' : 'PreemptLowerPriority',
          isGlobalDefault: document['globalDefault'] === true,
        }),
      ),
  };
}
