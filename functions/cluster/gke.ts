/** A cluster by its GKE name: endpoint and certificate authority from the GKE API, the token from default credentials. */
import type { GoogleAuth } from 'google-auth-library';
import type { ClusterTarget } from '../config/settings.ts';
import { ClusterError } from '../errors.ts';
import type { FailureKind } from '../errors.ts';
import { orStop } from '../stopping.ts';
import { TOKEN_OUTAGE_REMEDY, kindOfTokenFailure } from '../token-failure.ts';
import { checkEndpoint } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { DEFAULT_RETRY, waitBeforeRetry } from './retry.ts';
import type { RetryPolicy } from './retry.ts';

export type GkeTarget = Extract<ClusterTarget, { kind: 'gke' }>;

/**
 * Without the second, GKE knows the caller by a numeric id, and a role that is bound to the account's e-mail silently
 * does not apply.
 */
export const GKE_SCOPES = [
  'https://www.googleapis.com/auth/cloud-platform',
  'https://www.googleapis.com/auth/userinfo.email',
] as const;

export interface GkeOptions {
  /** Made with GKE_SCOPES; one for all clusters of a pass, so that the token is fetched once. */
  readonly auth: GoogleAuth;
  /** Another place of the GKE API than Google's own. */
  readonly api?:
    { readonly host: string; readonly port: number; readonly protocol: 'http' | 'https' } | undefined;
  readonly retry?: RetryPolicy | undefined;
}

const GET_CLUSTER_MILLIS = 10_000;

/** @throws ClusterError */
export async function readGkeCluster(
  target: GkeTarget,
  options: GkeOptions,
  signal: AbortSignal,
): Promise<Endpoint> {
  const path = pathOf(target);
  const looking = Promise.all([getCluster(path, options, signal), getToken(path, options.auth)]);
  const [cluster, token] = await orStop(looking, signal, { failure: () => stopped(path) });
  checkStatus(cluster, path);
  return checkEndpoint(
    {
      ...chooseAddress(cluster, target),
      clientCertificate: undefined,
      serverName: undefined,
      proxyUrl: undefined,
      headers: { Authorization: `Bearer ${token}` },
      advice: {
        credentials: `the API server does not accept the token of the service account: give it container.clusters.connect and container.clusters.get (the role in infra/), and check that \`cluster\` is ${path}`,
        reach: `check that ${path} can be reached from here: allow external traffic on its DNS endpoint (\`gcloud container clusters update ${target.name} --location ${target.location} --enable-dns-access\`), or its authorized networks`,
      },
    },
    path,
  );
}

function stopped(path: string): ClusterError {
  return new ClusterError(`look up ${path}: stopped, since the pass was told to`, {
    kind: 'aborted',
    remedy: 'nothing: the next pass goes on',
  });
}

function pathOf({ project, location, name }: GkeTarget): string {
  return `projects/${project}/locations/${location}/clusters/${name}`;
}

/** The parts of GKE's Cluster that say where its API server is. */
export interface GkeCluster {
  readonly status?: unknown;
  readonly statusMessage?: string | null | undefined;
  /** An IP address. */
  readonly endpoint?: string | null | undefined;
  readonly masterAuth?: { readonly clusterCaCertificate?: string | null | undefined } | null | undefined;
  readonly controlPlaneEndpointsConfig?:
    | {
        readonly dnsEndpointConfig?:
          | {
              readonly endpoint?: string | null | undefined;
              readonly allowExternalTraffic?: boolean | null | undefined;
            }
          | null
          | undefined;
        readonly ipEndpointsConfig?:
          | {
              readonly enabled?: boolean | null | undefined;
              readonly enablePublicEndpoint?: boolean | null | undefined;
              readonly privateEndpoint?: string | null | undefined;
            }
          | null
          | undefined;
      }
    | null
    | undefined;
}

/**
 * The DNS endpoint where it lets traffic from outside in (its name is there even when it does not), else an IP endpoint
 * with the cluster's own authority.
 */
export function chooseAddress(cluster: GkeCluster, target: GkeTarget): Pick<Endpoint, 'server' | 'ca'> {
  const dns = cluster.controlPlaneEndpointsConfig?.dnsEndpointConfig;
  if (dns?.allowExternalTraffic === true && isText(dns.endpoint)) {
    return { server: `https://${dns.endpoint}`, ca: undefined };
  }
  const address = ipAddressOf(cluster);
  if (!isText(address)) {
    throw new ClusterError(`${pathOf(target)} has no endpoint that can be reached from outside`, {
      kind: 'misconfigured',
      remedy: `\`gcloud container clusters update ${target.name} --location ${target.location} --enable-dns-access\` opens its DNS endpoint, which IAM guards`,
    });
  }
  const encoded = cluster.masterAuth?.clusterCaCertificate;
  const ca = isText(encoded) ? Buffer.from(encoded, 'base64').toString('utf8') : undefined;
  return { server: `https://${address}`, ca };
}

function ipAddressOf(cluster: GkeCluster): string | null | undefined {
  const ip = cluster.controlPlaneEndpointsConfig?.ipEndpointsConfig;
  if (ip?.enabled === false) {
    return undefined;
  }
  return ip?.enablePublicEndpoint === false ? ip.privateEndpoint : cluster.endpoint;
}

function isText(value: string | null | undefined): value is string {
  return value !== undefined && value !== null && value !== '';
}

/**
 * A cluster that is RECONCILING (an upgrade, a resize) or DEGRADED usually answers, and placeholders are wanted then
 * as ever.
 */
const UNUSABLE_STATUSES: readonly unknown[] = ['PROVISIONING', 'STOPPING', 'ERROR'];

function checkStatus({ status, statusMessage }: GkeCluster, path: string): void {
  if (UNUSABLE_STATUSES.includes(status)) {
    const words = isText(statusMessage) ? `: ${statusMessage}` : '';
    throw new ClusterError(`${path} is ${String(status)}, not RUNNING${words}`, {
      kind: 'unavailable',
      remedy: 'wait until the console shows the cluster as running, or take it out of the config',
    });
  }
}

/**
 * One request, over HTTP/1.1. The client's own file is imported, not its package: that loads a second version of the
 * API and every message class besides, and takes 0.44 s of CPU to be ready where this takes 0.28 s.
 */
async function getCluster(path: string, options: GkeOptions, signal: AbortSignal): Promise<GkeCluster> {
  const { auth, api, retry = DEFAULT_RETRY } = options;
  const { ClusterManagerClient } =
    await import('@google-cloud/container/build/src/v1/cluster_manager_client.js');
  const place = api === undefined ? {} : { apiEndpoint: api.host, port: api.port, protocol: api.protocol };
  const client = new ClusterManagerClient({ auth, fallback: true, ...place });
  for (let attempt = 1; ; attempt += 1) {
    try {
      // Its own retries go on for ten minutes.
      const [cluster] = await client.getCluster({ name: path }, { timeout: GET_CLUSTER_MILLIS, retry: null });
      return cluster;
    } catch (cause) {
      const error = toClusterError(cause, path);
      const millis = waitBeforeRetry({ kind: error.kind, attempt, retryAfterMillis: undefined }, retry);
      if (millis === undefined || !(await retry.wait(millis, signal))) {
        throw error;
      }
    }
  }
}

async function getToken(path: string, auth: GoogleAuth): Promise<string> {
  try {
    const token = await auth.getAccessToken();
    if (isText(token)) {
      return token;
    }
  } catch (cause) {
    throw credentialsMissing(path, cause);
  }
  throw credentialsMissing(path, undefined);
}

function credentialsMissing(path: string, cause: unknown): ClusterError {
  const kind = kindOfTokenFailure(cause);
  return new ClusterError(`${path}: no access token to be had from Google's default credentials`, {
    kind,
    remedy:
      kind === 'unauthenticated'
        ? 'in Cloud Run give the job a service account; elsewhere `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS'
        : TOKEN_OUTAGE_REMEDY,
    cause,
  });
}

/** gRPC's codes, which the REST form of the client gives as well. */
const KIND_BY_CODE: Readonly<Record<number, FailureKind>> = {
  3: 'misconfigured',
  4: 'timeout',
  5: 'notFound',
  7: 'forbidden',
  8: 'throttled',
  13: 'unavailable',
  14: 'unavailable',
  16: 'unauthenticated',
};

function toClusterError(cause: unknown, path: string): ClusterError {
  const code = cause instanceof Error && 'code' in cause ? Number(cause.code) : Number.NaN;
  if (Number.isNaN(code)) {
    return credentialsMissing(path, cause);
  }
  const kind = KIND_BY_CODE[code] ?? 'unavailable';
  const words = cause instanceof Error ? cause.message.split('\n')[0] : '';
  return new ClusterError(`look up ${path}: ${words ?? ''}`, { kind, remedy: remedyFor(kind, path), cause });
}

function remedyFor(kind: FailureKind, path: string): string {
  if (kind === 'forbidden' || kind === 'unauthenticated') {
    return `give the job's service account container.clusters.get and container.clusters.connect in the project of ${path} (the custom role in infra/), and enable the Kubernetes Engine API`;
  }
  if (kind === 'notFound' || kind === 'misconfigured') {
    return `set \`cluster\` to the cluster's full name; ${path} is not there (\`gcloud container clusters list\`)`;
  }
  return 'the GKE API does not answer: see the Google Cloud status page; the next pass tries again';
}
