/**
 * Bundles the program into dist/main.mjs and what it loads when it needs it, in dist/chunks: nothing else has to be beside
 * them. A pass loads only what it uses, and `--help` next to nothing. By the name .mjs Node knows what it reads without
 * a package.json, and does not read it twice.
 */
import path from 'node:path';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type BuildResult } from 'esbuild';
import { nameCommonJsImports } from './common-js-imports.ts';
import { collectNotices } from './notices.ts';
import { leaveOutUnusedParts } from './unused-parts.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** CommonJS packages expect these names; in an ES module they are not there. */
const BANNER = `#!/usr/bin/env node
import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;`;

/** @param outputFile its name decides those of the chunks, which go into a folder beside it. */
export async function bundle(outputFile: string): Promise<BuildResult<{ metafile: true }>> {
  const { dir, name, ext } = path.parse(outputFile);
  // Written here and not by esbuild: the names of its chunks would depend on where they go.
  const outdir = path.join(root, 'dist');
  const result = await build({
    absWorkingDir: root,
    entryPoints: [{ in: 'functions/main.ts', out: name }],
    outdir,
    write: false,
    outExtension: { '.js': ext },
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    bundle: true,
    plugins: [leaveOutUnusedParts(), nameCommonJsImports()],
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
  for (const { path: intended, contents } of result.outputFiles) {
    const file = path.join(dir, path.relative(outdir, intended));
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, contents);
  }
  return result;
}

if (import.meta.main) {
  const folder = `${root}dist`;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { metafile } = await bundle(`${folder}/main.mjs`);
  await chmod(`${folder}/main.mjs`, 0o755);
  const packages = Object.keys(metafile.inputs);
  await writeFile(`${folder}/THIRD-PARTY-NOTICES.txt`, await collectNotices(root, packages));
}
