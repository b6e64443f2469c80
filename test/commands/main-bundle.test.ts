import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { bundle } from '../../scripts/build.ts';
import { collectNotices } from '../../scripts/notices.ts';
import { parseLines, runProgram } from './run-program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
// Outside the repository: no node_modules anywhere above it.
const folder = mkdtempSync(path.join(tmpdir(), 'bundle-'));
const file = path.join(folder, 'main.js');
let inputs: readonly string[] = [];

beforeAll(async () => {
  const { metafile } = await bundle(file);
  inputs = Object.keys(metafile.inputs);
});

test('the bundle runs with nothing beside it', async () => {
  expect(await runProgram(['--version'], { file, cwd: folder })).toEqual({
    code: 0,
    stdout: `${packageJson.version}\n`,
    stderr: '',
  });
});

test('a pass of the bundle logs JSON, and says what it did', async () => {
  const { code, stdout, stderr } = await runProgram(['pass', '--log-format', 'json'], { file, cwd: folder });

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(parseLines(stdout).at(-1)).toMatchObject({ message: 'pass summary', outcome: 'ok' });
});

test('the bundle shows the class morning', async () => {
  const { code, stdout, stderr } = await runProgram([], { file, cwd: folder });

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('How long sixty people waited');
});

test.each(['@google-cloud/container', '@google-cloud/firestore', '@kubernetes/client-node', 'googleapis'])(
  '%s is in it, since a pass in the cloud loads it when it is needed',
  (name) => {
    expect(inputs.some((input) => input.includes(`node_modules/${name}/`))).toBe(true);
  },
);

test('only the calendar of the Google APIs is in it', () => {
  const apis = inputs.flatMap((input) => /googleapis\/build\/src\/apis\/([^/]+)\//.exec(input)?.[1] ?? []);

  expect([...new Set(apis)]).toEqual(['calendar']);
});

test('the same source gives the same bytes, wherever it is built', async () => {
  const again = path.join(mkdtempSync(path.join(tmpdir(), 'bundle-')), 'main.js');
  await bundle(again);
  const text = readFileSync(file, 'utf8');

  expect(readFileSync(again, 'utf8') === text).toBe(true);
  expect(text.includes(root)).toBe(false);
});

test('the licence of every package in it is told', async () => {
  const notices = await collectNotices(root, inputs);

  expect(notices).toMatch(/^@google-cloud\/container \d/m);
  expect(notices).not.toContain('(see below)');
  expect(notices).toMatch(/Apache License\s+Version 2\.0/);
});
