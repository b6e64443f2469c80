/** The kubelets: a pod that landed runs once its node is Ready and its image is there; a puller fetches it ahead. */
import type { ClusterModel } from './model.ts';
import type { Node, Pod } from './objects.ts';
import { drawSeconds } from './random.ts';

export function runKubelets(model: ClusterModel): void {
  const random = model.chance('pulls');

  function pull(node: Node, image: string): void {
    if (node.images.has(image) || node.pulls.has(image)) return;
    const seconds = drawSeconds(model.poolOf(node)?.pull ?? 0, random);
    const doneAt = model.clock.now() + Math.round(seconds * 1000);
    node.pulls.set(image, doneAt);
    model.clock.at(doneAt, () => {
      if (node.isGone) return;
      node.pulls.delete(image);
      node.images.add(image);
      model.touch(node.meta);
      model.emit({ kind: 'imagePulled', node, image });
    });
  }

  function takeOn(pod: Pod, node: Node): void {
    const now = model.clock.now();
    pod.startedAt = now;
    model.touch(pod.meta);
    const image = pod.needs.image;
    if (image !== undefined && image === model.poolOf(node)?.userImage) pull(node, image);
    const imageAt = node.pulls.get(image ?? '') ?? now;
    model.clock.at(imageAt + model.settings.startSeconds * 1000, () => {
      if (!pod.isGone && pod.phase === 'Pending') model.startPod(pod);
    });
  }

  model.listen((event) => {
    if (event.kind === 'podBound') {
      const { node } = event.pod;
      if (node?.ready === 'True') takeOn(event.pod, node);
    } else if (event.kind === 'nodeReady') {
      for (const pod of event.node.pods) if (pod.startedAt === undefined) takeOn(pod, event.node);
    }
  });
}
