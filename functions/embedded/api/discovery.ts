/** What clients ask before they ask for anything: versions, groups and resources. Enough for kubectl. */
import type { JsonObject, JsonValue } from '../objects.ts';
import type { Resource } from './resource.ts';
import { apiVersionOf } from './resource.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update'];
/** Without it `kubectl drain` deletes, and no budget is asked. */
const EVICTION: JsonObject = {
  name: 'pods/eviction',
  singularName: '',
  namespaced: true,
  group: 'policy',
  version: 'v1',
  kind: 'Eviction',
  verbs: ['create'],
};
/** The version whose answers the model follows. */
export const SERVER_VERSION = 'v1.36.3';

/** Undefined for a path that is not about discovery. */
export function discover(path: string, resources: readonly Resource[]): JsonObject | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  if (path === '/version') return version();
  if (parts[0] === 'openapi') return openApi(parts, resources);
  if (parts[0] === 'api') return discoverCore(parts, resources);
  return parts[0] === 'apis' ? discoverGroups(parts, resources) : undefined;
}

function discoverCore(parts: readonly string[], resources: readonly Resource[]): JsonObject | undefined {
  if (parts.length === 1) {
    return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  }
  return parts.length === 2 && parts[1] === 'v1' ? resourceList('v1', resources) : undefined;
}

function discoverGroups(parts: readonly string[], resources: readonly Resource[]): JsonObject | undefined {
  const [, group, version] = parts;
  const groups = [...new Set(resources.map((each) => each.group))].filter((each) => each !== '');
  if (group === undefined)
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(describeGroup) };
  if (parts.length > 3 || !groups.includes(group)) return undefined;
  if (version === undefined) return { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(group) };
  return version === 'v1' ? resourceList(`${group}/v1`, resources) : undefined;
}

function describeGroup(name: string): JsonObject {
  const version = { groupVersion: `${name}/v1`, version: 'v1' };
  return { name, versions: [version], preferredVersion: version };
}

function resourceList(groupVersion: string, resources: readonly Resource[]): JsonObject {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion,
    resources: [
      ...resources
        .filter((each) => apiVersionOf(each) === groupVersion)
        .map((each) => ({
          name: each.plural,
          singularName: each.singular,
          namespaced: each.isNamespaced,
          kind: each.kind,
          verbs: VERBS,
          shortNames: each.shortNames,
        })),
      ...(groupVersion === 'v1' ? [EVICTION] : []),
    ],
  };
}

function version(): JsonObject {
  return { major: '1', minor: '36', gitVersion: SERVER_VERSION, platform: 'linux/amd64' };
}

/** Only what `kubectl apply` looks up: that patches of a kind take `fieldValidation` and `dryRun`. */
function openApi(parts: readonly string[], resources: readonly Resource[]): JsonObject | undefined {
  if (parts[1] !== 'v3') return undefined;
  const versions = [...new Set(resources.map(apiVersionOf))];
  const pathOf = (apiVersion: string): string => (apiVersion === 'v1' ? 'api/v1' : `apis/${apiVersion}`);
  if (parts.length === 2) {
    const paths = versions.map((each): [string, JsonValue] => [
      pathOf(each),
      { serverRelativeURL: `/openapi/v3/${pathOf(each)}` },
    ]);
    return { paths: Object.fromEntries(paths) };
  }
  const wanted = parts.slice(2).join('/');
  const served = resources.filter((each) => pathOf(apiVersionOf(each)) === wanted);
  if (served.length === 0) return undefined;
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: SERVER_VERSION },
    components: { schemas: {} },
    paths: Object.fromEntries(
      served.map((each) => [openApiPath(each, wanted), { patch: patchOperation(each) }]),
    ),
  };
}

function openApiPath(resource: Resource, root: string): string {
  return `/${root}/${resource.isNamespaced ? 'namespaces/{namespace}/' : ''}${resource.plural}/{name}`;
}

function patchOperation(resource: Resource): JsonObject {
  return {
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': {
      group: resource.group,
      version: resource.version,
      kind: resource.kind,
    },
    parameters: ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => ({ name, in: 'query' })),
  };
}
