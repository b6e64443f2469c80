/** The `scale` subresource: the replicas of a Deployment and nothing else. */
import { numberAt, objectAt } from '../json.ts';
import type { JsonObject } from '../objects.ts';

export function renderScale(document: JsonObject): JsonObject {
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: objectAt(document, 'metadata'),
    spec: { replicas: numberAt(objectAt(document, 'spec'), 'replicas') ?? 0 },
    status: { replicas: numberAt(objectAt(document, 'status'), 'replicas') ?? 0 },
  };
}

/** The Deployment with the replicas that a Scale states. */
export function readScale(live: JsonObject, scale: JsonObject): JsonObject {
  const replicas = numberAt(objectAt(scale, 'spec'), 'replicas') ?? 0;
  return { ...live, spec: { ...objectAt(live, 'spec'), replicas } };
}
