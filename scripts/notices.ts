/** The licences of everything that a bundle contains, as those licences ask for. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

const Manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  license: z.string().optional(),
});

/** @param files paths of the bundle's inputs, relative to `root` */
export async function collectNotices(root: string, files: readonly string[]): Promise<string> {
  const folders = [...new Set(files.flatMap(packageFolderOf))].sort();
  const notices = await Promise.all(folders.map((folder) => describePackage(path.join(root, folder))));
  // Two copies of a package in one tree are one licence.
  return [...new Set(notices)].join(`\n${'-'.repeat(80)}\n\n`);
}

/** `node_modules/@scope/name`, the innermost one. */
function packageFolderOf(file: string): readonly string[] {
  const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
  return folder === undefined ? [] : [folder];
}

async function describePackage(folder: string): Promise<string> {
  const manifest = Manifest.parse(JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')));
  const texts = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  const contents = await Promise.all(texts.map((file) => readFile(path.join(folder, file), 'utf8')));
  const title = `${manifest.name} ${manifest.version} (${manifest.license ?? 'see below'})`;
  return [title, ...contents.map((content) => content.trim())].join('\n\n').concat('\n');
}
