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
}
