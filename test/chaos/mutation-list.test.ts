/** The list of `npm run test:mutations` keeps up with the code that it mutates. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { MUTATIONS } from '../../scripts/mutation-list.ts';

const ROOT = join(import.meta.dirname, '..', '..');

test.each(MUTATIONS)('$name: what it changes stands in its file once, and its tests exist', (mutation) => {
  const source = readFileSync(join(ROOT, mutation.file), 'utf8');
  expect(source.split(mutation.find).length - 1).toBe(1);
  expect(mutation.replace).not.toBe(mutation.find);
  expect(mutation.tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
