import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** What a control plane with kwok's nodes is made of; envtest's own folder has only some of them. */
export const PROGRAMS = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kwok',
] as const;

export type ProgramsFound =
  | { readonly kind: 'found'; readonly folder: string }
  | { readonly kind: 'missing'; readonly message: string };

const ROOT = join(import.meta.dirname, '..', '..');

/** Looks in `KUBEBUILDER_ASSETS`, the variable that envtest's users know, else where the build script puts them. */
export function findPrograms(env: Readonly<Record<string, string | undefined>>): ProgramsFound {
  const folder = env['KUBEBUILDER_ASSETS'] ?? join(ROOT, '.cache', 'control-plane');
  const missing = PROGRAMS.filter((name) => !isExecutable(join(folder, name)));
  if (missing.length === 0) return { kind: 'found', folder };
  const message =
    `Tests on a real control plane need ${missing.join(', ')} in ${folder}; ` +
    'scripts/build-control-plane.sh builds them (Go, about eight minutes the first time).';
  return { kind: 'missing', message };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
