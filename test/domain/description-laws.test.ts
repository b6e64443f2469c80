import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toPlainText } from '../../functions/calendar/description-text.ts';
import { readDescription } from '../../functions/domain/description.ts';
import { readText } from './read-text.ts';

const SPACES = [' ', '\u00A0', '\u202F', '\u3000', '\t', '  '];

/** Ways to write one request that all mean the same. */
const form = fc.record({
  before: fc.constantFrom('', ' ', '- ', '* ', '• ', '– ', '1. ', '> ', '👉 ', '\u200B'),
  quotes: fc.constantFrom(['', ''], ['"', '"'], ["'", "'"], ['“', '”'], ['‘', '’'], ['**', '**'], ['`', '`']),
  letterCase: fc.constantFrom('as it is', 'upper', 'full width'),
  colon: fc.constantFrom(':', '：', '\u2236', ' :'),
  space: fc.constantFrom(...SPACES),
  number: fc.constantFrom('plain', 'leading zero', 'float', 'quoted', 'Arabic', 'full width', 'octal'),
  after: fc.constantFrom('', ' ', ',', '.', ' # a comment: 9', '\u00A0'),
});

type Form = typeof form extends fc.Arbitrary<infer T> ? T : never;

const CASES: Readonly<Record<string, (name: string) => string>> = {
  'as it is': (name) => name,
  upper: (name) => name.toUpperCase(),
  'full width': (name) =>
    name.replace(/[a-z]/gu, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
};

const NUMBERS: Readonly<Record<string, (count: number) => string>> = {
  plain: String,
  'leading zero': (count) => `0${String(count)}`,
  float: (count) => `${String(count)}.0`,
  quoted: (count) => `"${String(count)}"`,
  Arabic: (count) => String(count).replace(/\d/gu, (digit) => String.fromCodePoint(0x660 + Number(digit))),
  'full width': (count) =>
    String(count).replace(/\d/gu, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  octal: (count) => `0o${count.toString(8)}`,
};

function write(name: string, count: number, how: Form): string {
  const [open, close] = how.quotes;
  const key = CASES[how.letterCase]?.(name) ?? '';
  const number = NUMBERS[how.number]?.(count) ?? '';
  return `${how.before}${open}${key}${close}${how.colon}${how.space}${number}${how.after}`;
}

const lineBreak = fc.constantFrom(
  '\n',
  '\r\n',
  '\r',
  '\u2028',
  '\n\n',
  '\n# a comment\n',
  '\nSee you there!\n',
);

/** Ways to lay lines out that Google's editor has. */
const LAYOUTS: readonly ((lines: readonly string[]) => string)[] = [
  (lines) => lines.join('<br>'),
  (lines) => lines.map((line) => `<p>${line}</p>`).join(''),
  (lines) => lines.map((line) => `<div><span>${line}</span></div>`).join('\n'),
  (lines) => `<ul>${lines.map((line) => `<li>${line}</li>`).join('')}</ul>`,
  (lines) => `<html-blob>${lines.join('<br/>')}<br></html-blob>`,
];

describe('laws of the description reader', () => {
  test('any mapping in any mix of forms reads back equal', () => {
    fc.assert(
      fc.property(
        fc.nat(99),
        fc.nat(99),
        fc.tuple(form, form, lineBreak),
        (base, workshop, [one, two, between]) => {
          const text = `${write('base', base, one)}${between}${write('workshop', workshop, two)}`;
          expect(readText(text)).toEqual({ counts: { base, workshop }, findings: [] });
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('and so it does in the markup of an editor', () => {
    const escape = (line: string): string =>
      line
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('\u00A0', '&nbsp;');
    fc.assert(
      fc.property(
        fc.nat(99),
        fc.nat(99),
        fc.tuple(form, form, fc.constantFrom(...LAYOUTS)),
        (base, workshop, [one, two, layOut]) => {
          const lines = [write('base', base, one), write('workshop', workshop, two)].map(escape);
          expect(readText(toPlainText(layOut(lines)).text)).toEqual({
            counts: { base, workshop },
            findings: [],
          });
        },
      ),
      { numRuns: 500 },
    );
  });

  // No line break, and nothing that speaks about other lines: an alias refuses the event, `--` begins a signature.
  const unreadable = fc
    .string({ unit: 'grapheme', maxLength: 40 })
    .map((text) => `~ ${text.replace(/[\n\r\v\f\u0085\u2028\u2029&*<:=]/gu, '')}`);

  test('a line that cannot be read never changes what the others give', () => {
    fc.assert(
      fc.property(fc.nat(9), unreadable, fc.nat(2), (count, line, place) => {
        const lines = [`base: ${String(count)}`, 'workshop: 4'];
        const { counts } = readText(lines.toSpliced(place, 0, line).join('\n'));
        expect(counts).toEqual({ base: count, workshop: 4 });
      }),
    );
  });

  test('a larger count on one more line never gives less', () => {
    fc.assert(
      fc.property(fc.nat(99), fc.nat(99), (first, second) => {
        const { counts } = readText(`base: ${String(first)}\nbase: ${String(second)}`);
        expect(counts).toEqual({ base: Math.max(first, second) });
      }),
    );
  });

  test('nothing makes it throw, and counts are counts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const { event } = readDescription({ id: 'e', title: text, startAt: 0, endAt: 1, text }, ['base']);
        expect(event.requests.every(({ count }) => Number.isSafeInteger(count) && count >= 0)).toBe(true);
      }),
    );
  });

  test('what it reads does not depend on the names of pools', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        const event = { id: 'e', title: 'Lab', startAt: 0, endAt: 1, text };
        expect(readDescription(event, ['base']).event).toEqual(readDescription(event).event);
      }),
    );
  });

  test.each([
    ['colons', ':'.repeat(10_000)],
    ['stars', '*'.repeat(10_000)],
    ['quotes', '"'.repeat(9_999)],
    ['commas', 'a:1,'.repeat(2_500)],
    ['closing marks', `base: 3${'.'.repeat(9_000)}x`],
    ['spaces', `base:${' '.repeat(9_000)}x`],
    ['digits', `base: ${'1 '.repeat(4_500)}`],
    ['bullets', '- '.repeat(5_000)],
    ['short lines', 'a:b\n'.repeat(2_500)],
    ['words', 'word '.repeat(2_000)],
    ['an address', `${'a.'.repeat(5_000)}@`],
    ['schemes', 'a://'.repeat(2_500)],
    ['underscores', '_'.repeat(10_000)],
    ['brackets', '[('.repeat(5_000)],
    ['pictures', '👍'.repeat(5_000)],
    ['a long name', `${'a.'.repeat(5_000)}= 3`],
    ['spans of time', '1:11-'.repeat(2_000)],
    ['control characters', '\u0000'.repeat(10_000)],
    ['requests without commas', 'base=3 '.repeat(1_400)],
    ['dropped pairs', 'base:x,'.repeat(1_400)],
    ['dropped pairs with a second colon', 'base:x:y,'.repeat(1_100)],
    ['at signs', '@'.repeat(10_000)],
  ])('ten thousand characters of %s take no more than fifty milliseconds of work', (_, text) => {
    const event = { id: 'e', title: 'Lab', startAt: 0, endAt: 1, text };
    readDescription(event, ['base']);
    const before = process.cpuUsage();
    readDescription(event, ['base']);
    const { user } = process.cpuUsage(before);
    expect(user / 1000).toBeLessThan(50);
  });
});
