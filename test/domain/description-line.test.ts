import { describe, expect, test } from 'vitest';
import { isEmptyValue, readCount } from '../../functions/domain/count-text.ts';
import { readLine } from '../../functions/domain/description-line.ts';

describe('a line without a request is', () => {
  test.each([
    ['blank', ''],
    ['blank', ' \t\u00A0'],
    ['blank', '# for the lab'],
    ['blank', '-----'],
    ['blank', '```yaml'],
    ['blank', '},'],
    ['signature', '-- '],
    ['meetingEdge', '-::~:~::~:~:~:~:~::~:~::-'],
  ])('%s: %j', (kind, line) => {
    expect(readLine(line)).toEqual({ kind });
  });

  test.each([
    ['Bring your laptops', false],
    ['https://example.edu/?week=3', true],
    ['Questions to alice@example.edu', true],
  ])('other: %s', (text, hasLink) => {
    expect(readLine(text)).toEqual({ kind: 'other', text, hasLink });
  });
});

describe('a pair has neither spaces nor quotes around it', () => {
  test.each([
    ['"base": 3', { key: 'base', value: '3', separator: ':', isTight: false }],
    ['" base ":3', { key: 'base', value: '3', separator: ':', isTight: false }],
    ['" base: 3 "', { key: 'base', value: '3', separator: ':', isTight: false }],
    ["'base' =  3", { key: 'base', value: '3', separator: '=', isTight: false }],
    ['  base   :   3 nodes  ', { key: 'base', value: '3 nodes', separator: ':', isTight: false }],
    ['base:3', { key: 'base', value: '3', separator: ':', isTight: true }],
    ['base=3', { key: 'base', value: '3', separator: '=', isTight: false }],
  ])('%j', (line, pair) => {
    expect(readLine(line)).toMatchObject({ kind: 'pairs', pairs: [pair] });
  });

  test('a name has at most a hundred characters', () => {
    expect(readLine(`${'n'.repeat(100)}: 3`)).toMatchObject({ pairs: [{ key: 'n'.repeat(100) }] });
    expect(readLine(`${'n'.repeat(101)}: 3`).kind).toBe('other');
  });
});

describe('marks of YAML', () => {
  test.each([
    ['base: &n 3', ['anchor']],
    ['base: *n', ['alias']],
    ['base: [*n, &m 3]', ['anchor', 'alias']],
    ['<<: *spring', ['merge']],
    ['base: 3', []],
    ['Topic: R &D with *new* data', []],
  ])('%s', (line, yamlMarks) => {
    expect(readLine(line)).toMatchObject({ kind: 'pairs', yamlMarks });
  });
});

describe('a value', () => {
  test('of a number and a unit is a count with a remark', () => {
    expect(readCount('3 nodes')).toEqual({ kind: 'count', count: 3, remark: 'nodes' });
  });

  test('may have a comment behind it', () => {
    expect(readCount('3 # lab')).toEqual({ kind: 'count', count: 3, remark: undefined });
  });

  test('has at most 64 characters', () => {
    expect(readCount('3'.padStart(64, '0'))).toEqual({ kind: 'count', count: 3, remark: undefined });
    expect(readCount('3'.padStart(65, '0'))).toEqual({
      kind: 'notCount',
      problem: 'more than a number',
      likely: undefined,
    });
  });

  test.each([
    ['', true],
    ['# later', true],
    ['3', false],
    ['~', false],
  ])('is nothing at all: %j, %j', (value, isEmpty) => {
    expect(isEmptyValue(value)).toBe(isEmpty);
  });
});
