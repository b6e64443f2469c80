/**
 * The priority of placeholders is -10. Lower, and the cluster autoscaler takes them for expendable and starts no node
 * for them (its `expendable-pods-priority-cutoff`); at 0 or higher, and they do not yield to a user's pod.
 */
import type { Problem } from './problem.ts';

export interface FoundPriorityClass {
  readonly value: number;
  /** `Never`, or `PreemptLowerPriority`, which is what an absent one means. */
  readonly preemptionPolicy: string;
}

const AUTOSCALER_CUTOFF = -10;
/** What a pod has that names no class: users' pods. */
const DEFAULT_PRIORITY = 0;

export function judgePriorityClass(name: string, found: FoundPriorityClass): readonly Problem[] {
  return [...judgeValue(name, found.value), ...judgePolicy(name, found.preemptionPolicy)];
}

function judgeValue(name: string, value: number): readonly Problem[] {
  if (value < AUTOSCALER_CUTOFF) {
    const why = `below ${AUTOSCALER_CUTOFF} the cluster autoscaler ignores a pod and starts no node for it`;
    return [problem('priority-ignored', `PriorityClass ${name} has the value ${value}: ${why}; use -10`)];
  }
  if (value >= DEFAULT_PRIORITY) {
    const why = 'a placeholder would not yield to users, whose pods have priority 0';
    return [
      problem('priority-does-not-yield', `PriorityClass ${name} has the value ${value}: ${why}; use -10`),
    ];
  }
  return [];
}

function judgePolicy(name: string, policy: string): readonly Problem[] {
  if (policy === 'Never') {
    return [];
  }
  const message =
    `PriorityClass ${name} has preemptionPolicy ${policy}: placeholders ask for Never, and the API server refuses ` +
    'pods that differ from their class; recreate the class with preemptionPolicy: Never';
  return [{ code: 'priority-policy', severity: 'error', message }];
}

function problem(code: Problem['code'], message: string): Problem {
  return { code, severity: 'warning', message };
}
