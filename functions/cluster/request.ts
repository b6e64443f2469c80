/** One request to the API server, with what a message about it needs to say. */

export type Verb = 'list' | 'get' | 'apply' | 'patch';

/** A kind of object, as RBAC and URLs name it. */
export interface Resource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly name: string;
}

export const NODES: Resource = { group: '', version: 'v1', name: 'nodes' };
export const PODS: Resource = { group: '', version: 'v1', name: 'pods' };
export const DEPLOYMENTS: Resource = { group: 'apps', version: 'v1', name: 'deployments' };
export const PRIORITY_CLASSES: Resource = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  name: 'priorityclasses',
};
export const DISRUPTION_BUDGETS: Resource = { group: 'policy', version: 'v1', name: 'poddisruptionbudgets' };

export interface Target {
  readonly verb: Verb;
  readonly resource: Resource;
  /** Undefined: of the whole cluster. */
  readonly namespace: string | undefined;
  /** Undefined for a list. */
  readonly name: string | undefined;
}

export interface ApiRequest extends Target {
  readonly method: 'GET' | 'PATCH';
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

export function getRequest(target: Target, query: Query = {}): ApiRequest {
  const headers = { accept: 'application/json' };
  return { ...target, method: 'GET', path: pathOf(target) + queryText(query), headers, body: undefined };
}

function pathOf(target: Target): string {
  const { group, version, name } = target.resource;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const place = target.namespace === undefined ? '' : `/namespaces/${encodeURIComponent(target.namespace)}`;
  const object = target.name === undefined ? '' : `/${encodeURIComponent(target.name)}`;
  return `${root}${place}/${name}${object}`;
}

function queryText(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) {
      parameters.set(key, String(value));
    }
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** `list pods`, `apply deployment node-placeholder/base-placeholder`: for messages. */
export function describeTarget(target: Target): string {
  const object = target.name === undefined ? target.resource.name : singular(target.resource.name);
  const place = [target.namespace, target.name].filter((part) => part !== undefined).join('/');
  return place === '' ? `${target.verb} ${object}` : `${target.verb} ${object} ${place}`;
}

function singular(plural: string): string {
  return plural.replace(/(?:(ss)e)?s$/, '$1');
}

/** The rule that allows it, as it stands in a Role or ClusterRole. */
export function describeRight(target: Target): string {
  // Server-side apply of an object that does not exist yet is checked as a create as well.
  const verbs = target.verb === 'apply' ? ['create', 'patch'] : [target.verb];
  const { group, name } = target.resource;
  const rule = `{apiGroups: ["${group}"], resources: ["${name}"], verbs: ${JSON.stringify(verbs)}}`;
  return target.namespace === undefined
    ? `${rule} in a ClusterRole`
    : `${rule} in a Role of ${target.namespace}`;
}
