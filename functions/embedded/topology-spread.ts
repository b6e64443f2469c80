/**
 * Hard `topologySpreadConstraints`, as kube-scheduler's PodTopologySpread filters by them: where a pod stands, its domain
 * (a zone, a node) may have at most `maxSkew` more of the selected pods than the domain with the fewest. Domains are
 * those of the nodes that the pod's own selector lets in; taints do not matter (`nodeTaintsPolicy: Ignore`).
 */
import { isObject, listAt, numberAt, objectAt, textAt } from './json.ts';
import { matchesSelector, readSelector } from './labels.ts';
import type { ClusterModel } from './model.ts';
import { isTerminal } from './model.ts';
import type { JsonObject, Node, Pod, Selector, SpreadConstraint } from './objects.ts';
import type { Fit } from './placement.ts';

const MISMATCH = "node(s) didn't match pod topology spread constraints";

/** Soft ones (`ScheduleAnyway`) are left out: they decide nothing where placeholders fill whole nodes. */
export function readSpread(spec: JsonObject): readonly SpreadConstraint[] {
  return listAt(spec, 'topologySpreadConstraints')
    .filter(isObject)
    .filter((constraint) => textAt(constraint, 'whenUnsatisfiable') === 'DoNotSchedule')
    .map((constraint) => ({
      maxSkew: numberAt(constraint, 'maxSkew') ?? 1,
      topologyKey: textAt(constraint, 'topologyKey') ?? '',
      selector: readSelector(objectAt(constraint, 'labelSelector')),
    }));
}

/** Undefined where the pod may stand on the node for all that its constraints say. */
export function violatedSpread(model: ClusterModel, node: Node, pod: Pod): Fit | undefined {
  for (const constraint of pod.needs.spread) {
    const domain = node.meta.labels[constraint.topologyKey];
    if (domain === undefined) return { kind: 'barred', reason: `${MISMATCH} (missing required label)` };
    const counts = countByDomain(model, pod, constraint);
    const own = matchesSelector(pod.meta.labels, constraint.selector) ? 1 : 0;
    const skew = (counts.get(domain) ?? 0) + own - Math.min(...counts.values());
    if (skew > constraint.maxSkew) return { kind: 'barred', reason: MISMATCH };
  }
  return undefined;
}

function countByDomain(
  model: ClusterModel,
  pod: Pod,
  { topologyKey, selector }: SpreadConstraint,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const node of model.nodes.values()) {
    const domain = node.meta.labels[topologyKey];
    if (domain === undefined || !isLetIn(node, pod)) continue;
    const matching = [...node.pods].filter((other) => isCounted(other, pod, selector)).length;
    counts.set(domain, (counts.get(domain) ?? 0) + matching);
  }
  return counts;
}

function isLetIn(node: Node, { needs }: Pod): boolean {
  return Object.entries(needs.nodeSelector).every(([key, value]) => node.meta.labels[key] === value);
}

function isCounted(other: Pod, pod: Pod, selector: Selector): boolean {
  return (
    other.meta.namespace === pod.meta.namespace &&
    other.meta.deletionAt === undefined &&
    !isTerminal(other) &&
    matchesSelector(other.meta.labels, selector)
  );
}
