/** A cluster by kubeconfig: for trying the product on any cluster from a laptop. */
import { X509Certificate } from 'node:crypto';
import { delimiter } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { ClusterTarget } from '../config/settings.ts';
import { ClusterError } from '../errors.ts';
import { checkEndpoint } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { firstLine, readCredentials } from './kubeconfig-credentials.ts';

export type KubeconfigTarget = Extract<ClusterTarget, { kind: 'kubeconfig' }>;

/** @throws ClusterError, one line that names the setting and the fix. */
export async function readKubeconfig(target: KubeconfigTarget, signal: AbortSignal): Promise<Endpoint> {
  const config = selectContext(await loadFiles(target.path), target);
  const { server, skipTLSVerify, proxyUrl } = clusterOf(config, target);
  const source = describe(config, target);
  if (skipTLSVerify) {
    throw refuse(
      `${source} says insecure-skip-tls-verify`,
      'a token is sent over verified TLS only: put certificate-authority-data there instead (`kubectl config set-cluster`)',
    );
  }
  // Before credentials are asked for: client-node refuses some addresses in words of its own.
  checkEndpoint({ ...NOTHING_YET, server, ca: UNREAD_CA }, source);
  const files = filesOf(target.path);
  const { authority, ...credentials } = await readCredentials({ config, files, source }, signal);
  return checkEndpoint(
    {
      server,
      ...credentials,
      ca: readAuthority(authority, source),
      proxyUrl: readProxy(proxyUrl, source),
      advice: adviceFor(config, target),
    },
    source,
  );
}

const UNREAD_CA = '';
const NOTHING_YET = {
  clientCertificate: undefined,
  serverName: undefined,
  proxyUrl: undefined,
  headers: {},
  advice: { credentials: '', reach: '' },
};

function filesOf(path: string): readonly string[] {
  return path.split(delimiter).filter((file) => file !== '');
}

/** Like kubectl, of several files those that are missing are passed over, and of two entries the first counts. */
async function loadFiles(path: string): Promise<KubeConfig> {
  const client = await import('@kubernetes/client-node/dist/config.js');
  const loaded: KubeConfig[] = [];
  let missing: unknown;
  for (const file of filesOf(path)) {
    const config = new client.KubeConfig();
    try {
      config.loadFromFile(file);
      loaded.push(config);
    } catch (cause) {
      if (!isMissing(cause)) {
        throw refuse(`kubeconfig ${file} cannot be read`, remedyFor(cause));
      }
      missing = cause;
    }
  }
  if (loaded.length === 0) {
    throw refuse(
      `there is no kubeconfig at ${path}`,
      '`cluster: kubeconfig` reads the file that KUBECONFIG names, else ~/.kube/config: set it, or write `cluster: projects/…`',
      missing,
    );
  }
  const merged = new client.KubeConfig();
  merged.loadFromOptions({
    clusters: loaded.flatMap((config) => config.getClusters()),
    users: loaded.flatMap((config) => config.getUsers()),
    contexts: loaded.flatMap((config) => config.getContexts()),
    currentContext: loaded.map(currentContextOf).find(isNamed),
  });
  return merged;
}

/** client-node's type promises one; a kubeconfig need not have any. */
function currentContextOf(config: KubeConfig): string | undefined {
  return config.getCurrentContext();
}

function isNamed(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT' && 'path' in cause;
}

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'let the user that runs this read it',
  EISDIR: 'it is a folder: set KUBECONFIG to the file in it',
};

function remedyFor(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  // Quotes, and the lines after the first, show what stands in the file: credentials too.
  return REMEDIES[code] ?? `correct it: ${firstLine(cause).replaceAll(/"[^"]*"|<[^>]*>/g, '…')}`;
}

function selectContext(config: KubeConfig, target: KubeconfigTarget): KubeConfig {
  const wanted = target.context ?? currentContextOf(config);
  const known = config.getContexts().map((context) => context.name);
  if (known.length === 0) {
    throw refuse(
      `${target.path} has no contexts: it is no kubeconfig`,
      'set KUBECONFIG to one (`kubectl config view` shows the one that kubectl uses)',
    );
  }
  if (!isNamed(wanted)) {
    throw refuse(
      `kubeconfig ${target.path} has no current context`,
      `write \`cluster: kubeconfig:CONTEXT\` with one of: ${listNames(known)}`,
    );
  }
  if (!known.includes(wanted)) {
    throw refuse(
      `kubeconfig ${target.path} has no context ${wanted}`,
      `write \`cluster: kubeconfig:CONTEXT\` with one of: ${listNames(known)}`,
    );
  }
  config.setCurrentContext(wanted);
  return config;
}

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, 10).join(', ');
  return `${shown}${names.length > 10 ? ', …' : ''}`;
}

function clusterOf(
  config: KubeConfig,
  target: KubeconfigTarget,
): NonNullable<ReturnType<KubeConfig['getCurrentCluster']>> {
  const cluster = config.getCurrentCluster();
  // Without a user, client-node would leave the cluster's CA aside as well.
  if (cluster === null || config.getCurrentUser() === null) {
    throw refuse(
      `${describe(config, target)} names a ${cluster === null ? 'cluster' : 'user'} that is not there`,
      'correct the context (`kubectl config view`), or name another: `cluster: kubeconfig:CONTEXT`',
    );
  }
  return cluster;
}

function describe(config: KubeConfig, target: KubeconfigTarget): string {
  return `context ${config.getCurrentContext()} of kubeconfig ${target.path}`;
}

function readAuthority(pem: string | undefined, source: string): string | undefined {
  if (pem === undefined) {
    return undefined;
  }
  try {
    new X509Certificate(pem);
    return pem;
  } catch (cause) {
    throw refuse(
      `${source}: its certificate authority is no certificate in PEM form`,
      'correct certificate-authority-data (base64 of PEM) or certificate-authority (a file) in that kubeconfig',
      cause,
    );
  }
}

function readProxy(proxyUrl: string | undefined, source: string): string | undefined {
  if (proxyUrl !== undefined && !/^https?:\/\//.test(proxyUrl)) {
    throw refuse(
      `${source}: proxy-url ${proxyUrl} is not an HTTP proxy`,
      'use an http:// or https:// proxy, or none',
    );
  }
  return proxyUrl;
}

function adviceFor(config: KubeConfig, target: KubeconfigTarget): Endpoint['advice'] {
  const context = config.getCurrentContext();
  const command = `kubectl --kubeconfig ${target.path} --context ${context} get nodes`;
  return {
    credentials: `the credentials of context ${context} are missing or have expired: log in again until \`${command}\` works`,
    reach: `check that the API server is up and can be reached from here (VPN, proxy, firewall): \`${command}\``,
  };
}

function refuse(message: string, remedy: string, cause?: unknown): ClusterError {
  return new ClusterError(message, { kind: 'misconfigured', remedy, cause });
}
