/** Where a cluster is: the four ways to write it. */
import type { ClusterTarget } from './settings.ts';

const FORMS =
  '`projects/PROJECT/locations/LOCATION/clusters/NAME`, `kubeconfig`, `kubeconfig:CONTEXT` or `embedded`';

const GKE =
  /^(?:\/\/container\.googleapis\.com\/)?projects\/([^/\s]+)\/(?:locations|zones)\/([^/\s]+)\/clusters\/([^/\s]+)$/;

/** Undefined when the text has none of the forms. `kubeconfigPath`: the file that `kubeconfig` stands for. */
export function parseClusterTarget(text: string, kubeconfigPath: string): ClusterTarget | undefined {
  if (text === 'embedded') {
    return { kind: 'embedded' };
  }
  if (text === 'kubeconfig') {
    return { kind: 'kubeconfig', path: kubeconfigPath, context: undefined };
  }
  // Contexts have colons and slashes of their own: everything after the first colon is the name.
  const context = /^kubeconfig:(.+)$/.exec(text)?.[1];
  if (context !== undefined) {
    return { kind: 'kubeconfig', path: kubeconfigPath, context };
  }
  const [, project, location, name] = GKE.exec(text) ?? [];
  return project === undefined || location === undefined || name === undefined
    ? undefined
    : { kind: 'gke', project, location, name };
}

export function checkClusterTarget(text: string): string | undefined {
  if (parseClusterTarget(text, '') !== undefined) {
    return undefined;
  }
  const [, project, location, name] = /^gke_([^_]+)_([^_]+)_(.+)$/.exec(text) ?? [];
  if (project !== undefined && location !== undefined && name !== undefined) {
    return `is a kubectl context; write projects/${project}/locations/${location}/clusters/${name}, or kubeconfig:${text}`;
  }
  return `must be ${FORMS}`;
}
