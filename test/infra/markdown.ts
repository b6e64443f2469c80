/** What tests of the docs look at in a Markdown file. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { REPOSITORY } from './hcl.ts';

/** Folders that git leaves out hold pages of others, and copies of ours. */
const FOREIGN = [...readFileSync(join(REPOSITORY, '.gitignore'), 'utf8').matchAll(/^\/?([\w.-]+)\/$/gm)].map(
  ([, folder = '']) => folder,
);

/** Every Markdown page of the project. */
export const DOCS: readonly string[] = globSync('**/*.md', {
  cwd: REPOSITORY,
  exclude: FOREIGN.map((folder) => `**/${folder}`),
}).sort();

export interface Link {
  readonly from: string;
  /** Path from the top of the repository. */
  readonly file: string;
  readonly anchor: string | undefined;
}

export function readDoc(path: string): string {
  return readFileSync(join(REPOSITORY, path), 'utf8');
}

/** Commands of all `sh` blocks and, of code in a line, those that begin like one; continued lines joined, no remarks. */
export function commandsOf(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, body = '']) => body);
  const fenced = blocks.flatMap((body) => body.replace(/(?:\\|\|)\n\s*/g, ' ').split('\n'));
  const inline = inlineCode(text).filter((code) => new RegExp(`^(?:${PROGRAMS})\\b.* `).test(code));
  return [...fenced, ...inline].map((line) => line.replace(/ # .*/, '').trim()).filter((line) => line !== '');
}

const PROGRAMS = 'terraform|npx|npm|node|kubectl|gcloud|openssl|scripts/';

/** Commands that stand set in, where nothing looks for them. */
export function strayCommands(text: string): readonly string[] {
  return proseOf(text).match(new RegExp(`^ {4,}(?:\\$ )?(?:${PROGRAMS})\\b.*$`, 'gm')) ?? [];
}

export function inlineCode(text: string): readonly string[] {
  return [...proseOf(text).matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replace(/\s+/g, ' '));
}

function proseOf(text: string): string {
  return text.replace(/^ *```[\s\S]*?^ *```$/gm, '');
}

/** Links to files of this repository. */
export function linksOf(path: string): readonly Link[] {
  return [...readDoc(path).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].map(
    ([, target = '', anchor]) => ({
      from: path,
      file: target === '' ? path : join(dirname(path), target),
      anchor,
    }),
  );
}

export function headings(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
}

/** The anchor that GitHub makes of a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
