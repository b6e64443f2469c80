import { describe, expect, test } from 'vitest';
import { excerpt } from '../../functions/domain/description-text.ts';
import { cutTitle, quoteTitle } from '../../functions/domain/title.ts';

const HOSTILE: readonly (readonly [name: string, title: string, line: string])[] = [
  ['a newline', 'Lab\nERROR all pools at zero', 'Lab ERROR all pools at zero'],
  ['a carriage return', 'Lab\rERROR', 'Lab ERROR'],
  ['a line separator of Unicode', 'Lab\u2028ERROR', 'Lab ERROR'],
  ['a colour', '\u001B[31mLab\u001B[0m', '[31mLab [0m'],
  ['a window title', '\u001B]0;owned\u0007Lab', ']0;owned Lab'],
  ['a C1 control sequence', '\u009B2JLab', '2JLab'],
  ['a backspace', 'Lab\b\b\bFab', 'Lab Fab'],
  ['writing turned around', 'Lab \u202E3 :esab\u202C', 'Lab 3 :esab'],
  ['isolated writing', '\u2067Lab\u2069', 'Lab'],
  ['Hebrew', 'מעבדה 3', 'מעבדה 3'],
  ['a joined emoji', 'Lab 👩‍💻', 'Lab 👩‍💻'],
];

describe('a title is one line that moves nothing', () => {
  test.each(HOSTILE)('%s', (_, title, line) => {
    expect(cutTitle(title)).toBe(line);
    expect(quoteTitle(title)).toBe(`'${line}'`);
  });
});

describe('so is an excerpt of a description', () => {
  test.each(HOSTILE)('%s', (_, text, line) => {
    expect(excerpt(text)).toBe(line);
  });
});

test('a long title is cut between characters', () => {
  expect(cutTitle('🧪'.repeat(200))).toBe(`${'🧪'.repeat(80)}…`);
});

test('a long excerpt is cut between characters and says so', () => {
  expect(excerpt('🧪'.repeat(200))).toBe(`${'🧪'.repeat(79)}…`);
  expect(excerpt('a'.repeat(200))).toBe(`${'a'.repeat(79)}…`);
});

test('a title that just fits is whole, and so is an excerpt', () => {
  expect(cutTitle('a'.repeat(80))).toBe('a'.repeat(80));
  expect(excerpt('a'.repeat(80))).toBe('a'.repeat(80));
});

test('a title of nothing visible is none', () => {
  expect(quoteTitle('\u202E \u001B\n')).toBe('without a title');
});
