import { describe, expect, test } from 'vitest';
import {
  documentToPlainText,
  LONGEST_MARKUP,
  toPlainText,
} from '../../functions/calendar/description-text.ts';
import { readText } from '../domain/read-text.ts';

type Row = readonly [
  name: string,
  html: string,
  counts: Readonly<Record<string, number>>,
  findings: readonly string[],
];

const READ: readonly Row[] = [
  [
    'paragraph, spans and an entity',
    '<p><span>base: 3</span><br><span>workshop:&nbsp;1</span></p>',
    { base: 3, workshop: 1 },
    [],
  ],
  ['one word bold', '<b>base</b>: 3<br>workshop: 1', { base: 3, workshop: 1 }, []],
  ['half a word bold', '<b>ba</b>se: 3', { base: 3 }, []],
  ['the count bold', 'base: <b>3</b>', { base: 3 }, []],
  ['a digit in italics', 'base: 1<i>2</i>', { base: 12 }, []],
  ['line breaks in every spelling', 'base: 3<br/>workshop: 1<BR />', { base: 3, workshop: 1 }, []],
  ['bare newlines beside tags', '<b>Lab</b>\nbase: 3\nworkshop: 1', { base: 3, workshop: 1 }, []],
  ['paragraphs', '<p>base: 3</p><p>workshop: 1</p>', { base: 3, workshop: 1 }, []],
  ['divisions', '<div>base: 3</div><div>workshop: 1</div>', { base: 3, workshop: 1 }, []],
  ['a division behind bare text', 'base: 3<div>workshop: 1</div>', { base: 3, workshop: 1 }, []],
  ['an unordered list', '<ul><li>base: 3</li><li>workshop: 1</li></ul>', { base: 3, workshop: 1 }, []],
  ['an ordered list', '<ol><li>base: 3</li><li>workshop: 1</li></ol>', { base: 3, workshop: 1 }, []],
  ['a nested list', '<ul><li>Pools<ul><li>base: 3</li></ul></li></ul>', { base: 3 }, []],
  ['list items without a list', '<li>base: 3</li><li>workshop: 1</li>', { base: 3, workshop: 1 }, []],
  ['list items never closed', '<ul><li>base: 3<li>workshop: 1</ul>', { base: 3, workshop: 1 }, []],
  ['a heading', '<h2>base: 3</h2>workshop: 1', { base: 3, workshop: 1 }, []],
  ['a heading is not shouted', '<h1>Base: 3</h1>', { base: 3 }, []],
  ['a quotation', '<blockquote>base: 3</blockquote>', { base: 3 }, []],
  ['preformatted text', '<pre>base: 3\nworkshop: 1</pre>', { base: 3, workshop: 1 }, []],
  ['code', '<code>base: 3</code>', { base: 3 }, []],
  ['a font', '<font color="#f00" size="2">base: 3</font>', { base: 3 }, []],
  ['underlined', '<u>base: 3</u>', { base: 3 }, []],
  [
    'the wrapper that Google adds',
    '<html-blob>base: 3<br>workshop: 1<br><br></html-blob>',
    { base: 3, workshop: 1 },
    [],
  ],
  [
    'a whole document',
    '<html><head><title>base: 9</title></head><body>base: 3</body></html>',
    { base: 3 },
    [],
  ],
  ['a style sheet', '<style>base: 9</style><p>base: 3</p>', { base: 3 }, []],
  ['a script', '<script>base: 9</script><p>base: 3</p>', { base: 3 }, []],
  ['a comment of HTML', '<p>base: 3<!-- base: 9 --></p>', { base: 3 }, []],
  ['a link around the request', '<a href="https://example.edu/9">base: 3</a>', { base: 3 }, []],
  ['a link beside it', 'base: 3<br><a href="https://example.edu/9">Course page</a>', { base: 3 }, []],
  ['attributes with an angle bracket', '<span title="a > b">base: 3</span>', { base: 3 }, []],
  ['upper-case tags', '<P>base: 3</P><P>workshop: 1</P>', { base: 3, workshop: 1 }, []],
  ['tags never closed', '<p>base: 3<p>workshop: 1', { base: 3, workshop: 1 }, []],
  ['tags closed twice', '<b>base: 3</b></b><br>workshop: 1', { base: 3, workshop: 1 }, []],
  ['a rule', 'base: 3<hr>workshop: 1', { base: 3, workshop: 1 }, []],
  [
    'a table of one column',
    '<table><tr><td>base: 3</td></tr><tr><td>workshop: 1</td></tr></table>',
    { base: 3, workshop: 1 },
    [],
  ],
  ['an entity for the colon', 'base&#58; 3', { base: 3 }, []],
  ['a hexadecimal entity', 'base&#x3A; 3', { base: 3 }, []],
  ['entities without any tag', 'base:&nbsp;3&nbsp;', { base: 3 }, []],
  ['quotes as entities', '&quot;base&quot;: 3', { base: 3 }, []],
  ['an apostrophe as an entity', '&#39;base&#39;: 3', { base: 3 }, []],
  ['a smaller-than sign in plain text', 'if a < b then\nbase: 3', { base: 3 }, []],
  ['a smaller-than sign as an entity', 'if a &lt; b then<br>base: 3', { base: 3 }, []],
  ['something in angle brackets that is no tag', 'see <the wiki>\nbase: 3', { base: 3 }, []],
  [
    'a tag with the name of a prototype key',
    '<constructor>base: 3</constructor><br><valueOf>workshop: 1</valueOf>',
    { base: 3, workshop: 1 },
    [],
  ],
  ['a tag that nobody knows', '<w:sdt>base: 3</w:sdt><br>workshop: 1', { base: 3, workshop: 1 }, []],
  ['an entity that is none', 'Q&A; more\nbase: 3', { base: 3 }, []],
  ['an entity beyond Unicode', '&#9999999;\nbase: 3', { base: 3 }, []],
];

const DROPPED: readonly Row[] = [
  ['struck out', '<s>base: 3</s><br>workshop: 1', { workshop: 1 }, ['warning not-a-count 1']],
  [
    'struck out as old editors do',
    '<strike>base: 3</strike><br>workshop: 1',
    { workshop: 1 },
    ['warning not-a-count 1'],
  ],
  ['a deleted digit', 'base: 3<del>2</del><br>workshop: 1', { workshop: 1 }, ['warning not-a-count 1']],
  ['a raised digit', 'base: 3<sup>2</sup><br>workshop: 1', { workshop: 1 }, ['warning not-a-count 1']],
  ['a lowered digit', 'base: 3<sub>2</sub><br>workshop: 1', { workshop: 1 }, ['warning not-a-count 1']],
  [
    'a table of two columns',
    '<table><tr><td>base</td><td>3</td></tr></table>workshop: 1',
    { workshop: 1 },
    ['warning unreadable-line 1'],
  ],
  [
    'a number in the next cell',
    '<table><tr><td>base: 1</td><td>2</td></tr></table>workshop: 1',
    { workshop: 1 },
    ['warning not-a-count 1'],
  ],
  [
    'an image between digits',
    'base: 1<img src="x">2<br>workshop: 1',
    { workshop: 1 },
    ['warning not-a-count 1'],
  ],
];

describe.each([
  ['what an editor makes of a plain request is read', READ],
  ['what markup makes doubtful is dropped and reported', DROPPED],
])('%s', (_, rows) => {
  test.each(rows)('%s', (...[, html, counts, findings]) => {
    const { text, isCut } = toPlainText(html);
    expect({ ...readText(text), isCut }).toEqual({ counts, findings, isCut: false });
  });
});

describe('plain text stays as it is', () => {
  test.each(['', 'base: 3', 'a < b > c', '1<2', '<the wiki>', 'x <- y', '<3', 'AT&T', '&unknown;'])(
    '%j',
    (text) => {
      expect(toPlainText(text)).toEqual({ text, isCut: false });
    },
  );
});

describe('a document of Outlook', () => {
  test('has its line breaks in tags alone', () => {
    const html = '<html><body>\n<p class=MsoNormal>base:\n3<o:p></o:p></p>\n<p>workshop: 1</p></body></html>';
    expect(readText(documentToPlainText(html).text)).toEqual({
      counts: { base: 3, workshop: 1 },
      findings: [],
    });
  });
});

describe('a description is bounded before it is converted', () => {
  test('a long text is cut at the end of a line', () => {
    const line = `${'x'.repeat(95)}<br>\n`;
    const body = line.repeat(Math.floor(LONGEST_MARKUP / 100));
    const { text, isCut } = toPlainText(`<b>base: 3</b><br>${body}workshop: 123456<br>workshop: 7`);
    expect(isCut).toBe(true);
    expect(text).toMatch(/^base: 3\n/u);
    expect(text).not.toContain('workshop');
  });

  test('a long text without any line end gives nothing', () => {
    expect(toPlainText(`<b>base: ${'1'.repeat(LONGEST_MARKUP)}`)).toEqual({ text: '', isCut: true });
  });

  test('nesting beyond all editors loses its own line alone', () => {
    const deep = `${'<b>'.repeat(5000)}base: 3${'</b>'.repeat(5000)}`;
    const { text, isCut } = toPlainText(`${deep}<br>workshop: 1`);
    expect(isCut).toBe(true);
    expect(readText(text)).toEqual({ counts: { workshop: 1 }, findings: [] });
  });

  test('the mark of an omission cannot be smuggled in', () => {
    expect(toPlainText('<b>base: 3\uF8FF</b><br>workshop: 1').isCut).toBe(false);
  });

  test.each([
    ['tags never closed', '<b>'.repeat(20_000)],
    ['tags never opened', '</b>'.repeat(15_000)],
    ['both', '<b>'.repeat(8_000) + '</i>'.repeat(8_000)],
    ['brackets', '<'.repeat(60_000)],
    ['attributes', `<b ${'a="b" '.repeat(10_000)}`],
    ['entities', '&amp;'.repeat(13_000)],
    ['comments never closed', '<!--'.repeat(15_000)],
    ['list items', '<ul><li>'.repeat(8_000)],
    ['tables', '<table><tr><td>'.repeat(4_000)],
  ])('%s by the thousand take less than a second of work', (_, html) => {
    const before = process.cpuUsage();
    toPlainText(`<br>${html}`);
    const { user } = process.cpuUsage(before);
    expect(user / 1000).toBeLessThan(1000);
  });
});
