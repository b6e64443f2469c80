/** Puts a model cluster together: its state, and everybody who acts on it. */
import { runAutoscaler } from './autoscaler.ts';
import { runDaemonSets } from './daemon-sets.ts';
import { runWorkloadControllers } from './deployment-controller.ts';
import { runKubelets } from './kubelet.ts';
import { ClusterModel } from './model.ts';
import { addWarmNode, runSpotReclaim } from './node-boot.ts';
import { runScheduler } from './scheduler.ts';
import type { ModelSettings } from './settings.ts';
import { DEFAULT_SETTINGS, HUB_NAMESPACE, SYSTEM_PRIORITY } from './settings.ts';

/** A cluster with its namespaces, priority classes and initial nodes, at rest. */
export function createCluster(settings: Partial<ModelSettings> = {}): ClusterModel {
  const model = new ClusterModel({ ...DEFAULT_SETTINGS, ...settings });
  for (const name of ['default', 'kube-system', HUB_NAMESPACE]) model.addNamespace(name);
  model.addPriorityClass({
    meta: model.newMeta({ name: 'system-node-critical' }),
    value: SYSTEM_PRIORITY,
    preemptionPolicy: 'PreemptLowerPriority',
    isGlobalDefault: false,
  });
  runKubelets(model);
  runDaemonSets(model);
  runSpotReclaim(model);
  runWorkloadControllers(model);
  runScheduler(model);
  if (model.settings.autoscaler !== undefined) runAutoscaler(model, model.settings.autoscaler);
  for (const pool of model.settings.pools) {
    for (let index = 0; index < pool.initialNodes; index += 1) {
      addWarmNode(model, pool, pool.zones[index % pool.zones.length] ?? '');
    }
  }
  model.clock.settle();
  return model;
}
