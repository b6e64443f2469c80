import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { ConfigError } from '../../functions/errors.ts';
import { openStateStore } from '../../functions/state/open.ts';

test.each([
  ['memory', 'memory'],
  ['state.json', 'file state.json'],
  ['./a b/state.json', 'file ./a b/state.json'],
  ['/var/lib/x:y.json', 'file /var/lib/x:y.json'],
  ['C:\\state.json', 'file C:\\state.json'],
  ['file:state.json', 'file state.json'],
  ['file:/var/memory', 'file /var/memory'],
  ['firestore', 'firestore (default)'],
  ['firestore:', 'firestore (default)'],
  ['firestore:placeholders', 'firestore placeholders'],
  ['firestore:my-project/placeholders', 'firestore my-project/placeholders'],
  ['firestore:my-project/(default)', 'firestore my-project/(default)'],
  ['firestore:example.com:my-project/states', 'firestore example.com:my-project/states'],
  ['Firestore:placeholders', 'firestore placeholders'],
])('%j opens %s', (spec, label) => {
  expect(openStateStore(spec).label).toBe(label);
});

test.each([
  ['', 'it is empty'],
  ['  ', 'it is empty'],
  ['file', 'needs a path'],
  ['file:', 'needs a path'],
  ['firestor', 'neither a kind of store nor a path; a file is file:firestor'],
  ['state', 'neither a kind of store nor a path; a file is file:state'],
  ['memory:x', 'memory takes nothing'],
  ['firestor:x', 'there is no kind of store called firestor'],
  ['gs://bucket/state.json', 'there is no kind of store called gs'],
  ['firestore:My_DB', 'My_DB is not a database id'],
  ['firestore:abc', 'abc is not a database id'],
  ['firestore:my-project/', 'is not a database id'],
  ['firestore:/states', 'is not a project id'],
  ['firestore:projects/p/databases/d', 'is not a database id'],
])('%j is refused, with the forms that would do', (spec, problem) => {
  expect(() => openStateStore(spec)).toThrow(ConfigError);
  expect(findingOf(spec)).toMatchObject({
    path: '--state',
    message: expect.stringMatching(
      new RegExp(`${escape(problem)}.*firestore\\[:\\[PROJECT/\\]DATABASE\\]`),
    ) as string,
  });
});

test('a pass with file state loads neither Firestore nor its transport', () => {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ resolve(name, context, next) { loaded.push(name); return next(name, context); } });
    const { openStateStore } = await import('./functions/state/open.ts');
    const signal = new AbortController().signal;
    await openStateStore('memory').peek('default', signal);
    openStateStore('firestore:placeholders');
    process.stdout.write(JSON.stringify(loaded.filter((name) => /firestore$|gax|grpc|google-auth/.test(name))));
  `;
  const result = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: join(import.meta.dirname, '..', '..'),
    encoding: 'utf8',
  });
  expect(result).toMatchObject({ status: 0, stdout: '[]' });
});

function findingOf(spec: string): unknown {
  try {
    openStateStore(spec);
  } catch (error) {
    return error instanceof ConfigError ? error.findings[0] : error;
  }
  return undefined;
}

function escape(text: string): string {
  return text.replace(/[()[\]]/g, '\\$&');
}
