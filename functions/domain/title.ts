/** A calendar entry's title is somebody's text: in a message it is one quoted line of bounded length. */
import { toOneLine } from './one-line.ts';

const MAX_LENGTH = 80;

export function quoteTitle(title: string): string {
  const cut = cutTitle(title);
  return cut === '' ? 'without a title' : `'${cut}'`;
}

export function cutTitle(title: string): string {
  // By characters: half an emoji is no text, and an API server would not take it.
  const characters = Array.from(toOneLine(title));
  return characters.length > MAX_LENGTH
    ? `${characters.slice(0, MAX_LENGTH).join('')}…`
    : characters.join('');
}
