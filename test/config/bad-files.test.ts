import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatFindings, findingsOf } from './findings.ts';

const folder = new URL('./bad/', import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.replace('.yaml', ''));

test.each(names)('%s: every problem is found, each with its place and its fix', (name) => {
  const text = readFileSync(new URL(`${name}.yaml`, folder), 'utf8');
  const expected = readFileSync(new URL(`${name}.findings`, folder), 'utf8');

  expect(formatFindings(findingsOf(text))).toBe(expected);
  expect(expected).toMatch(/^(\d+:\d+|-:-) \S+: .+$/m);
});

test('ten mistakes give ten findings', () => {
  const text = readFileSync(new URL('ten-mistakes.yaml', folder), 'utf8');

  expect(findingsOf(text)).toHaveLength(10);
});

test('no expected findings are left without their file', () => {
  const expected = readdirSync(folder).filter((file) => file.endsWith('.findings'));

  expect(expected.map((file) => file.replace('.findings', ''))).toEqual(names);
  expect(names.length).toBeGreaterThanOrEqual(28);
});
