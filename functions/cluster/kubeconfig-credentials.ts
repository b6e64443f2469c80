/** What a user entry of a kubeconfig gives to speak to a cluster with: a plugin, a token, a file of either, a certificate. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { dirname, resolve } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { parse } from 'yaml';
import { ClusterError } from '../errors.ts';
import type { FailureKind } from '../errors.ts';
import { orStop } from '../stopping.ts';
import { fieldOf, textOf } from '../unknown-shape.ts';
import type { Endpoint } from './endpoint.ts';

/** A credentials plugin that asks its user something would wait for ever. */
const PLUGIN_MILLIS = 20_000;

export interface Credentials {
  /** PEM, not looked at yet. */
  readonly authority: string | undefined;
  readonly clientCertificate: Endpoint['clientCertificate'];
  readonly serverName: string | undefined;
  readonly headers: Endpoint['headers'];
}

export interface CredentialsPlace {
  /** With its context chosen. */
  readonly config: KubeConfig;
  /** Those that it was made of, the first to count first. */
  readonly files: readonly string[];
  /** Names the entry in messages. */
  readonly source: string;
}

/** Runs a credentials plugin when the user entry has one. @throws ClusterError */
export async function readCredentials(place: CredentialsPlace, signal: AbortSignal): Promise<Credentials> {
  try {
    const options = await askClient(place, signal);
    const token = await readTokenFile(place);
    const headers = {
      ...readHeaders(options),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    };
    checkHeaders(headers, place);
    return {
      authority: options.ca === undefined ? undefined : pemOf(options.ca),
      clientCertificate: readClientCertificate(options, place),
      serverName: options.servername,
      headers,
    };
  } catch (cause) {
    throw cause instanceof ClusterError ? cause : credentialsFailure(place, cause);
  }
}

async function askClient({ config, source }: CredentialsPlace, signal: AbortSignal): Promise<RequestOptions> {
  const options: RequestOptions = {};
  const tooLong = AbortSignal.timeout(PLUGIN_MILLIS);
  const failure = (): ClusterError => {
    const kind: FailureKind = signal.aborted ? 'aborted' : 'timeout';
    return new ClusterError(`${source}: its credentials plugin does not answer`, {
      kind,
      remedy: remedyFor(config),
    });
  };
  await orStop(config.applyToHTTPSOptions(options), AbortSignal.any([signal, tooLong]), { failure });
  return options;
}

/**
 * client-node knows this key by another name than kubectl. Like kubectl: relative to the kubeconfig, before a token beside
 * it, and without the line's end.
 */
async function readTokenFile({ config, files, source }: CredentialsPlace): Promise<string | undefined> {
  const name = config.getCurrentUser()?.name;
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await readIfThere(file) })));
  // Few have one, and parsing all of them once more is a good part of a pass's start.
  if (!texts.some(({ text }) => text.includes('tokenFile'))) return undefined;
  for (const { file, text } of texts) {
    const entry = usersOf(parseText(text)).find((user) => user.name === name);
    if (entry === undefined) continue;
    const path = textOf(entry.user, 'tokenFile');
    if (path === undefined || path === '') return undefined;
    const token = (await readFile(resolve(dirname(file), path), 'utf8')).trim();
    if (token === '') {
      throw new ClusterError(`${source}: its tokenFile ${path} is empty`, {
        kind: 'misconfigured',
        remedy: remedyFor(config),
      });
    }
    return token;
  }
  return undefined;
}

/** What client-node has read already; one that was missing then is nothing. */
function readIfThere(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

/** The texts of its errors show what stands in the file, and client-node has judged the file already. */
function parseText(text: string): unknown {
  try {
    return parse(text, { logLevel: 'silent' });
  } catch {
    return undefined;
  }
}

function usersOf(config: unknown): readonly { readonly name: unknown; readonly user: unknown }[] {
  const users = fieldOf(config, 'users');
  return Array.isArray(users)
    ? users.map((entry: unknown) => ({ name: fieldOf(entry, 'name'), user: fieldOf(entry, 'user') }))
    : [];
}

function credentialsFailure({ config, source }: CredentialsPlace, cause: unknown): ClusterError {
  // The texts of these quote what the plugin printed, and that may be a token.
  const isNoCredential = cause instanceof SyntaxError || cause instanceof TypeError;
  const words = isNoCredential ? 'its plugin prints no ExecCredential in JSON' : firstLine(cause);
  return new ClusterError(
    `${source}: its credentials cannot be had: ${words === '' ? 'its plugin fails without a word' : words}`,
    {
      kind: isFileTrouble(cause) ? 'misconfigured' : 'unauthenticated',
      remedy: remedyFor(config),
      cause: isNoCredential ? undefined : cause,
    },
  );
}

/** A certificate, key or token file that is not there, or a plugin that is not installed. */
function isFileTrouble(cause: unknown): boolean {
  return textOf(cause, 'code') !== undefined;
}

function remedyFor(config: KubeConfig): string {
  return `make \`kubectl --context ${config.getCurrentContext()} get nodes\` work first: it uses the same user entry`;
}

function readClientCertificate(
  { cert, key }: RequestOptions,
  { config, source }: CredentialsPlace,
): Endpoint['clientCertificate'] {
  if (cert === undefined || key === undefined) return undefined;
  const pair = { cert: pemOf(cert), key: pemOf(key) };
  try {
    new X509Certificate(pair.cert);
    createPrivateKey(pair.key);
    return pair;
  } catch {
    throw new ClusterError(`${source}: its client certificate or the key to it is not in PEM form`, {
      kind: 'misconfigured',
      remedy: remedyFor(config),
    });
  }
}

/** client-node gives a Buffer or text; the wider types are Node's. */
function pemOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('utf8') : String(value);
}

function readHeaders({ headers, auth }: RequestOptions): Readonly<Record<string, string>> {
  const named = Array.isArray(headers) ? [] : Object.entries(headers ?? {});
  const known = named.map(([name, value]) => [name, String(value)] as const);
  const basic =
    typeof auth === 'string' ? { Authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {};
  return { ...basic, ...Object.fromEntries(known) };
}

/** Visible characters, spaces and tabs, as in RFC 9110, 5.5. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function checkHeaders(headers: Readonly<Record<string, string>>, { config, source }: CredentialsPlace): void {
  const wrong = Object.entries(headers).find(([, value]) => !HEADER_VALUE.test(value));
  if (wrong !== undefined) {
    throw new ClusterError(
      `${source}: its ${wrong[0]} header would have a line break or another control character`,
      {
        kind: 'misconfigured',
        remedy: `look for a block (\`|\`) or a stray character in the token; ${remedyFor(config)}`,
      },
    );
  }
}

/** Of an error's text, for messages. */
export function firstLine(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.trim().split('\n')[0]?.slice(0, 200) ?? '';
}
