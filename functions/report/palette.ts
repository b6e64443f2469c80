/** Colours of a terminal, or none. */
export interface Palette {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly yellow: (text: string) => string;
}

export function createPalette(hasColors: boolean): Palette {
  const wrap = (on: number, off: number) => (text: string) =>
    hasColors ? `\u001B[${String(on)}m${text}\u001B[${String(off)}m` : text;
  return { bold: wrap(1, 22), dim: wrap(2, 22), yellow: wrap(33, 39) };
}

/** Narrowest column that text is cut to; a terminal narrower still wraps. */
const NARROWEST = 20;

/** Cuts a text to a number of characters. Control characters in titles would move the cursor: they go. */
export function clip(text: string, columns: number): string {
  const clean = Array.from(text.replace(/\p{Cc}+/gu, ' '));
  const room = Math.max(NARROWEST, columns);
  return clean.length <= room ? clean.join('') : `${clean.slice(0, room - 1).join('')}…`;
}
