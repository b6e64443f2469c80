/**
 * Patches through @kubernetes/client-node, which writes the request; our transport carries it, so that a pass has one
 * connection, one count and one way to fail. The client is loaded with the first write: a quiet pass does without it
 * (it takes longer to load than such a pass to run).
 */
import type { RequestContext, ResponseContext } from '@kubernetes/client-node';
import { FIELD_MANAGER } from '../domain/placeholder.ts';
import { MalformedError } from './failure.ts';
import { parseObject } from './get.ts';
import type { Target } from './request.ts';
import { readText } from './transport.ts';
import type { Answer, Transport } from './transport.ts';

type ClientNode = typeof import('@kubernetes/client-node');

/** Named after client-node's own list of patch content types. */
export type Strategy = 'ServerSideApply' | 'MergePatch' | 'JsonPatch';

export interface Patch {
  readonly target: Target & { readonly namespace: string; readonly name: string };
  readonly strategy: Strategy;
  readonly body: unknown;
}

export interface Patched {
  readonly status: number;
  readonly resourceVersion: string | undefined;
}

const ANSWER_BYTES = 4_194_304;

/** What client-node wants of an address; only the path of what it makes is used. */
const ANY_SERVER = 'https://any.invalid';

/** @throws ClusterError */
export async function sendPatch(transport: Transport, patch: Patch, signal: AbortSignal): Promise<Patched> {
  const client = await import('@kubernetes/client-node');
  const configuration = client.createConfiguration({
    baseServer: new client.ServerConfiguration(ANY_SERVER, {}),
    httpApi: client.wrapHttpLibrary({
      send: (context) =>
        transport.exchange(toRequest(context, patch.target), signal, (answer) =>
          toResponse(client, answer, patch.target.name),
        ),
    }),
  });
  const { name, namespace } = patch.target;
  const parameters = {
    ...{ name, namespace, body: patch.body, fieldManager: FIELD_MANAGER },
    // The server refuses the flag on any other patch.
    ...(patch.strategy === 'ServerSideApply' ? { force: true } : {}),
  };
  const options = client.setHeaderOptions('Content-Type', client.PatchStrategy[patch.strategy]);
  const response =
    patch.target.resource.name === 'pods'
      ? await new client.CoreV1Api(configuration).patchNamespacedPodWithHttpInfo(parameters, options)
      : await new client.AppsV1Api(configuration).patchNamespacedDeploymentWithHttpInfo(parameters, options);
  return { status: response.httpStatusCode, resourceVersion: response.data.metadata?.resourceVersion };
}

function toRequest(context: RequestContext, target: Target): Parameters<Transport['exchange']>[0] {
  const { pathname, search } = new URL(context.getUrl());
  const body = context.getBody();
  return {
    ...target,
    method: 'PATCH',
    path: pathname + search,
    headers: context.getHeaders(),
    body: typeof body === 'string' ? body : undefined,
  };
}

async function toResponse(client: ClientNode, answer: Answer, name: string): Promise<ResponseContext> {
  const text = await readText(answer.body, ANSWER_BYTES);
  assertIsObject(parseObject(text), name);
  return new client.ResponseContext(
    answer.status,
    { 'content-type': 'application/json' },
    {
      text: () => Promise.resolve(text),
      binary: () => Promise.resolve(Buffer.from(text)),
      stream: () => null,
    },
  );
}

/**
 * An API server answers a patch with the object as it is now. Anything else with a status of success was not said by
 * one, and is no sign that the write was done. @throws MalformedError
 */
function assertIsObject(answer: object, name: string): void {
  const metadata: unknown = 'metadata' in answer ? answer.metadata : undefined;
  const isIt =
    typeof metadata === 'object' &&
    metadata !== null &&
    'name' in metadata &&
    metadata.name === name &&
    'resourceVersion' in metadata;
  if (!isIt) {
    throw new MalformedError(`the answer to the patch is not ${name}`);
  }
}
