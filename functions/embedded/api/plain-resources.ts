/** Kinds that the model keeps and shows but does not act on: accounts, rights, settings. */
import type { ClusterModel } from '../model.ts';
import { keyOf } from '../model.ts';
import type { JsonObject, Meta } from '../objects.ts';
import { orUndefined } from './core-resources.ts';
import { renderMeta } from './render.ts';
import type { Handle, Resource } from './resource.ts';
import { mapIterable } from './resource.ts';

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1', shortNames: [] } as const;
const CORE = { group: '', version: 'v1', isNamespaced: true } as const;

interface Plain {
  readonly meta: Meta;
  body: JsonObject;
}

const KINDS = [
  { ...RBAC, plural: 'roles', singular: 'role', kind: 'Role', isNamespaced: true },
  { ...RBAC, plural: 'rolebindings', singular: 'rolebinding', kind: 'RoleBinding', isNamespaced: true },
  { ...RBAC, plural: 'clusterroles', singular: 'clusterrole', kind: 'ClusterRole', isNamespaced: false },
  {
    ...RBAC,
    plural: 'clusterrolebindings',
    singular: 'clusterrolebinding',
    kind: 'ClusterRoleBinding',
    isNamespaced: false,
  },
  { ...CORE, plural: 'configmaps', singular: 'configmap', kind: 'ConfigMap', shortNames: ['cm'] },
  {
    ...CORE,
    plural: 'serviceaccounts',
    singular: 'serviceaccount',
    kind: 'ServiceAccount',
    shortNames: ['sa'],
  },
  {
    ...CORE,
    plural: 'resourcequotas',
    singular: 'resourcequota',
    kind: 'ResourceQuota',
    shortNames: ['quota'],
  },
] as const;

export function plainResources(model: ClusterModel): readonly Resource[] {
  return KINDS.map((names) => {
    const objects = new Map<string, Plain>();
    const handle = (object: Plain): Handle => ({
      meta: object.meta,
      render: () => ({ ...object.body, metadata: renderMeta(object.meta) }),
      update: (document) => {
        object.body = bodyOf(document);
      },
      updateStatus: undefined,
      changed: () => {
        model.touch(object.meta);
      },
      remove: () => {
        objects.delete(keyOf(object.meta.namespace, object.meta.name));
        model.touch(object.meta);
      },
    });
    return {
      ...names,
      list: () => mapIterable(objects.values(), handle),
      find: (namespace, name) => orUndefined(objects.get(keyOf(namespace, name)), handle),
      create: (document, meta) => {
        const object: Plain = { meta: model.newMeta(meta), body: bodyOf(document) };
        objects.set(keyOf(meta.namespace ?? '', meta.name), object);
        return handle(object);
      },
    };
  });
}

/** What is the object's own: neither its type nor its metadata. */
function bodyOf(document: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(document).filter(([key]) => !['apiVersion', 'kind', 'metadata'].includes(key)),
  );
}
