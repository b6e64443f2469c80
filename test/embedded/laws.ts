/** What holds in the model at every instant, whatever happens. Each law answers with what is wrong, or nothing. */
import type { ClusterModel } from '../../functions/embedded/model.ts';
import { isTerminal, usedBy } from '../../functions/embedded/model.ts';
import type { Pod } from '../../functions/embedded/objects.ts';

export function watchLaws(model: ClusterModel): readonly string[] {
  const broken: string[] = [];
  let before = model.clock.now();
  const living = new Set<Pod>();
  model.listen((event) => {
    const now = model.clock.now();
    broken.push(...(now < before ? [`time ran back from ${String(before)} to ${String(now)}`] : []));
    before = now;
    if (event.kind === 'podAdded') living.add(event.pod);
    if (event.kind === 'podRemoved') living.delete(event.pod);
    if (event.kind === 'podPreempted' && event.pod.priority >= event.by.priority) {
      broken.push(`${event.pod.meta.name} was evicted for ${event.by.meta.name}, which matters no more`);
    }
    if (event.kind === 'podPreempted' && !event.by.mayPreempt) {
      broken.push(`${event.by.meta.name} evicts, and may not`);
    }
    broken.push(...overfullNodes(model), ...lostPods(model, living));
  });
  return broken;
}

function overfullNodes(model: ClusterModel): readonly string[] {
  return [...model.nodes.values()].flatMap((node) => {
    const { allocatable, used } = node;
    const real = usedBy(node.pods);
    const isOver =
      allocatable !== undefined &&
      (used.cpuMillis > allocatable.cpuMillis || used.memoryBytes > allocatable.memoryBytes);
    const isMiscounted = real.cpuMillis !== used.cpuMillis || real.memoryBytes !== used.memoryBytes;
    return [
      ...(isOver ? [`${node.meta.name} is over its allocatable`] : []),
      ...(isMiscounted ? [`${node.meta.name} miscounts what it holds`] : []),
    ];
  });
}

/** Every pod that was added and not removed waits, or stands on exactly one node that stands. */
function lostPods(model: ClusterModel, living: ReadonlySet<Pod>): readonly string[] {
  const listed = new Set(model.pods.values());
  return [...living].flatMap((pod) => {
    const isWaiting = model.unbound.has(pod) && pod.node === undefined;
    const isStanding = pod.node?.pods.has(pod) === true && model.nodes.get(pod.node.meta.name) === pod.node;
    const isEither = isWaiting !== isStanding || isTerminal(pod);
    return listed.has(pod) && isEither ? [] : [`${pod.meta.name} is neither waiting nor standing`];
  });
}
