/** The way to a setting: keys and list positions from the top of the file. */
export type SettingPath = readonly PropertyKey[];

/** `nodePools.base.tolerations[0].effect`; a key that has dots or slashes of its own is quoted in brackets. */
export function formatPath(path: SettingPath): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') {
      text += `[${part}]`;
    } else if (/^[\w-]+$/.test(String(part))) {
      text += text === '' ? String(part) : `.${String(part)}`;
    } else {
      text += `[${JSON.stringify(excerpt(String(part)))}]`;
    }
  }
  return text;
}

const LONGEST_EXCERPT = 60;

/** A text of the file, short enough for one line. */
export function excerpt(text: string): string {
  return text.length > LONGEST_EXCERPT ? `${text.slice(0, LONGEST_EXCERPT)}…` : text;
}
