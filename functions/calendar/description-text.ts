/**
 * Descriptions as plain text. Google Calendar stores what its rich-text box makes: HTML with line breaks as
 * `<br>` or as bare newlines, and entities even where there is no tag. Other programs store plain text, in
 * which `a < b` means what it says. A text is HTML when it holds a tag that such editors write.
 */
import { compile, type Formatter } from 'html-to-text';

/** Longest description that is converted, in characters; Google stores 8,192. */
export const LONGEST_MARKUP = 65_536;

/** Deepest nesting that is followed; editors make a dozen, hostile texts make thousands. */
const DEEPEST_NESTING = 100;

/** Stands where the converter left something out; a private character, taken out of every input first. */
const OMISSION = '\uF8FF';

/** Elements that editors write; any of them makes a text HTML. */
const EDITOR_TAGS = [
  ...[
    'a',
    'abbr',
    'address',
    'article',
    'b',
    'big',
    'blockquote',
    'body',
    'br',
    'center',
    'code',
    'dd',
    'del',
    'div',
  ],
  ...[
    'dl',
    'dt',
    'em',
    'font',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'head',
    'hr',
    'html',
    'html-blob',
    'i',
    'img',
  ],
  ...['ins', 'li', 'meta', 'o:p', 'ol', 'p', 'pre', 'q', 's', 'section', 'small', 'span', 'strike', 'strong'],
  ...['style', 'sub', 'sup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'title', 'tr', 'u', 'ul'],
];
const TAG = new RegExp(`</?(?:${EDITOR_TAGS.join('|')})(?:\\s[^<>]*)?/?>`, 'iu');
const ANY_TAG = /<(\/?)([a-z][^\s/>]*)/giu;
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,5});/giu;
const NAMED: ReadonlyMap<string, string> = new Map([
  ['nbsp', '\u00A0'],
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['colon', ':'],
]);

const BLOCKS = [
  'address',
  'article',
  'aside',
  'body',
  'button',
  'caption',
  'center',
  'dd',
  'details',
  'div',
  'dl',
  'dt',
  'fieldset',
  'figure',
  'footer',
  'form',
  'header',
  'html-blob',
  'li',
  'main',
  'nav',
  'option',
  'p',
  'section',
  'summary',
  'table',
  'tbody',
  'tfoot',
  'thead',
  'tr',
];
const SKIPPED = ['head', 'iframe', 'object', 'script', 'select', 'style', 'svg', 'template', 'title'];
const SINGLE_BREAKS = { leadingLineBreaks: 1, trailingLineBreaks: 1 };

/** Puts a mark around what is inside, so that it is not read as if the markup were not there. */
function marking(before: string, after: string): Formatter {
  return (element, walk, builder) => {
    builder.addLiteral(before);
    walk(element.children, builder);
    builder.addLiteral(after);
  };
}

/** Cells side by side would run together: `base: 1` and `2` would read as `base: 12`. */
const formatCell: Formatter = (element, walk, builder) => {
  if (hasEarlierSibling(element)) {
    builder.addLiteral(' | ');
  }
  walk(element.children, builder);
};

function hasEarlierSibling(element: Parameters<Formatter>[0]): boolean {
  let before = element.prev;
  while (before !== null && before !== undefined && before.type !== 'tag') {
    before = before.prev;
  }
  return before !== null && before !== undefined;
}

function converter(preserveNewlines: boolean): (html: string) => string {
  return compile({
    wordwrap: false,
    preserveNewlines,
    baseElements: { selectors: [] },
    limits: { ellipsis: OMISSION, maxDepth: DEEPEST_NESTING },
    formatters: {
      cell: formatCell,
      space: marking(' ', ''),
      // A struck-out count is not meant, and 3 with a raised 2 is not 32: both are to be reported, not read.
      struck: marking('~~', '~~'),
      raised: marking('^', ''),
      lowered: marking('_', ''),
    },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'space' },
      { selector: 'ol', format: 'unorderedList', options: { itemPrefix: '- ', ...SINGLE_BREAKS } },
      { selector: 'ul', options: { itemPrefix: '- ', ...SINGLE_BREAKS } },
      { selector: 'blockquote', options: { ...SINGLE_BREAKS, trimEmptyLines: true } },
      { selector: 'pre', options: SINGLE_BREAKS },
      { selector: 'hr', options: SINGLE_BREAKS },
      ...['td', 'th'].map((selector) => ({ selector, format: 'cell' })),
      ...['s', 'strike', 'del'].map((selector) => ({ selector, format: 'struck' })),
      { selector: 'sup', format: 'raised' },
      { selector: 'sub', format: 'lowered' },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
        selector,
        options: { ...SINGLE_BREAKS, uppercase: false },
      })),
      ...BLOCKS.map((selector) => ({ selector, format: 'block', options: SINGLE_BREAKS })),
      ...SKIPPED.map((selector) => ({ selector, format: 'skip' })),
    ],
  });
}

/** Made when the first text needs them: to make them is a twentieth of a pass's CPU, and most calendars hold no HTML. */
const convertEditorHtml = madeOnce(() => converter(true));
const convertDocument = madeOnce(() => converter(false));

function madeOnce(make: () => (html: string) => string): (html: string) => string {
  let made: ((html: string) => string) | undefined;
  return (html) => (made ??= make())(html);
}

const KNOWN_TAGS = new Set([...EDITOR_TAGS, ...BLOCKS, ...SKIPPED]);

/** The converter looks tags up in a plain object: `<constructor>` makes it throw. Unknown ones mean nothing. */
function disarm(html: string): string {
  return html.replace(ANY_TAG, (tag, slash: string, name: string) =>
    KNOWN_TAGS.has(name.toLowerCase()) ? tag : `<${slash}span`,
  );
}

export interface PlainText {
  readonly text: string;
  /** Something was left out: the text was too long or nested too deep. */
  readonly isCut: boolean;
}

/** A description as Google or an ICS file holds it, HTML or not, as plain text. */
export function toPlainText(description: string): PlainText {
  const { text, isCut } = cutAtLineEnd(description.replaceAll(OMISSION, ''));
  if (!TAG.test(text)) {
    return { text: decodeEntities(text), isCut };
  }
  return withoutOmissions(convertSafely(convertEditorHtml, text), isCut);
}

/** A whole HTML document, as Outlook sends along; its own newlines mean nothing. */
export function documentToPlainText(html: string): PlainText {
  const { text, isCut } = cutAtLineEnd(html.replaceAll(OMISSION, ''));
  return withoutOmissions(convertSafely(convertDocument, text), isCut);
}

/** Should the converter trip all the same, that costs this description (and is reported), not the calendar. */
function convertSafely(convert: (html: string) => string, html: string): string {
  try {
    return convert(disarm(html));
  } catch {
    return OMISSION;
  }
}

function withoutOmissions(text: string, isCut: boolean): PlainText {
  const isWhole = !text.includes(OMISSION);
  return isWhole ? { text, isCut } : { text: dropCutLines(text), isCut: true };
}

/** A line with a hole in it may say something else than its writer did. */
function dropCutLines(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.includes(OMISSION) ? '' : line))
    .join('\n');
}

const LINE_END = /\r\n?|\n|<br\s*\/?>|<\/(?:p|div|li|tr|h[1-6])>/giu;

/** Cut inside a line, `base: 12` could become `base: 1`; so a long text ends with its last whole line. */
function cutAtLineEnd(text: string): PlainText {
  if (text.length <= LONGEST_MARKUP) {
    return { text, isCut: false };
  }
  const within = text.slice(0, LONGEST_MARKUP);
  const lastEnd = [...within.matchAll(LINE_END)].at(-1);
  return { text: within.slice(0, lastEnd?.index ?? 0), isCut: true };
}

function decodeEntities(text: string): string {
  return text.includes('&') ? text.replace(ENTITY, (entity) => decodeEntity(entity)) : text;
}

function decodeEntity(entity: string): string {
  const name = entity.slice(1, -1).toLowerCase();
  if (!name.startsWith('#')) {
    return NAMED.get(name) ?? entity;
  }
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
}
