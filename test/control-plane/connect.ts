import { ApiCluster } from '../../functions/cluster/api.ts';
import type { Endpoint } from '../../functions/cluster/endpoint.ts';
import type { Cluster } from '../../functions/ports.ts';

export interface Connection {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
  readonly namespace: string;
  readonly pageSize?: number | undefined;
}

/** The product's own adapter at an API server of a test. */
export function connectAdapter(connection: Connection): Cluster {
  const { server, ca, token, namespace, pageSize } = connection;
  const endpoint: Endpoint = {
    server,
    ca,
    clientCertificate: undefined,
    serverName: undefined,
    proxyUrl: undefined,
    headers: { authorization: `Bearer ${token}` },
    advice: { credentials: 'see tokens.csv', reach: 'see the log of the API server' },
  };
  return new ApiCluster({ label: 'the test cluster', endpoint, namespace, pageSize });
}
