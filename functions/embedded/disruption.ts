/** How many pods of a PodDisruptionBudget may go, as the disruption controller counts them. */
import { matchesSelector } from './labels.ts';
import type { ClusterModel } from './model.ts';
import { isTerminal } from './model.ts';
import type { Budget, Pod } from './objects.ts';

export interface BudgetCount {
  readonly expectedPods: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly disruptionsAllowed: number;
}

export function countBudget(model: ClusterModel, budget: Budget): BudgetCount {
  const pods = coveredPods(model, budget);
  const currentHealthy = pods.filter(
    (pod) => pod.readyAt !== undefined && pod.meta.deletionAt === undefined,
  ).length;
  const expectedPods =
    budget.maxUnavailable === undefined && !isPercent(budget.minAvailable)
      ? pods.length
      : expectedScale(model, pods);
  const desiredHealthy =
    budget.maxUnavailable === undefined
      ? amount(budget.minAvailable ?? 0, expectedPods)
      : Math.max(0, expectedPods - amount(budget.maxUnavailable, expectedPods));
  const allowed = expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  return { expectedPods, currentHealthy, desiredHealthy, disruptionsAllowed: allowed };
}

export function covers(budget: Budget, pod: Pod): boolean {
  return budget.meta.namespace === pod.meta.namespace && matchesSelector(pod.meta.labels, budget.selector);
}

function coveredPods(model: ClusterModel, budget: Budget): Pod[] {
  return [...model.podsIn(budget.meta.namespace)].filter((pod) => covers(budget, pod) && !isTerminal(pod));
}

/** The sum of what the pods' own controllers want, each counted once; bare pods count for nothing. */
function expectedScale(model: ClusterModel, pods: readonly Pod[]): number {
  const uids = new Set(pods.flatMap((pod) => pod.meta.owner?.uid ?? []));
  let expected = 0;
  for (const set of model.replicaSets.values()) if (uids.has(set.meta.uid)) expected += set.replicas;
  return expected;
}

function isPercent(value: string | number | undefined): boolean {
  return typeof value === 'string';
}

/** A percentage is rounded up. */
function amount(value: string | number, whole: number): number {
  return typeof value === 'number' ? value : Math.ceil((Number.parseFloat(value) / 100) * whole);
}
