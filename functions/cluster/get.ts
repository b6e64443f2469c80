/** Reads single objects. */
import { ClusterError } from '../errors.ts';
import { MalformedError } from './failure.ts';
import { getRequest } from './request.ts';
import type { Target } from './request.ts';
import { readText } from './transport.ts';
import type { Answer, Transport } from './transport.ts';

/** etcd takes no object larger than 1.5 MiB. */
const OBJECT_BYTES = 4_194_304;

export type GetTarget = Target & { readonly verb: 'get'; readonly name: string };

/** @throws ClusterError */
export function getObject(transport: Transport, target: GetTarget, signal: AbortSignal): Promise<object> {
  return transport.exchange(getRequest(target), signal, readObject);
}

/** Being missing, or not being allowed to look, is an answer here and not an error. @throws ClusterError */
export async function findObject(
  transport: Transport,
  target: GetTarget,
  signal: AbortSignal,
): Promise<object | 'missing' | 'forbidden'> {
  try {
    return await getObject(transport, target, signal);
  } catch (error) {
    if (error instanceof ClusterError && error.kind === 'notFound') {
      return 'missing';
    }
    if (error instanceof ClusterError && error.kind === 'forbidden') {
      return 'forbidden';
    }
    throw error;
  }
}

async function readObject(answer: Answer): Promise<object> {
  return parseObject(await readText(answer.body, OBJECT_BYTES));
}

/** @throws MalformedError */
export function parseObject(text: string): object {
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null) {
    throw new MalformedError('the answer is not a JSON object');
  }
  return parsed;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MalformedError('the answer is not JSON', { cause });
  }
}
