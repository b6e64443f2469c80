import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

import type { KubernetesObject, RoleObject } from './installation.ts';

const SCRIPT = join(import.meta.dirname, '..', '..', 'scripts', 'render-cluster-yaml.sh');
const EMAIL = 'autoscaler@my-project.iam.gserviceaccount.com';
const ACCOUNT = ['--service-account', EMAIL, '--unique-id', '104857600'];

function render(flags: readonly string[]) {
  return spawnSync('sh', [SCRIPT, ...flags], { encoding: 'utf8' });
}

function renderObjects(flags: readonly string[]): readonly KubernetesObject[] {
  return parseAllDocuments(render(flags).stdout).map((document) => document.toJS() as KubernetesObject);
}

function placesOf(objects: readonly KubernetesObject[]): readonly string[] {
  return objects.map(
    ({ kind, metadata }) => `${kind} ${[metadata.namespace, metadata.name].filter(Boolean).join('/')}`,
  );
}

describe('render-cluster-yaml.sh', () => {
  it('prints every object with the account filled in', () => {
    expect(placesOf(renderObjects(ACCOUNT))).toEqual([
      'Namespace node-placeholder',
      'PriorityClass node-placeholder',
      'PodDisruptionBudget node-placeholder/node-placeholder-cold',
      'ClusterRole calendar-node-pool-autoscaler',
      'ClusterRoleBinding calendar-node-pool-autoscaler',
      'Role node-placeholder/calendar-node-pool-autoscaler',
      'RoleBinding node-placeholder/calendar-node-pool-autoscaler',
    ]);
    expect(render(ACCOUNT).stdout).not.toMatch(/SERVICE_ACCOUNT/);
  });

  it('binds both roles to the account by its e-mail and by its number', () => {
    const bindings = renderObjects(ACCOUNT).filter(({ kind }) => kind.endsWith('RoleBinding'));
    const names = bindings.map((binding) =>
      (binding as KubernetesObject & { subjects: { name: unknown }[] }).subjects.map(({ name }) => name),
    );
    expect(names).toEqual([
      [EMAIL, '104857600'],
      [EMAIL, '104857600'],
    ]);
  });

  it('moves everything to another namespace and another priority class', () => {
    const objects = renderObjects([...ACCOUNT, '--namespace', 'spare', '--priority-class', 'spare-class']);
    expect(placesOf(objects)).toEqual([
      'Namespace spare',
      'PriorityClass spare-class',
      'PodDisruptionBudget spare/node-placeholder-cold',
      'ClusterRole calendar-node-pool-autoscaler',
      'ClusterRoleBinding calendar-node-pool-autoscaler',
      'Role spare/calendar-node-pool-autoscaler',
      'RoleBinding spare/calendar-node-pool-autoscaler',
    ]);
    const clusterRole = objects[3] as RoleObject;
    expect(clusterRole.rules.flatMap(({ resourceNames }) => resourceNames ?? [])).toEqual(['spare-class']);
  });

  it('leaves the rights out for those who have them already', () => {
    const objects = renderObjects(['--without-rights', '--namespace', 'spare']);
    expect(placesOf(objects)).toEqual([
      'Namespace spare',
      'PriorityClass node-placeholder',
      'PodDisruptionBudget spare/node-placeholder-cold',
    ]);
  });

  it.each([
    [
      'an account that is left out',
      [...ACCOUNT, '--without-rights'],
      '--without-rights leaves the account out',
    ],
    ['no account', ['--unique-id', '1'], '--service-account must be an e-mail address'],
    ['no number', ['--service-account', EMAIL], '--unique-id must be digits'],
    [
      'a number that is none',
      ['--service-account', EMAIL, '--unique-id', '12x'],
      '--unique-id must be digits',
    ],
    [
      'an account that would write YAML of its own',
      ['--service-account', 'a@b\n    name: admin', '--unique-id', '1'],
      '--service-account must be an e-mail address',
    ],
    [
      'an account that would end the substitution',
      ['--service-account', 'a@b/;d', '--unique-id', '1'],
      '--service-account must be an e-mail address',
    ],
    ['a namespace that is none', [...ACCOUNT, '--namespace', 'Spare_1'], '--namespace is no namespace'],
    ['a priority class that is none', [...ACCOUNT, '--priority-class', 'A b'], '--priority-class is no'],
    ['a flag without its value', ['--service-account'], '--service-account needs a value'],
    ['an unknown flag', ['--account', EMAIL], 'unknown option: --account'],
  ])('refuses %s and prints nothing', (_name, flags, message) => {
    const { status, stdout, stderr } = render(flags);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('explains itself', () => {
    const { status, stdout } = render(['--help']);
    expect(status).toBe(0);
    expect(stdout).toContain('kubectl apply --server-side -f -');
  });
});
