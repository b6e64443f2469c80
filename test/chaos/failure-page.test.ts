/**
 * docs/failure.md speaks of lines that the program really writes, has every one with which a pass asks a person to look,
 * and has a section for each row of its table.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'failure.md'), 'utf8');
const SOURCE = sourceOf('functions/**/*.ts');

function sourceOf(files: string): string {
  return globSync(files, { cwd: ROOT })
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');
}

const quoted = [...PAGE.matchAll(/^> (DEBUG|INFO|WARNING|ERROR) `([^`]+)`/gm)].map(
  ([, severity = '', message = '']) => ({ severity, message }),
);

const PASS = sourceOf('functions/pass/*.ts');
const calls = [...PASS.matchAll(/log\.(?:warn|error)\(|failure\(job,/g)];
const said = [...PASS.matchAll(/(?:log\.(warn|error)\(|failure\(job,)\s*'([^']+)'/g)].map(
  ([, method = 'error', message = '']) => ({ severity: method === 'warn' ? 'WARNING' : 'ERROR', message }),
);

test('every warning and error of a pass is found, but for the one call in the helper for failures', () => {
  expect(said.length).toBeGreaterThan(20);
  expect(calls).toHaveLength(said.length + 1);
});

test.each(said)('$severity "$message", which a pass writes, stands on the page', (line) => {
  expect(quoted).toContainEqual(line);
});

test.each(quoted)('$severity "$message" is a line of the program', ({ severity, message }) => {
  const method = { DEBUG: 'debug', INFO: 'info', WARNING: 'warn', ERROR: 'error' }[severity] ?? '';
  const escaped = message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  // Written through the log, or through the helper for failures, which writes errors.
  const writers = new RegExp(`(?:log\\.${method}\\(|failure\\(job,)\\s*'${escaped}'`);
  expect(SOURCE).toMatch(writers);
});

test.each([...PAGE.matchAll(/\]\(#([a-z-]+)\)/g)].map(([, anchor = '']) => anchor))(
  '#%s has a section',
  (anchor) => {
    const anchors = [...PAGE.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^a-z -]/g, '')
        .replaceAll(' ', '-'),
    );
    expect(anchors).toContain(anchor);
  },
);
