import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { loadSettings } from '../../functions/config/load.ts';
import { ConfigError } from '../../functions/errors.ts';
import { CLUSTERS, PAGES } from '../../functions/state/firestore.ts';
import { attribute, blockNames, INFRA, readTerraform, REPOSITORY, variableDefault } from './hcl.ts';
import { headings, readDoc } from './markdown.ts';

const terraform = readTerraform();
const variables = readFileSync(join(INFRA, 'variables.tf'), 'utf8');

function blockOf(text: string, start: string): string {
  const at = text.indexOf(start);
  return text.slice(at, text.indexOf('\n}\n', at));
}

describe('variables', () => {
  const names = blockNames(variables, 'variable');

  test.each(names)('%s has a type and a description', (name) => {
    const block = blockOf(variables, `variable "${name}" {`);
    expect(block).toMatch(/^ {2}description = "\S.{20,}\."$/m);
    expect(block).toMatch(/^ {2}type\s+= /m);
  });

  // A boolean's type is its whole rule.
  test.each(names.filter((name) => !blockOf(variables, `variable "${name}" {`).includes('= bool')))(
    '%s has a rule that refuses a bad value',
    (name) => {
      expect(blockOf(variables, `variable "${name}" {`)).toContain('validation {');
    },
  );

  test('the table in infra/README.md names each with its default, and no other', () => {
    const rows = [...readDoc('infra/README.md').matchAll(/^\| `(\w+)` \| (?:`(.*?)`|required) \|/gm)];
    const documented = rows.map(([, name, fallback]) => [name, fallback]).sort();
    const declared = names.map((name) => [name, variableDefault(variables, name)]).sort();
    expect(documented).toEqual(declared);
  });

  test('the example sets only variables that exist', () => {
    const example = readFileSync(join(INFRA, 'autoscaler.example.tfvars'), 'utf8');
    const set = [...example.matchAll(/^(?:# )?(\w+)\s+= /gm)].map(([, name]) => name);
    expect(set.length).toBeGreaterThan(3);
    expect(names).toEqual(expect.arrayContaining(set));
  });
});

describe('rights', () => {
  test('nothing is given to everybody', () => {
    expect(terraform).not.toMatch(/allUsers|allAuthenticatedUsers/);
  });

  test('no basic role, no role of a whole service where a narrower one does', () => {
    expect(terraform).not.toMatch(
      /roles\/(?:owner|editor|viewer|container\.|run\.admin|datastore\.owner|iam\.serviceAccountTokenCreator)/,
    );
  });

  test('no key of a service account is made', () => {
    expect(terraform).not.toContain('google_service_account_key');
  });

  test('docs/security.md gives a reason for every role and permission', () => {
    const security = readDoc('docs/security.md');
    const roles = [...terraform.matchAll(/"(roles\/[\w.]+)"/g)].map(([, role = '']) => role);
    const permissions = attribute(terraform, 'permissions');
    for (const right of [...new Set(roles), ...(permissions as string[])]) {
      expect(security).toContain(`\`${right}\``);
    }
  });

  test('docs/security.md gives a reason for every rule inside a cluster', () => {
    const security = readDoc('docs/security.md');
    const yaml = readFileSync(join(INFRA, 'cluster', 'autoscaler.yaml'), 'utf8');
    const rules = [
      ...yaml.matchAll(/resources: \[(\w+)\](?:\n\s+resourceNames: \[[\w-]+\])?\n\s+verbs: \[([\w, ]+)\]/g),
    ];
    expect(rules).toHaveLength(6);
    for (const [, resource = '', verbs = ''] of rules) {
      expect(security).toMatch(new RegExp(`^\\| \`${resource}\`.*: ${verbs} \\|`, 'm'));
    }
  });
});

describe('what Terraform and the program both say', () => {
  test.each([
    'config.example.yaml',
    'tests/fixtures/one-cluster.yaml',
    'tests/fixtures/two-clusters.yaml',
    'tests/fixtures/two-clusters-one-project.yaml',
    'tests/fixtures/chart-values.yaml',
  ])('the program takes %s, as Terraform does', async (file) => {
    const { clusters } = await loadSettings(join(INFRA, file), { kubeconfigPath: '' });
    expect(clusters.map(({ target }) => target.kind)).toEqual(clusters.map(() => 'gke'));
  });

  // Two are fine elsewhere, but not in the cloud: there is no embedded cluster and no file to read.
  test.each(
    readdirSync(join(INFRA, 'tests', 'fixtures'))
      .filter((name) => name.startsWith('refused-'))
      .filter((name) => !/embedded|calendar-file/.test(name)),
  )('the program refuses %s, as Terraform does', async (file) => {
    const loading = loadSettings(join(INFRA, 'tests', 'fixtures', file), { kubeconfigPath: '' });
    await expect(loading).rejects.toThrow(ConfigError);
  });

  test('the fields without an index are in the collections that state is kept in', () => {
    const fields = [...terraform.matchAll(/"(placeholder\w+)\/(\w+)"/g)].map(([, collection]) => collection);
    expect(new Set(fields)).toEqual(new Set([CLUSTERS, PAGES]));
  });

  test('each alert ends in a section of docs/operate.md', () => {
    const sections = Object.values(attribute(terraform, 'alert_sections'));
    expect(sections).toHaveLength(5);
    expect(headings(readDoc('docs/operate.md'))).toEqual(expect.arrayContaining(sections));
  });

  test('the versions of Terraform and its provider are bounded', () => {
    expect(readFileSync(join(REPOSITORY, 'infra', 'versions.tf'), 'utf8')).toMatch(
      /required_version = ">= 1\.11"[\s\S]*version = ">= 7\.45, < 8"/,
    );
  });
});
