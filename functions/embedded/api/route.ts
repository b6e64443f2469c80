/** What a URL of the Kubernetes API speaks of. */
import type { Resource } from './resource.ts';

export interface Route {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** Undefined for a path that names none of the resources. */
export function parseRoute(path: string, resources: readonly Resource[]): Route | undefined {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decode);
  const [root, ...afterRoot] = parts;
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'api' ? '' : (afterRoot[0] ?? '');
  const [version, ...rest] = root === 'api' ? afterRoot : afterRoot.slice(1);
  const find = (plural: string | undefined): Resource | undefined =>
    resources.find((each) => each.group === group && each.version === version && each.plural === plural);

  // `namespaces/NS/pods` is about pods; `namespaces/NS` and `namespaces/NS/status` are about a namespace.
  const inside = rest[0] === 'namespaces' ? find(rest[2]) : undefined;
  if (inside?.isNamespaced === true) return route(inside, rest[1], rest.slice(3));
  const resource = find(rest[0]);
  return resource === undefined ? undefined : route(resource, undefined, rest.slice(1));
}

function route(
  resource: Resource,
  namespace: string | undefined,
  rest: readonly (string | undefined)[],
): Route | undefined {
  const [name, subresource, ...more] = rest;
  return more.length > 0 ? undefined : { resource, namespace, name, subresource };
}

/** A path that cannot be decoded names nothing. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
