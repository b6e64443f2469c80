/** What an administrator applies before the job may work: the project's own YAML, rendered by its own script. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { parseAllDocuments } from 'yaml';

import type { AdminClient } from './admin-client.ts';
import { emailOf, UNIQUE_ID, type JobUserName } from './files.ts';

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export interface RoleObject extends KubernetesObject {
  readonly rules: readonly Rule[];
}

const SCRIPT = join(import.meta.dirname, '..', '..', 'scripts', 'render-cluster-yaml.sh');
const PLURALS: Readonly<Record<string, string>> = {
  Namespace: 'namespaces',
  PriorityClass: 'priorityclasses',
  PodDisruptionBudget: 'poddisruptionbudgets',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
};

/**
 * The rendered YAML for one job user. Cluster-wide roles get the user's name behind theirs, since several
 * installations share the one control plane of the tests.
 */
export function renderInstallation(user: JobUserName, namespace: string): readonly KubernetesObject[] {
  const flags = ['--service-account', emailOf(user), '--unique-id', UNIQUE_ID, '--namespace', namespace];
  const text = execFileSync('sh', [SCRIPT, ...flags], { encoding: 'utf8' });
  return parseAllDocuments(text.replaceAll('calendar-node-pool-autoscaler\n', `autoscaler-${user}\n`)).map(
    (document) => document.toJS() as KubernetesObject,
  );
}

export async function applyObject(admin: AdminClient, object: KubernetesObject): Promise<void> {
  const plural = PLURALS[object.kind];
  if (plural === undefined) throw new Error(`no path for a ${object.kind}`);
  const { name, namespace } = object.metadata;
  const root = object.apiVersion.includes('/') ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`;
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  await admin.apply(`${root}${scope}/${plural}/${name}`, object);
}

export interface Access {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
  /** Undefined: the whole cluster. */
  readonly namespace?: string;
}

/** What the API server's authorizer would say; roles reach it a moment after they are stored. */
export async function isAllowed(admin: AdminClient, user: JobUserName, access: Access): Promise<boolean> {
  const { status } = await admin.create<{ readonly status: { readonly allowed: boolean } }>(
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: emailOf(user), resourceAttributes: access },
    },
  );
  return status.allowed;
}

/** Applies the rendered YAML as `kubectl apply --server-side` would. */
export async function install(admin: AdminClient, user: JobUserName, namespace: string): Promise<void> {
  for (const object of renderInstallation(user, namespace)) await applyObject(admin, object);
}
