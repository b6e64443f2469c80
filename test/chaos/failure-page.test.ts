/** docs/failure.md speaks of lines that the program really writes, and has a section for each row of its table. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'failure.md'), 'utf8');
const SOURCE = globSync('functions/**/*.ts', { cwd: ROOT })
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
  .join('\n');

const quoted = [...PAGE.matchAll(/^> (DEBUG|INFO|WARNING|ERROR) `([^`]+)`/gm)].map(
  ([, severity = '', message = '']) => ({ severity, message }),
);

test('there are as many lines as cases', () => {
  expect(quoted.length).toBeGreaterThanOrEqual(13);
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
