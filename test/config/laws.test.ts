import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { ConfigError } from '../../functions/errors.ts';
import { KEYS } from '../../functions/config/schema.ts';
import { findingsOf, parse } from './findings.ts';

const anyKey = fc.oneof(
  fc.constantFrom(...Object.values(KEYS).flat(), 'base', '__proto__', 'constructor', '<<', ''),
  fc.string({ maxLength: 12 }),
);
const { config } = fc.letrec((tie) => ({
  config: fc.oneof({ maxDepth: 5 }, tie('scalar'), tie('mapping'), tie('list')),
  mapping: fc
    .array(fc.tuple(anyKey, tie('config')), { maxLength: 6 })
    .map((pairs) => Object.fromEntries(pairs)),
  list: fc.array(tie('config'), { maxLength: 3 }),
  scalar: fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom(null, '', '35%', '10m', '56Gi', 'embedded', 'yes', '2026-01-01'),
  ),
}));

/** Settings, or a list of findings: nothing else may come of a text. */
function outcomeOf(text: string): 'settings' | 'findings' | 'crash' {
  try {
    parse(text);
    return 'settings';
  } catch (error) {
    return error instanceof ConfigError && error.findings.length > 0 ? 'findings' : 'crash';
  }
}

test('whatever stands in a config, it gives settings or findings, and touches no prototype', () => {
  fc.assert(
    fc.property(config, (value) => {
      expect(outcomeOf(stringify(value))).not.toBe('crash');
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
    { numRuns: 1500 },
  );
});

test('whatever text a file holds, it gives settings or findings', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      expect(outcomeOf(text)).not.toBe('crash');
    }),
    { numRuns: 1500 },
  );
});

const MISTAKES = [
  'cpuThreshold: 35',
  'memoryThreshold: ""',
  'scalingStrategy: fast',
  'nodeGracePeriod: 10m',
  'calendarOverrideEnabled: "false"',
  'namespace: Hub',
  'calendarTimezone: Nowhere',
  'tolerations: none',
  'userImages: 7',
  'cluster: hub',
  'bananas: 3',
  'warmFirst: maybe',
];

test('no mistake hides another: each is found, whatever stands beside it', () => {
  const settings = 'nodePools: { base: { resources: { requests: { memory: 56Gi } } } }';
  fc.assert(
    fc.property(fc.shuffledSubarray(MISTAKES, { minLength: 1 }), (mistakes) => {
      const findings = findingsOf([...mistakes, settings].join('\n'));

      expect(findings.map(({ path, line }) => [path, line])).toEqual(
        mistakes.map((mistake, index) => [mistake.split(':')[0], index + 1]),
      );
    }),
  );
});
