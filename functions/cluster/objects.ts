/** The two objects that placeholders lean on, looked at now and then; not being allowed to is an answer too. */
import { WARM_BUDGET_NAME } from '../domain/placeholder.ts';
import type { ClusterObjects, ClusterQuery } from '../ports.ts';
import { findObject } from './get.ts';
import { DISRUPTION_BUDGETS, PRIORITY_CLASSES } from './request.ts';
import type { Transport } from './transport.ts';

/** What the API server takes for an absent `preemptionPolicy`. */
const DEFAULT_PREEMPTION_POLICY = 'PreemptLowerPriority';

interface ObjectOptions {
  readonly transport: Transport;
  readonly query: ClusterQuery;
  readonly signal: AbortSignal;
}

/** @throws ClusterError */
export async function readObjects(options: ObjectOptions): Promise<ClusterObjects> {
  const [priorityClass, warmBudget] = await Promise.all([readPriorityClass(options), readBudget(options)]);
  return { priorityClass, warmBudget };
}

async function readPriorityClass({
  transport,
  query,
  signal,
}: ObjectOptions): Promise<ClusterObjects['priorityClass']> {
  const name = query.priorityClassName;
  const target = { verb: 'get', resource: PRIORITY_CLASSES, namespace: undefined, name } as const;
  const object = await findObject(transport, target, signal);
  return typeof object === 'string' ? { kind: object } : presentClass({ ...object });
}

function presentClass(raw: Readonly<Record<string, unknown>>): ClusterObjects['priorityClass'] {
  const { value, preemptionPolicy } = raw;
  return {
    kind: 'present',
    // The API leaves a zero out.
    value: typeof value === 'number' ? value : 0,
    preemptionPolicy: typeof preemptionPolicy === 'string' ? preemptionPolicy : DEFAULT_PREEMPTION_POLICY,
  };
}

async function readBudget({
  transport,
  query,
  signal,
}: ObjectOptions): Promise<ClusterObjects['warmBudget']> {
  const { namespace } = query;
  const target = { verb: 'get', resource: DISRUPTION_BUDGETS, namespace, name: WARM_BUDGET_NAME } as const;
  const object = await findObject(transport, target, signal);
  return typeof object === 'string' ? object : 'present';
}
