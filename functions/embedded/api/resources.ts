/** Every kind that the model's API serves. */
import type { ClusterModel } from '../model.ts';
import { namespaceResource, nodeResource, podResource } from './core-resources.ts';
import { daemonSetResource } from './daemon-set-resource.ts';
import { plainResources } from './plain-resources.ts';
import type { Resource } from './resource.ts';
import {
  budgetResource,
  deploymentResource,
  priorityClassResource,
  replicaSetResource,
} from './workload-resources.ts';

export function resourcesOf(model: ClusterModel): readonly Resource[] {
  return [
    nodeResource(model),
    podResource(model),
    namespaceResource(model),
    deploymentResource(model),
    replicaSetResource(model),
    daemonSetResource(model),
    budgetResource(model),
    priorityClassResource(model),
    ...plainResources(model),
  ];
}
