/** A cluster by kubeconfig: for trying the product on any cluster from a laptop. */
import { X509Certificate } from 'node:crypto';
import type { RequestOptions } from 'node:https';
import { delimiter } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { ClusterTarget } from '../config/settings.ts';
import { ClusterError } from '../errors.ts';
import type { FailureKind } from '../errors.ts';
import { checkEndpoint } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { orStop } from './stopping.ts';

export type KubeconfigTarget = Extract<ClusterTarget, { kind: 'kubeconfig' }>;

/** A credentials plugin that asks its user something would wait for ever. */
const PLUGIN_MILLIS = 20_000;

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
  const options = await readCredentials(config, source, signal);
  return checkEndpoint(
    {
      server,
      ca: readAuthority(options.ca, source),
      clientCertificate: readClientCertificate(options),
      serverName: options.servername,
      proxyUrl: readProxy(proxyUrl, source),
      headers: readHeaders(options),
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

/** Like kubectl, of several files those that are missing are passed over, and of two entries the first counts. */
async function loadFiles(path: string): Promise<KubeConfig> {
  const client = await import('@kubernetes/client-node/dist/config.js');
  const files = path.split(delimiter).filter((file) => file !== '');
  const loaded: KubeConfig[] = [];
  let missing: unknown;
  for (const file of files) {
    const config = new client.KubeConfig();
    try {
      config.loadFromFile(file);
      loaded.push(config);
    } catch (cause) {
      if (!isMissing(cause)) {
        throw refuse(`kubeconfig ${file} cannot be read`, remedyFor(cause), cause);
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
  return REMEDIES[code] ?? `correct it: ${firstLine(cause)}`;
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

/** Runs a credentials plugin when the user entry has one. */
async function readCredentials(
  config: KubeConfig,
  source: string,
  signal: AbortSignal,
): Promise<RequestOptions> {
  const options: RequestOptions = {};
  const tooLong = AbortSignal.timeout(PLUGIN_MILLIS);
  try {
    await orStop(config.applyToHTTPSOptions(options), AbortSignal.any([signal, tooLong]), () => {
      const kind: FailureKind = signal.aborted ? 'aborted' : 'timeout';
      return new ClusterError(`${source}: its credentials plugin does not answer`, {
        kind,
        remedy: pluginRemedy(config),
      });
    });
    return options;
  } catch (cause) {
    throw cause instanceof ClusterError ? cause : credentialsFailure(config, source, cause);
  }
}

function credentialsFailure(config: KubeConfig, source: string, cause: unknown): ClusterError {
  const kind: FailureKind = isFileTrouble(cause) ? 'misconfigured' : 'unauthenticated';
  return new ClusterError(`${source}: its credentials cannot be had: ${firstLine(cause)}`, {
    kind,
    remedy: pluginRemedy(config),
    cause,
  });
}

/** A certificate, key or token file that is not there, or a plugin that is not installed. */
function isFileTrouble(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string';
}

function pluginRemedy(config: KubeConfig): string {
  return `make \`kubectl --context ${config.getCurrentContext()} get nodes\` work first: it uses the same user entry`;
}

function readAuthority(ca: RequestOptions['ca'], source: string): string | undefined {
  if (ca === undefined) {
    return undefined;
  }
  const pem = textOf(ca);
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

function readClientCertificate({ cert, key }: RequestOptions): Endpoint['clientCertificate'] {
  return cert === undefined || key === undefined ? undefined : { cert: textOf(cert), key: textOf(key) };
}

/** client-node gives a Buffer or text; the wider types are Node's. */
function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('utf8') : String(value);
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

function readHeaders({ headers, auth }: RequestOptions): Readonly<Record<string, string>> {
  const named = Array.isArray(headers) ? [] : Object.entries(headers ?? {});
  const known = named.map(([name, value]) => [name, String(value)] as const);
  const basic =
    typeof auth === 'string' ? { Authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {};
  return { ...basic, ...Object.fromEntries(known) };
}

function adviceFor(config: KubeConfig, target: KubeconfigTarget): Endpoint['advice'] {
  const context = config.getCurrentContext();
  const command = `kubectl --kubeconfig ${target.path} --context ${context} get nodes`;
  return {
    credentials: `the credentials of context ${context} are missing or have expired: log in again until \`${command}\` works`,
    reach: `check that the API server is up and can be reached from here (VPN, proxy, firewall): \`${command}\``,
  };
}

function firstLine(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.trim().split('\n')[0]?.slice(0, 200) ?? '';
}

function refuse(message: string, remedy: string, cause?: unknown): ClusterError {
  return new ClusterError(message, { kind: 'misconfigured', remedy, cause });
}
