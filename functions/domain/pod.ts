/** A pod as the Kubernetes API gives it (JSON, timestamps as text), as far as this program reads it. */
import type { QuantityText } from './quantity.ts';

export type RawQuantities = Readonly<Record<string, QuantityText | undefined>>;

export interface RawContainer {
  readonly name?: string | undefined;
  readonly resources?: { readonly requests?: RawQuantities | undefined } | undefined;
  /** `Always` on an init container makes it a native sidecar. */
  readonly restartPolicy?: string | undefined;
}

export interface RawContainerStatus {
  readonly name?: string | undefined;
  readonly state?: { readonly running?: object | undefined } | undefined;
  readonly resources?: { readonly requests?: RawQuantities | undefined } | undefined;
  readonly allocatedResources?: RawQuantities | undefined;
}

export interface RawCondition {
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: string | undefined;
}

export interface RawPod {
  readonly metadata?:
    | {
        readonly name?: string | undefined;
        readonly namespace?: string | undefined;
        readonly uid?: string | undefined;
        readonly labels?: Readonly<Record<string, string>> | undefined;
        readonly creationTimestamp?: string | undefined;
        readonly deletionTimestamp?: string | undefined;
      }
    | undefined;
  readonly spec?:
    | {
        readonly nodeName?: string | undefined;
        readonly containers?: readonly RawContainer[] | undefined;
        readonly initContainers?: readonly RawContainer[] | undefined;
        readonly overhead?: RawQuantities | undefined;
        /** Pod-level resources. */
        readonly resources?: { readonly requests?: RawQuantities | undefined } | undefined;
      }
    | undefined;
  readonly status?:
    | {
        readonly phase?: string | undefined;
        readonly conditions?: readonly RawCondition[] | undefined;
        readonly containerStatuses?: readonly RawContainerStatus[] | undefined;
        readonly initContainerStatuses?: readonly RawContainerStatus[] | undefined;
        readonly resources?: { readonly requests?: RawQuantities | undefined } | undefined;
        readonly allocatedResources?: RawQuantities | undefined;
      }
    | undefined;
}

/** Succeeded or Failed: the scheduler counts such a pod no more. */
export function isTerminal(pod: RawPod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

export function isTerminating(pod: RawPod): boolean {
  return pod.metadata?.deletionTimestamp !== undefined;
}

/** `namespace/name`, for messages. */
export function podTitle(pod: RawPod): string {
  return `${pod.metadata?.namespace ?? 'default'}/${pod.metadata?.name ?? '(unnamed)'}`;
}

export function hasCondition(pod: RawPod, type: string, status: string): boolean {
  return pod.status?.conditions?.some((one) => one.type === type && one.status === status) === true;
}
