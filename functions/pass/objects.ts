/**
 * What the cluster's YAML puts there besides rights: the PriorityClass, without which no placeholder can be made, and
 * the budget, without which warm first does nothing. They seldom change, so they are seldom looked at.
 */
import type { ClusterSettings } from '../config/settings.ts';
import { secondsBetween } from '../domain/instant.ts';
import type { Instant } from '../domain/instant.ts';
import { WARM_BUDGET_NAME } from '../domain/placeholder.ts';
import { judgePriorityClass } from '../domain/priority-class.ts';
import type { Problem } from '../domain/problem.ts';
import type { ClusterObjects, ClusterReading, ClusterState } from '../ports.ts';

/** Prefix of what is said once about a right. */
export const RIGHT = 'right:';
export const PATCH_FORBIDDEN = `${RIGHT}patch-pods`;
const BUDGET_LACKING = `${RIGHT}budget`;

const WELL_SECONDS = 3600;
/** While the cluster works, but less well than it could. */
const LACKING_SECONDS = 300;

/** The file itself has gaps where the account goes: applied as it is, it would bind the rights to nobody. */
export const GRANT =
  'it is part of infra/cluster/autoscaler.yaml: scripts/render-cluster-yaml.sh --service-account EMAIL --unique-id ID | kubectl apply --server-side -f -';

/** Whether this pass looks at them; what makes every pass fail is looked at on every pass, or it would go on failing. */
export function areObjectsDue(settings: ClusterSettings, state: ClusterState, now: Instant): boolean {
  const { checkedAt, objects } = state;
  if (checkedAt === undefined || objects === undefined || hasObjectError(settings, objects)) return true;
  const isLacking =
    objects.priorityClass.kind === 'forbidden' ||
    (settings.warmFirst && (objects.warmBudget !== 'present' || state.reported.includes(PATCH_FORBIDDEN)));
  // A look stamped by a clock that ran ahead must not put off the next one until time catches up.
  return Math.abs(secondsBetween(checkedAt, now)) >= (isLacking ? LACKING_SECONDS : WELL_SECONDS);
}

/** No placeholder can be made. */
export function hasObjectError(settings: ClusterSettings, objects: ClusterObjects | undefined): boolean {
  return (
    objects !== undefined && priorityProblems(settings, objects).some(({ severity }) => severity === 'error')
  );
}

export function priorityProblems(
  { priorityClassName: name }: ClusterSettings,
  { priorityClass }: ClusterObjects,
): readonly Problem[] {
  switch (priorityClass.kind) {
    case 'present':
      return judgePriorityClass(name, priorityClass);
    case 'forbidden':
      return [];
    case 'missing': {
      const message = `PriorityClass ${name} does not exist, so no placeholder can be created: ${GRANT}`;
      return [{ code: 'priority-missing', severity: 'error', message }];
    }
  }
}

/** The right to patch pods is tried again whenever the objects are looked at, not on every pass. */
export function mayRelabel(state: ClusterState, reading: ClusterReading): boolean {
  return reading.objects !== undefined || !state.reported.includes(PATCH_FORBIDDEN);
}

/** Something without which warm first does not work, and the words for it. */
export interface Lack {
  readonly fingerprint: string;
  readonly what: string;
}

export function lackingBudget(
  { namespace }: ClusterSettings,
  budget: ClusterObjects['warmBudget'],
): readonly Lack[] {
  switch (budget) {
    case 'present':
      return [];
    case 'missing':
      return [
        { fingerprint: BUDGET_LACKING, what: `PodDisruptionBudget ${WARM_BUDGET_NAME} does not exist` },
      ];
    case 'forbidden': {
      const rule = '{apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: ["get"]}';
      const what = `PodDisruptionBudget ${WARM_BUDGET_NAME} may not be read: the job lacks ${rule} in a Role of ${namespace}`;
      return [{ fingerprint: BUDGET_LACKING, what }];
    }
  }
}

/** Placeholders stay cold then, and the budget, if it is there, goes on holding up drains for them. */
export function lackingPatch({ namespace }: ClusterSettings): Lack {
  const rule = '{apiGroups: [""], resources: ["pods"], verbs: ["patch"]}';
  const what = `placeholders cannot be marked warm, and drains wait for them: the job lacks ${rule} in a Role of ${namespace}`;
  return { fingerprint: PATCH_FORBIDDEN, what };
}
