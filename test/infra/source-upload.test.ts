/** What a build is sent, and what of it the build looks at: a config of whoever deploys is neither. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { getFileInfo } from 'prettier';
import { describe, expect, test } from 'vitest';

import { REPOSITORY } from './hcl.ts';

const CONFIGS = ['config.yaml', 'infra/config.yaml'];

describe('the config of whoever deploys', () => {
  test.each(CONFIGS)('%s is not sent to Cloud Build', (path) => {
    expect(readFileSync(join(REPOSITORY, '.gcloudignore'), 'utf8').split('\n')).toContain(`/${path}`);
  });

  // The step `lint` would fail over quotes that nobody but the formatter minds.
  test.each(CONFIGS)('%s is not held to the style of the sources', async (path) => {
    const ignorePath = join(REPOSITORY, '.prettierignore');
    const infoOf = (name: string) => getFileInfo(join(REPOSITORY, name), { ignorePath });
    expect(await infoOf(path)).toMatchObject({ ignored: true });
    expect(await infoOf('infra/config.example.yaml')).toMatchObject({ ignored: false });
  });
});

test('what git leaves out is not sent either', () => {
  expect(readFileSync(join(REPOSITORY, '.gcloudignore'), 'utf8')).toContain('\n#!include:.gitignore\n');
});
