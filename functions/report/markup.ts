/** HTML and SVG as text, with everything that comes from outside escaped. */

/** Markup that is safe to put into a page as it is. */
export interface Markup {
  readonly markup: string;
}

export type Child = Markup | string | number | readonly Child[] | undefined;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Moves a cursor, or turns the direction of what is written after it. */
const UNSEEN = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

export function escapeText(text: string): string {
  return text.replace(UNSEEN, ' ').replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>> = {},
  ...children: readonly Child[]
): Markup {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escapeText(String(value))}"`)
    .join('');
  const inner = renderChild(children);
  return {
    markup: inner === '' && isVoid(name) ? `<${name}${written}>` : `<${name}${written}>${inner}</${name}>`,
  };
}

function isVoid(name: string): boolean {
  return name === 'meta' || name === 'br';
}

function renderChild(child: Child): string {
  if (child === undefined) return '';
  if (typeof child === 'string') return escapeText(child);
  if (typeof child === 'number') return String(child);
  return 'markup' in child ? child.markup : child.map(renderChild).join('');
}
