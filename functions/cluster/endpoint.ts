/** Where a cluster's API server is and how it is spoken to, whatever told us so (GKE or a kubeconfig). */
import { isIP } from 'node:net';
import { ClusterError } from '../errors.ts';

export interface Endpoint {
  /** `https://host[:port][/path]`; a gateway to many clusters tells them apart by the path. */
  readonly server: string;
  /** PEM of the authorities to trust; undefined: the public roots. */
  readonly ca: string | undefined;
  readonly clientCertificate: { readonly cert: string; readonly key: string } | undefined;
  /** Name to check the certificate against, when it is not the host's. */
  readonly serverName: string | undefined;
  /** HTTP proxy to tunnel through. */
  readonly proxyUrl: string | undefined;
  /** Authorization and impersonation; fetched once, since a token outlives a pass. */
  readonly headers: Readonly<Record<string, string>>;
  readonly advice: {
    /** What to do about a 401. */
    readonly credentials: string;
    /** What to do when nobody answers. */
    readonly reach: string;
  };
}

/** GKE's DNS endpoints: they show a public certificate, which the cluster's own CA has not signed. */
const GKE_DNS_SUFFIX = '.gke.goog';

/**
 * Refuses an address that could only be spoken to unverified, and drops the cluster's CA where it would make a good
 * certificate look bad (with it, `*.gke.goog` fails as "signed by unknown authority").
 *
 * @throws ClusterError, kind `misconfigured`
 */
export function checkEndpoint(endpoint: Endpoint, source: string): Endpoint {
  const url = readUrl(endpoint.server, source);
  if (url.hostname.endsWith(GKE_DNS_SUFFIX)) {
    return { ...endpoint, ca: undefined };
  }
  if (endpoint.ca === undefined && isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) {
    throw new ClusterError(`${source}: ${endpoint.server} is an IP address without a certificate authority`, {
      kind: 'misconfigured',
      remedy:
        'no public authority vouches for an IP address: add certificate-authority-data to the kubeconfig that `cluster` names, or use the DNS endpoint',
    });
  }
  return endpoint;
}

function readUrl(server: string, source: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.protocol !== 'https:') {
    throw new ClusterError(`${source}: ${server} is not an https address`, {
      kind: 'misconfigured',
      remedy:
        'credentials are sent over verified TLS only: give `cluster` a server that starts with https://',
    });
  }
  return url;
}
