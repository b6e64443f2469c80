/**
 * What one pod asks for, counted exactly as kube-scheduler counts it (component-helpers' resource.PodRequests, with
 * the switches that are on in 1.36; NodeInfo then rounds each pod up to whole millicores and bytes):
 * the larger of "containers and sidecars together" and "the greediest moment of the init sequence"; pod-level
 * requests instead, where they are set; plus overhead. While a pod is being resized in place, the larger of what is
 * asked and what it still has.
 */
import type { RawContainer, RawContainerStatus, RawPod, RawQuantities } from './pod.ts';
import { createQuantityReader, millisRoundedUp, unitsRoundedUp } from './quantity.ts';
import type { QuantityText } from './quantity.ts';

export type PodRequests =
  | { readonly kind: 'known'; readonly cpuMillis: number; readonly memoryBytes: number }
  | { readonly kind: 'unreadable'; readonly problem: string };

type Resource = 'cpu' | 'memory';
type Nanos = (quantities: RawQuantities | undefined) => bigint | undefined;

/** A reader for a whole list of pods: it remembers the quantities that it has parsed. */
export function createPodRequestsReader(): (pod: RawPod) => PodRequests {
  const readQuantity = createQuantityReader();
  const problems: string[] = [];

  function readNanos(text: QuantityText, resource: Resource): bigint {
    const quantity = readQuantity(text);
    if (quantity.kind === 'known' && quantity.nanos >= 0n) {
      return quantity.nanos;
    }
    // A negative request would make a node look emptier than it is; the API server refuses them.
    const problem = quantity.kind === 'invalid' ? quantity.problem : `${text} is negative`;
    problems.push(`${resource}: ${problem}`);
    return 0n;
  }

  function nanosOf(resource: Resource): Nanos {
    return (quantities) => {
      const text = quantities?.[resource];
      return text === undefined ? undefined : readNanos(text, resource);
    };
  }
  const cpu = nanosOf('cpu');
  const memory = nanosOf('memory');

  return (pod) => {
    problems.length = 0;
    const cpuMillis = millisRoundedUp(requested(pod, cpu));
    const memoryBytes = unitsRoundedUp(requested(pod, memory));
    const problem = problems[0];
    return problem === undefined
      ? { kind: 'known', cpuMillis, memoryBytes }
      : { kind: 'unreadable', problem };
  };
}

function requested(pod: RawPod, nanos: Nanos): bigint {
  return (podLevel(pod, nanos) ?? ofContainers(pod, nanos)) + (nanos(pod.spec?.overhead) ?? 0n);
}

/** Pod-level requests stand in for those of the containers, resource by resource. */
function podLevel(pod: RawPod, nanos: Nanos): bigint | undefined {
  const asked = nanos(pod.spec?.resources?.requests);
  const actuated = pod.status?.resources;
  if (asked === undefined || actuated === undefined) {
    return asked;
  }
  return (
    larger(
      isResizeInfeasible(pod) ? undefined : asked,
      larger(nanos(actuated.requests), nanos(pod.status?.allocatedResources)),
    ) ?? 0n
  );
}

function ofContainers(pod: RawPod, nanos: Nanos): bigint {
  const containers = pod.spec?.containers ?? [];
  const running = containers.reduce((sum, container) => sum + ofContainer(pod, container, nanos), 0n);
  let sidecars = 0n;
  let initPeak = 0n;
  for (const container of pod.spec?.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      sidecars += ofContainer(pod, container, nanos);
      initPeak = max(initPeak, sidecars);
    } else {
      // Sidecars started before it are still running beside it.
      initPeak = max(initPeak, sidecars + (nanos(container.resources?.requests) ?? 0n));
    }
  }
  return max(running + sidecars, initPeak);
}

function ofContainer(pod: RawPod, container: RawContainer, nanos: Nanos): bigint {
  const asked = nanos(container.resources?.requests);
  const status = statusOf(pod, container.name);
  if (status?.resources === undefined) {
    return asked ?? 0n;
  }
  return (
    larger(
      isResizeInfeasible(pod) ? undefined : asked,
      larger(nanos(status.resources.requests), nanos(status.allocatedResources)),
    ) ?? 0n
  );
}

function statusOf(pod: RawPod, name: string | undefined): RawContainerStatus | undefined {
  const isSame = (status: RawContainerStatus): boolean => status.name === name;
  return pod.status?.containerStatuses?.find(isSame) ?? pod.status?.initContainerStatuses?.find(isSame);
}

/** The kubelet has refused the resize, so what was asked does not come about. */
function isResizeInfeasible(pod: RawPod): boolean {
  const pending = pod.status?.conditions?.find((condition) => condition.type === 'PodResizePending');
  return pending?.reason === 'Infeasible';
}

function larger(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  return a === undefined || b === undefined ? (a ?? b) : max(a, b);
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
