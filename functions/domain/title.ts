/** A calendar entry's title is somebody's text: in a message it is one quoted line of bounded length. */

const MAX_LENGTH = 80;

export function quoteTitle(title: string): string {
  const cut = cutTitle(title);
  return cut === '' ? 'without a title' : `'${cut}'`;
}

export function cutTitle(title: string): string {
  const line = title.replace(/\s+/g, ' ').trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}
