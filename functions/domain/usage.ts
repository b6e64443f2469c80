/**
 * What the pods bound to a node ask for, counted as the Kubernetes scheduler counts it: terminal pods out, bound
 * Pending and terminating pods in, our own placeholders like any other. Pods are handed in one at a time, so a
 * cluster's whole list never has to be held.
 */
import { createLabelTest } from './label-selector.ts';
import { isPlaceholder } from './placeholder.ts';
import { createPodRequestsReader } from './pod-requests.ts';
import { hasCondition, isTerminal, isTerminating, podTitle } from './pod.ts';
import type { RawPod } from './pod.ts';

/** What the pods bound to one node ask for, counted as the Kubernetes scheduler counts it. */
export interface NodeUsage {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  /** First quantity that could not be read, with its pod; such a node never counts as having room. */
  readonly unreadable: string | undefined;
  /** A user's pod whose containers are running stands here, so the image is on the node. */
  readonly hasRunningUserPod: boolean;
  /** The image puller's pod on this node; undefined where there is none. */
  readonly imagePuller: 'ready' | 'notReady' | undefined;
  readonly podCount: number;
  /** Of cpuMillis, the part of pods that are neither a user's nor a placeholder of ours: what is always there. */
  readonly otherCpuMillis: number;
  /** Likewise of memoryBytes. */
  readonly otherMemoryBytes: number;
}

/** A node on which no pod stands. */
export const NO_USAGE: NodeUsage = {
  cpuMillis: 0,
  memoryBytes: 0,
  unreadable: undefined,
  hasRunningUserPod: false,
  imagePuller: undefined,
  podCount: 0,
  otherCpuMillis: 0,
  otherMemoryBytes: 0,
};

export interface UsageQuery {
  /** Labels, `key=value` joined by commas, any of which marks a user's pod. */
  readonly userPodSelectors: readonly string[];
  /** Likewise for an image puller's pod. */
  readonly imagePullerSelectors: readonly string[];
}

export interface UsageTally {
  /** Counts one pod; of pods that are terminal or bound to no node, nothing. */
  add(pod: RawPod): void;
  /** By node name, for every node that a counted pod stands on. */
  usage(): ReadonlyMap<string, NodeUsage>;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export function createUsageTally(query: UsageQuery): UsageTally {
  const readRequests = createPodRequestsReader();
  const isUserPod = createLabelTest(query.userPodSelectors);
  const isImagePuller = createLabelTest(query.imagePullerSelectors);
  const byNode = new Map<string, Writable<NodeUsage>>();

  function entryOf(nodeName: string): Writable<NodeUsage> {
    const known = byNode.get(nodeName);
    if (known !== undefined) {
      return known;
    }
    const entry = { ...NO_USAGE };
    byNode.set(nodeName, entry);
    return entry;
  }

  function addRequests(entry: Writable<NodeUsage>, pod: RawPod): void {
    const requests = readRequests(pod);
    if (requests.kind === 'unreadable') {
      entry.unreadable ??= `pod ${podTitle(pod)}, ${requests.problem}`;
      return;
    }
    entry.cpuMillis += requests.cpuMillis;
    entry.memoryBytes += requests.memoryBytes;
    const labels = pod.metadata?.labels;
    if (!isUserPod(labels) && !isPlaceholder(labels)) {
      entry.otherCpuMillis += requests.cpuMillis;
      entry.otherMemoryBytes += requests.memoryBytes;
    }
  }

  function addWarmth(entry: Writable<NodeUsage>, pod: RawPod): void {
    const labels = pod.metadata?.labels;
    entry.hasRunningUserPod ||= isUserPod(labels) && areContainersRunning(pod);
    // A terminating puller (a hook of a deploy that is over) tells nothing any more.
    if (entry.imagePuller !== 'ready' && isImagePuller(labels) && !isTerminating(pod)) {
      entry.imagePuller = hasCondition(pod, 'Ready', 'True') ? 'ready' : 'notReady';
    }
  }

  return {
    add(pod) {
      const nodeName = pod.spec?.nodeName ?? '';
      if (nodeName === '' || isTerminal(pod)) {
        return;
      }
      const entry = entryOf(nodeName);
      entry.podCount += 1;
      addRequests(entry, pod);
      addWarmth(entry, pod);
    },
    usage: () => byNode,
  };
}

/** Phase Running alone lets one container still be starting. */
function areContainersRunning(pod: RawPod): boolean {
  const statuses = pod.status?.containerStatuses ?? [];
  return pod.status?.phase === 'Running' && statuses.every((one) => one.state?.running !== undefined);
}
