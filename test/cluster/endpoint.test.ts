import { describe, expect, test } from 'vitest';
import { checkEndpoint } from '../../functions/cluster/endpoint.ts';
import type { Endpoint } from '../../functions/cluster/endpoint.ts';
import { endpointAt, TEST_CA } from './loopback-server.ts';

const at = (server: string, ca: string | undefined): Endpoint => ({ ...endpointAt(443), server, ca });

describe('which authority vouches for an address', () => {
  test.each<{ name: string; server: string; ca: string | undefined; expected: string | undefined }>([
    {
      name: 'a DNS endpoint of GKE with the cluster’s CA: public roots, CA dropped',
      server: 'https://gke-abc.europe-west4.gke.goog',
      ca: TEST_CA,
      expected: undefined,
    },
    {
      name: 'a DNS endpoint of GKE without',
      server: 'https://gke-abc.europe-west4.gke.goog',
      ca: undefined,
      expected: undefined,
    },
    {
      name: 'an IP address with the cluster’s CA',
      server: 'https://203.0.113.7',
      ca: TEST_CA,
      expected: TEST_CA,
    },
    {
      name: 'an IPv6 address with the cluster’s CA',
      server: 'https://[2001:db8::1]:6443',
      ca: TEST_CA,
      expected: TEST_CA,
    },
    {
      name: 'a name with a CA of its own',
      server: 'https://api.example:6443',
      ca: TEST_CA,
      expected: TEST_CA,
    },
    {
      name: 'a name without: public roots',
      server: 'https://api.example',
      ca: undefined,
      expected: undefined,
    },
    {
      name: 'a name that only looks like GKE’s',
      server: 'https://gke.goog.example',
      ca: TEST_CA,
      expected: TEST_CA,
    },
  ])('$name', ({ server, ca, expected }) => {
    expect(checkEndpoint(at(server, ca), 'context x')).toEqual(at(server, expected));
  });

  test.each([
    ['an IP address without a CA', 'https://203.0.113.7', 'certificate-authority-data'],
    ['an IPv6 address without a CA', 'https://[2001:db8::1]:6443', 'certificate-authority-data'],
    ['plain http', 'http://localhost:8080', 'https://'],
    ['no address at all', 'localhost:8080', 'https://'],
    ['nothing', '', 'https://'],
  ])('%s is refused as a matter of the config', (_, server, fix) => {
    expect(() => checkEndpoint(at(server, undefined), 'context x')).toThrow(
      expect.objectContaining({
        name: 'ClusterError',
        kind: 'misconfigured',
        message: expect.stringContaining('context x') as string,
        remedy: expect.stringContaining(fix) as string,
      }) as Error,
    );
  });
});
