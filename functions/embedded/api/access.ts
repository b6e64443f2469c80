/** Who asks, by bearer token, and whether the Roles and bindings that stand in the cluster let him. */
import { isObject, listAt, objectAt, textAt } from '../json.ts';
import type { JsonObject, JsonValue } from '../objects.ts';
import { refuse } from '../refusal.ts';
import type { Resource } from './resource.ts';
import { qualifiedName } from './resource.ts';
import type { Route } from './route.ts';

export interface User {
  readonly name: string;
  /** `system:masters` may do everything. */
  readonly groups?: readonly string[];
}

export type Users = Readonly<Record<string, User>>;

const VERB_OF: Readonly<Record<string, string>> = {
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
  POST: 'create',
};

/** @throws RefusalError 401 for a token that nobody has. */
export function authenticate(users: Users, authorization: string | undefined): User {
  const token = /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '';
  const user = Object.hasOwn(users, token) ? users[token] : undefined;
  return user ?? refuse(401, 'Unauthorized', 'Unauthorized');
}

export function verbOf(method: string, route: Route): string {
  if (route.name !== undefined) return VERB_OF[method] ?? 'get';
  if (method === 'DELETE') return 'deletecollection';
  return method === 'POST' ? 'create' : 'list';
}

/** @throws RefusalError 403 in the API server's words when no rule allows it. */
export function authorize(
  user: User,
  method: string,
  access: { readonly route: Route; readonly resources: readonly Resource[] },
): void {
  if (user.groups?.includes('system:masters') === true) return;
  const { route } = access;
  const verb = verbOf(method, route);
  if (rulesFor(user, route.namespace, access.resources).some((rule) => permits(rule, verb, route))) return;
  const { resource, namespace, name, subresource } = route;
  const object = name === undefined ? '' : ` "${name}"`;
  const place = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const what = subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`;
  refuse(
    403,
    'Forbidden',
    `${qualifiedName(resource)}${object} is forbidden: User "${user.name}" cannot ${verb} resource "${what}" in API group "${resource.group}" ${place}`,
  );
}

function permits(rule: JsonObject, verb: string, route: Route): boolean {
  const { resource, subresource, name } = route;
  const what = subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`;
  const names = listAt(rule, 'resourceNames');
  return (
    hasAny(rule, 'verbs', verb) &&
    hasAny(rule, 'apiGroups', resource.group) &&
    hasAny(rule, 'resources', what) &&
    (names.length === 0 || (name !== undefined && names.includes(name)))
  );
}

function hasAny(rule: JsonObject, key: string, value: string): boolean {
  const values: readonly JsonValue[] = listAt(rule, key);
  return values.includes(value) || values.includes('*');
}

/** Rules of cluster-wide bindings, and of the namespace's own. */
function rulesFor(
  user: User,
  namespace: string | undefined,
  resources: readonly Resource[],
): readonly JsonObject[] {
  const documents = (plural: string): readonly JsonObject[] => {
    const found = resources.find((each) => each.plural === plural);
    return found === undefined ? [] : [...found.list()].map((handle) => handle.render());
  };
  const bindings = [
    ...documents('clusterrolebindings'),
    ...documents('rolebindings').filter((each) => namespaceOf(each) === namespace),
  ];
  return bindings
    .filter((binding) => binds(binding, user))
    .flatMap((binding) => {
      const reference = objectAt(binding, 'roleRef');
      const plural = reference['kind'] === 'ClusterRole' ? 'clusterroles' : 'roles';
      const role = documents(plural).find(
        (each) =>
          objectAt(each, 'metadata')['name'] === reference['name'] &&
          (plural === 'clusterroles' || namespaceOf(each) === namespaceOf(binding)),
      );
      return role === undefined ? [] : listAt(role, 'rules').filter(isObject);
    });
}

function namespaceOf(document: JsonObject): string | undefined {
  return textAt(objectAt(document, 'metadata'), 'namespace');
}

function binds(binding: JsonObject, user: User): boolean {
  return listAt(binding, 'subjects')
    .filter(isObject)
    .some((subject) => {
      const name = textAt(subject, 'name') ?? '';
      if (subject['kind'] === 'User') return name === user.name;
      return subject['kind'] === 'Group' && user.groups?.includes(name) === true;
    });
}
