/** What tests of the docs look at in a Markdown file. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { REPOSITORY } from './hcl.ts';

export const DOCS = [
  'docs/deploy.md',
  'docs/operate.md',
  'docs/migrate.md',
  'docs/security.md',
  'infra/README.md',
] as const;

export interface Link {
  readonly from: string;
  /** Path from the top of the repository. */
  readonly file: string;
  readonly anchor: string | undefined;
}

export function readDoc(path: string): string {
  return readFileSync(join(REPOSITORY, path), 'utf8');
}

/** Commands of all `sh` blocks and, of code in a line, those that begin like one; continued lines joined. */
export function commandsOf(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, body = '']) => body);
  const fenced = blocks.flatMap((body) => body.replace(/(?:\\|\|)\n\s*/g, ' ').split('\n'));
  const inline = inlineCode(text).filter((code) =>
    /^(?:terraform|npx|npm|node|kubectl|gcloud|scripts\/)\b.* /.test(code),
  );
  return [...fenced, ...inline].map((line) => line.trim()).filter((line) => line !== '');
}

export function inlineCode(text: string): readonly string[] {
  const prose = text.replace(/^ *```[\s\S]*?^ *```$/gm, '');
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replace(/\s+/g, ' '));
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
