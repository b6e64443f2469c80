/** What an administrator applies to a cluster before the job may manage it (infra/cluster), in the model. */
import { WARM_BUDGET_NAME, WARMTH_LABEL } from '../domain/placeholder.ts';
import type { ClusterModel } from './model.ts';
import { keyOf } from './model.ts';

export interface Installation {
  readonly namespace: string;
  readonly priorityClassName: string;
}

export function install(model: ClusterModel, { namespace, priorityClassName }: Installation): void {
  model.addNamespace(namespace);
  model.addPriorityClass({
    meta: model.newMeta({ name: priorityClassName }),
    value: -10,
    preemptionPolicy: 'Never',
    isGlobalDefault: false,
  });
  const matchLabels = { [WARMTH_LABEL]: 'cold' };
  model.budgets.set(keyOf(namespace, WARM_BUDGET_NAME), {
    meta: model.newMeta({ namespace, name: WARM_BUDGET_NAME }),
    spec: { selector: { matchLabels }, maxUnavailable: 0, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    selector: { matchLabels, matchExpressions: [] },
    maxUnavailable: 0,
    minAvailable: undefined,
    unhealthyMayGo: true,
  });
}
