/**
 * Bundles the program into dist/main.js: one file that Node runs with nothing beside it, and the licences of what
 * is in it. One file, and yet a pass loads only what it uses: a module that is imported when needed is evaluated
 * when needed here too.
 */
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type BuildResult } from 'esbuild';
import { collectNotices } from './notices.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** CommonJS packages expect these names; in an ES module they are not there. */
const BANNER = `#!/usr/bin/env node
import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;`;

export async function bundle(outputFile: string): Promise<BuildResult<{ metafile: true }>> {
  return build({
    absWorkingDir: root,
    entryPoints: ['functions/main.ts'],
    outfile: outputFile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    banner: { js: BANNER },
    minifySyntax: true,
    minifyWhitespace: true,
    // Node prints the line that an error came from, which would be megabytes.
    lineLimit: 160,
    // Names of classes are part of messages, and a stack trace should name functions.
    keepNames: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
}

if (import.meta.main) {
  const folder = `${root}dist`;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { metafile } = await bundle(`${folder}/main.js`);
  await chmod(`${folder}/main.js`, 0o755);
  const packages = Object.keys(metafile.inputs);
  await writeFile(`${folder}/THIRD-PARTY-NOTICES.txt`, await collectNotices(root, packages));
}
