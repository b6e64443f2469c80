/** The eviction subresource: a deletion that disruption budgets may refuse for now. */
import { countBudget, covers } from '../disruption.ts';
import type { ClusterModel } from '../model.ts';
import { keyOf } from '../model.ts';
import type { Budget, Pod } from '../objects.ts';
import { refuse } from '../refusal.ts';
import type { Handle } from './resource.ts';
import type { ApiAnswer } from './service.ts';

export function evictPod(model: ClusterModel, handle: Handle): ApiAnswer {
  const { namespace, name } = handle.meta;
  const pod = model.pods.get(keyOf(namespace, name));
  if (pod === undefined) return refuse(404, 'NotFound', `pods "${name}" not found`);
  const budget = [...model.budgets.values()].find((each) => covers(each, pod) && !allows(model, each, pod));
  if (budget !== undefined) {
    refuse(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.");
  }
  model.deletePod(pod, 'drained');
  return {
    status: 201,
    body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
  };
}

/** A pod that has not started is never protected; one that is not Ready may go where the budget says so. */
function allows(model: ClusterModel, budget: Budget, pod: Pod): boolean {
  if (pod.phase === 'Pending') return true;
  if (pod.readyAt === undefined && budget.unhealthyMayGo) return true;
  return countBudget(model, budget).disruptionsAllowed > 0;
}
