import type { Cluster } from '../../functions/ports.ts';
import type { AdminClient } from './admin-client.ts';
import type { AuditedRequest } from './audit-log.ts';

/** A Kubernetes API that the product may meet: the real control plane, or the embedded cluster's HTTPS face. */
export interface ApiFace {
  /** The administrator, who sets the scene; never the code under test. */
  readonly admin: AdminClient;
  /** Where the placeholders stand, with the rights of the project's YAML applied. */
  readonly namespace: string;
  /** The product's own adapter, as the job's user. */
  connect(pageSize?: number): Cluster;
  /** Asks until there is an answer; time passes meanwhile. */
  waitUntil<T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T>;
  /** All pods that run now, placeholders' and users', have run for so much longer. */
  letTimePass(minutes: number): Promise<void>;
  /** What the job's user sent while something ran, as the server saw it. */
  requestsDuring(action: () => Promise<unknown>): Promise<readonly AuditedRequest[]>;
  /** The most pods of a selector that existed at once in our namespace, from the call until `stop`. */
  watchPodCount(selector: string): Promise<{ stop(): Promise<number> }>;
  close(): Promise<void>;
}

/** Where the users' pods of a face stand. */
export function usersNamespace(namespace: string): string {
  return `${namespace}-users`;
}
