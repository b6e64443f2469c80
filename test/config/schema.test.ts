import { readFileSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { DEFAULTS, KEYS } from '../../functions/config/schema.ts';
import { renderJsonSchema, SCHEMA_FILE } from '../../scripts/json-schema.ts';
import { parse } from './findings.ts';

const Described = z.looseObject({ description: z.string().min(1), default: z.unknown().optional() });
const Schema = z.object({
  properties: z.record(z.string(), Described),
  $defs: z.record(z.string(), z.looseObject({ properties: z.record(z.string(), Described) })),
});

const schema = Schema.parse(JSON.parse(renderJsonSchema()));

test('the committed JSON Schema is the one that the code describes (npm run schema writes it)', () => {
  expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(renderJsonSchema());
});

test('every key is described, for editors and for the table of the README', () => {
  const described = [schema.properties, ...Object.values(schema.$defs).map(({ properties }) => properties)];

  expect(described.flatMap(Object.keys)).toEqual(
    expect.arrayContaining(
      Object.values(KEYS)
        .flat()
        .filter((key) => key !== 'requests' && key !== 'limits'),
    ),
  );
});

describe('an editor judges as the program does', () => {
  const editor = z.fromJSONSchema(JSON.parse(renderJsonSchema()) as z.core.JSONSchema.JSONSchema);
  const read = (name: string): unknown =>
    parseYaml(readFileSync(new URL(name, import.meta.url), 'utf8'), { merge: true });

  test.each([
    './good/chart-wrapped.yaml',
    './good/chart-bare.yaml',
    './good/fleet.yaml',
    '../../examples/config.yaml',
    '../../examples/config-fleet.yaml',
    '../../examples/config-laptop.yaml',
    '../../infra/config.example.yaml',
  ])('%s has no mistake', (name) => {
    expect(withoutSiblings(editor.safeParse(read(name)))).toEqual([]);
  });

  test.each([
    './bad/thresholds.yaml',
    './bad/booleans.yaml',
    './bad/counts.yaml',
    './bad/lost-indentation.yaml',
    './bad/tolerations.yaml',
  ])('%s has', (name) => {
    expect(withoutSiblings(editor.safeParse(read(name)))).not.toEqual([]);
  });
});

/** Other charts beside the wrapped block: an editor underlines them, the program names them in a notice. */
function withoutSiblings(result: z.ZodSafeParseResult<unknown>): readonly z.core.$ZodIssue[] {
  return (result.error?.issues ?? []).filter(
    (issue) => !(issue.code === 'unrecognized_keys' && issue.keys.includes('ingress')),
  );
}

describe('a default that the schema tells is the default that applies', () => {
  const [cluster] = parse('nodePools: { base: { resources: { requests: { memory: 1Gi } } } }').clusters;
  const pool = cluster!.pools[0]!;
  const applied: Readonly<Record<string, unknown>> = {
    calendarStaleAfter: parse(
      'calendarId: a@b.c\nnodePools: { base: { resources: { requests: { memory: 1Gi } } } }',
    ).clusters[0]!.calendar!.staleAfterSeconds,
    calendarOverrideEnabled: pool.settings.calendarOverrideEnabled,
    scalingStrategy: pool.settings.scalingStrategy,
    cpuThreshold: pool.settings.cpuThreshold,
    memoryThreshold: pool.settings.memoryThreshold,
    nodeGracePeriod: pool.settings.nodeGraceSeconds,
    nodeWarmSeconds: pool.settings.nodeWarmSeconds,
    warmFirst: cluster!.warmFirst,
    userImages: cluster!.userImages,
    imagePullerSelectors: cluster!.imagePullerSelectors,
    userPodSelectors: cluster!.userPodSelectors,
    nodePoolSelectorKey: cluster!.nodePoolSelectorKey,
    namespace: cluster!.namespace,
    priorityClassName: cluster!.priorityClassName,
    placeholderImage: pool.placeholder.image,
    tolerations: pool.placeholder.tolerations,
    replicas: pool.settings.baseline,
    maxReplicas: pool.settings.maxReplicas,
  };
  const told = { ...schema.$defs['nodePool']!.properties, ...schema.properties };

  test.each(Object.keys(DEFAULTS))('%s', (key) => {
    expect(told[key]?.default).toEqual(applied[key]);
    expect(applied[key]).toBeDefined();
  });
});
