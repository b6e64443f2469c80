/** Opens the cluster that a config names; the embedded one is opened by whoever runs it. */
import type { GoogleAuth } from 'google-auth-library';
import type { ClusterTarget } from '../config/settings.ts';
import type { Cluster } from '../ports.ts';
import { ApiCluster } from './api.ts';
import type { Endpoint } from './endpoint.ts';
import { GKE_SCOPES, readGkeCluster } from './gke.ts';
import { readKubeconfig } from './kubeconfig.ts';
import type { RetryPolicy } from './retry.ts';
import type { TimeLimits } from './transport.ts';

export type RemoteTarget = Exclude<ClusterTarget, { kind: 'embedded' }>;

export interface OpenOptions {
  /** How the cluster is named in messages: its key in the config. */
  readonly label: string;
  /** Where the placeholders live. */
  readonly namespace: string;
  /** For GKE; one for all clusters of a pass. Undefined: made here. */
  readonly auth?: GoogleAuth | undefined;
  readonly limits?: TimeLimits | undefined;
  readonly retry?: RetryPolicy | undefined;
}

/** Finds out where the API server is and how to speak to it; the first request to it is the first read. @throws ClusterError */
export async function openCluster(
  target: RemoteTarget,
  options: OpenOptions,
  signal: AbortSignal,
): Promise<Cluster> {
  const endpoint = await locate(target, options, signal);
  return new ApiCluster({ ...options, endpoint });
}

async function locate(target: RemoteTarget, options: OpenOptions, signal: AbortSignal): Promise<Endpoint> {
  switch (target.kind) {
    case 'kubeconfig':
      return readKubeconfig(target, signal);
    case 'gke':
      return readGkeCluster(
        target,
        { auth: options.auth ?? (await createGkeAuth()), retry: options.retry },
        signal,
      );
  }
}

/** Default credentials with the scopes that an API server of GKE wants. */
export async function createGkeAuth(): Promise<GoogleAuth> {
  const { GoogleAuth: Auth } = await import('google-auth-library');
  return new Auth({ scopes: [...GKE_SCOPES] });
}
