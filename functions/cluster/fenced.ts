/**
 * Writes that hold only for what was read. The API server checks the resourceVersion that a write carries, so a pass that
 * wakes up late cannot act on an older reading. But that version moves whenever the Deployment's controller
 * writes status, which changes nothing of what was decided upon: on a conflict the object is looked at once more, and if
 * its generation (which counts changes of its spec) is still the one decided upon, the write is sent once more.
 */
import { ClusterError } from '../errors.ts';
import { readDeployment } from '../domain/placeholder.ts';
import type { LiveDeployment } from '../domain/placeholder.ts';
import { getObject } from './get.ts';
import { DEPLOYMENTS } from './request.ts';
import type { Transport } from './transport.ts';

/**
 * On an object that does not exist any version is taken, on one that does this one is never its own. So of two passes
 * that both saw none, the second is refused. (Not 0: that means no condition at all.)
 */
export const ABSENT_RESOURCE_VERSION = '1';

export interface FencedWrite<T> {
  readonly transport: Transport;
  readonly namespace: string;
  readonly name: string;
  /** What the decision was made on; undefined: that there was none. */
  readonly live: LiveDeployment | undefined;
  readonly signal: AbortSignal;
  readonly send: (resourceVersion: string) => Promise<T>;
  /**
   * What to answer when the object is found as it was wanted; undefined when it is not. An attempt whose answer was cut
   * off may have been carried out, and its repetition then meets its own work as a conflict.
   */
  readonly recognise: (now: LiveDeployment) => T | undefined;
}

/** @throws ClusterError, kind `conflict` when the object is no longer what was decided upon. */
export async function writeFenced<T>(write: FencedWrite<T>): Promise<T> {
  try {
    return await write.send(write.live?.resourceVersion ?? ABSENT_RESOURCE_VERSION);
  } catch (error) {
    if (!(error instanceof ClusterError) || error.kind !== 'conflict') {
      throw error;
    }
    const now = await lookAgain(write);
    const outcome = now === undefined ? undefined : write.recognise(now);
    if (outcome !== undefined) {
      return outcome;
    }
    if (now === undefined || !isSameDecision(write.live, now)) {
      throw error;
    }
    return write.send(now.resourceVersion);
  }
}

async function lookAgain({
  transport,
  namespace,
  name,
  signal,
}: FencedWrite<unknown>): Promise<LiveDeployment | undefined> {
  const target = { verb: 'get', resource: DEPLOYMENTS, namespace, name } as const;
  try {
    return readDeployment(await getObject(transport, target, signal));
  } catch (error) {
    if (error instanceof ClusterError && error.kind === 'notFound') {
      return undefined;
    }
    // Not being allowed to look is passed on: its message names the right, a mere conflict would hide it for ever.
    throw error;
  }
}

function isSameDecision(live: LiveDeployment | undefined, now: LiveDeployment): boolean {
  return live?.uid === now.uid && live.generation === now.generation;
}
