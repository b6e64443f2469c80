import { describe, expect, test } from 'vitest';
import { matchRequests } from '../../functions/domain/demand.ts';
import { MOST_FINDINGS, readDescription } from '../../functions/domain/description.ts';
import { LONGEST_DESCRIPTION, LONGEST_EXCERPT, MOST_LINES } from '../../functions/domain/description-text.ts';
import type { CalendarEvent, Finding } from '../../functions/domain/event.ts';
import { POOLS, readText } from './read-text.ts';

const NAMES = ['base', 'workshop'];

function event(text: string, title = 'Lab'): CalendarEvent {
  return { id: 'e1', title, startAt: 1000, endAt: 2000, text };
}

function findingsOf(text: string): readonly Finding[] {
  const { event: read, findings } = readDescription(event(text), NAMES);
  return [...findings, ...matchRequests([read], POOLS).findings];
}

describe('a finding names what to do', () => {
  test.each([
    ['bse: 3', '`bse`: no such pool; did you mean `base`?'],
    ['Workshp: 3', '`Workshp`: no such pool; did you mean `workshop`?'],
    ['pool base: 3', '`pool base`: no such pool; did you mean `base`?'],
    ['gpu: 3', '`gpu`: no such pool; the pools are `base`, `workshop`'],
    ['base: 2.5', '`2.5` behind `base` is not a whole number; write a whole number, such as `base: 3`'],
    ['base: 1_000', '`1_000` behind `base` is a number with separators; did you mean `base: 1000`?'],
    ['base: -1', '`-1` behind `base` is less than zero; did you mean `base: 1`?'],
    ['base: three', '`three` behind `base` is a word, not a number; did you mean `base: 3`?'],
    ['base: 0x10', '`0x10` behind `base` is a hexadecimal number; did you mean `base: 16`?'],
    ['base: 3x', '`3x` behind `base` is not a plain number; did you mean `base: 3`?'],
    ['base: 1:30', '`1:30` behind `base` is a time; write a whole number, such as `base: 3`'],
    ['base: 2-3', '`2-3` behind `base` is a range; write a whole number, such as `base: 3`'],
    ['base: 2 or 3', '`2 or 3` behind `base` is two numbers; write a whole number, such as `base: 3`'],
    [
      'base: 50%',
      '`50%` behind `base` is a share, not a number of nodes; write a whole number, such as `base: 3`',
    ],
    ['base: yes', '`yes` behind `base` is yes or no, not a number; write a whole number, such as `base: 3`'],
    ['base:', 'there is nothing behind `base`; write a whole number, such as `base: 3`'],
    ['base: 60 students', '`60 students` behind `base` is more than a number; did you mean `base: 60`?'],
    [
      'base: 3 workshop: 1',
      '`3 workshop: 1` behind `base` is more than one number; write each on a line of its own: `base: 3`, `workshop: 1`',
    ],
    ['Nodes: base: 3', '`base: 3` behind `Nodes` is more than a number; did you mean `base: 3`?'],
    [
      'need base:3 at 9:00',
      '`3 at 9:00` behind `need base` is more than one number; did you mean `base: 3`?',
    ],
    ['Nodes: base 3', '`base 3` behind `Nodes` is more than a number; did you mean `base: 3`?'],
    ['<p>base: 3</p>', '`3</p>` behind `<p>base` is more than a number; did you mean `base: 3`?'],
    ['base: lots', '`lots` behind `base` is a word, not a number; write a whole number, such as `base: 3`'],
    ['base: zero', '`zero` behind `base` is a word, not a number; did you mean `base: 0`?'],
    ['base:#3', 'there is nothing behind `base`; write a whole number, such as `base: 3`'],
    [
      `base: ${'9'.repeat(65)}`,
      `\`${'9'.repeat(65)}\` behind \`base\` is more than a number; write a whole number, such as \`base: 3\``,
    ],
    [
      'base: 1 base: 2 base: 3 base: 4 base: 5 workshop: 6',
      '`1 base: 2 base: 3 base: 4 base: 5 workshop: 6` behind `base` is more than one number; write each on a line of its own: `base: 1`, `base: 2`, `base: 3`, `base: 4`, `base: 5`',
    ],
    ['3', '`3` is no count for a pool; write `POOL: NUMBER` on a line of its own, such as `base: 3`'],
    [
      `base ${'.'.repeat(94)}3`,
      `\`base ${'.'.repeat(74)}…\` is no count for a pool; did you mean \`base: 3\`?`,
    ],
    [
      `base ${'.'.repeat(95)}3`,
      `\`base ${'.'.repeat(74)}…\` is no count for a pool; write \`POOL: NUMBER\` on a line of its own, such as \`base: 3\``,
    ],
    [
      'base: 3\n<<: *spring',
      'YAML anchors and aliases are not read, so nothing of this event counts; write every count out',
    ],
    ['', 'the description asks for nothing; write `POOL: NUMBER` lines, such as `base: 3`'],
    ['base: ~~3~~', '`~~3~~` behind `base` is struck out; write a whole number, such as `base: 3`'],
    ['base → 3', '`base → 3` is no count for a pool; did you mean `base: 3`?'],
    ['base - 3', '`base - 3` is no count for a pool; did you mean `base: 3`?'],
    ['3 x base', '`3 x base` is no count for a pool; did you mean `base: 3`?'],
    ['| base | 3 |', '`| base | 3 |` is no count for a pool; did you mean `base: 3`?'],
    ['base,3', '`base,3` is no count for a pool; did you mean `base: 3`?'],
    ['bsae 3', '`bsae 3` is no count for a pool; did you mean `base: 3`?'],
    ['3: base', '`3: base` is no count for a pool; did you mean `base: 3`?'],
    ['base-pool: 3', '`base-pool`: no such pool; did you mean `base`?'],
    ['hub-west/base: 3', '`hub-west/base`: no such pool; did you mean `base`?'],
    [
      'base & workshop: 3',
      '`base & workshop`: no such pool; did you mean `base` and `workshop`? Write each on a line of its own',
    ],
    ['base 3', '`base 3` is no count for a pool; did you mean `base: 3`?'],
    ['base:3', 'no space behind the colon; read as `base: 3`'],
    ['base = 3', '`=` instead of a colon; read as `base: 3`'],
    ['base: 3 nodes', 'read as `base: 3`; put remarks behind ` # ` to be safe'],
    ['base: 5\nbase: 3', '`base` is asked for twice (line 1 too); the larger count, 5, counts'],
    ['Instructor: Alice', 'line ignored: `Instructor` is no pool and `Alice` is no count'],
    ['base for all', 'line ignored: it names `base` but no number; to ask for nodes, write `base: 3`'],
  ])('%s', (text, message) => {
    expect(findingsOf(text).map((finding) => finding.message)).toEqual([message]);
  });

  test('it carries event, start, line and the text in question', () => {
    expect(findingsOf('hello\nbase: 2.5')).toEqual([
      {
        code: 'not-a-count',
        severity: 'warning',
        eventId: 'e1',
        eventTitle: 'Lab',
        eventStartAt: 1000,
        line: 2,
        text: 'base: 2.5',
        message: '`2.5` behind `base` is not a whole number; write a whole number, such as `base: 3`',
      },
    ]);
  });

  test.each([
    ['base:3', 'base:3'],
    ['base = 3', 'base=3'],
    ['base: 3 nodes', 'base:3 nodes'],
    ['base: 3\nbase: 5', 'base: 5'],
    ['a: &n 3\nbase: *n', 'a: &n 3'],
    ['', ''],
  ])('it carries what was written: %j', (text, expected) => {
    expect(findingsOf(text).map((finding) => finding.text)).toEqual([expected]);
  });

  test('of two equal counts the first line is the one that asks', () => {
    expect(readDescription(event('base: 3\nbase: 3'), NAMES).event.requests).toEqual([
      { key: 'base', count: 3, line: 1 },
    ]);
  });

  test('the name of a pool alone is no request, even when it ends with a number', () => {
    const { findings } = readDescription(event('gpu2\ngpu: 3'), ['gpu', 'gpu2']);
    expect(findings.map(({ message }) => message)).toEqual([
      'line ignored: it names `gpu2` but no number; to ask for nodes, write `gpu2: 3`',
    ]);
  });

  test.each(['base: 3', 'Lab: introduction, base: 3', 'base: 3 nodes'])(
    'a count in the title is pointed out when the description asks for nothing: %s',
    (title) => {
      const { findings } = readDescription(event('See you there', title), NAMES);
      expect(findings.map(({ code, severity, message }) => [code, severity, message])).toEqual([
        ['count-in-title', 'warning', 'counts in a title are not read; move them to the description'],
      ]);
    },
  );

  test('a title that only looks like one is not', () => {
    const { findings } = readDescription(event('', 'Lab: introduction'), NAMES);
    expect(findings.map(({ code }) => code)).toEqual(['no-counts']);
  });
});

describe('without pool names, whatever may be a name is reported', () => {
  test.each([
    ['Instructor: Alice', ['not-a-count']],
    ['gpu: 2.5', ['not-a-count']],
    ['lab 12', ['unreadable-line']],
    ['Please note: bring a laptop', ['no-counts']],
    ['Zoom: https://example.edu', ['no-counts']],
    ['See you there', ['no-counts']],
  ])('%s', (text, codes) => {
    expect(readDescription(event(text)).findings.map(({ code }) => code)).toEqual(codes);
  });

  test('with what was probably meant', () => {
    expect(readDescription(event('lab 12')).findings.map(({ message }) => message)).toEqual([
      '`lab 12` is no count for a pool; did you mean `lab: 12`?',
    ]);
  });
});

describe('a description is bounded', () => {
  test('a text that is too long ends with its last whole line', () => {
    // 8 + 201 * 99 + 81 characters: the bound falls behind the second digit of the last number.
    const filler = `${'x'.repeat(98)}\n`.repeat(201);
    const text = `base: 3\n${filler}${'y'.repeat(80)}\nworkshop: 123456`;
    expect(text.slice(0, LONGEST_DESCRIPTION)).toMatch(/workshop: 12$/u);
    expect(readText(text)).toEqual({ counts: { base: 3 }, findings: ['warning text-cut 203'] });
  });

  test('nothing behind the bound is read', () => {
    const text = `base: 3\n${'x'.repeat(LONGEST_DESCRIPTION)}\nworkshop: 1\nThank you`;
    const { event: read, findings } = readDescription(event(text), NAMES);
    expect(read.requests).toEqual([{ key: 'base', count: 3, line: 1 }]);
    expect(findings).toEqual([
      {
        code: 'text-cut',
        severity: 'warning',
        eventId: 'e1',
        eventTitle: 'Lab',
        eventStartAt: 1000,
        line: 1,
        text: '',
        message: 'the description is too long; nothing behind line 1 was read: put the counts first',
      },
    ]);
  });

  test('a text that just fits is read whole', () => {
    const text = `${'# a remark\n'.repeat(2)}base: 3 #`.padEnd(LONGEST_DESCRIPTION, '.');
    expect(readText(text)).toEqual({ counts: { base: 3 }, findings: [] });
  });

  test('as many lines as are read are not too many', () => {
    const text = `${'\n'.repeat(MOST_LINES - 1)}base: 3`;
    expect(readText(text)).toEqual({ counts: { base: 3 }, findings: [] });
  });

  test('one endless line gives nothing but the finding', () => {
    expect(readText(`base: ${'1'.repeat(LONGEST_DESCRIPTION)}`)).toEqual({
      counts: {},
      findings: ['warning text-cut 0'],
    });
  });

  test('too many lines are cut', () => {
    const text = `${'\n'.repeat(MOST_LINES)}base: 3`;
    expect(readText(text)).toEqual({ counts: {}, findings: [`warning text-cut ${String(MOST_LINES)}`] });
  });

  test('too many findings are counted, not listed', () => {
    const text = Array.from({ length: MOST_FINDINGS + 30 }, (_, index) => `base: ${String(index)}.5`).join(
      '\n',
    );
    const { findings } = readDescription(event(text), NAMES);
    expect(findings).toHaveLength(MOST_FINDINGS + 1);
    expect(findings.at(-1)).toMatchObject({
      code: 'more-findings',
      severity: 'warning',
      text: '',
      message: '30 more lines of this event were dropped or odd',
    });
  });

  test('as many findings as are listed are not too many', () => {
    const text = Array.from({ length: MOST_FINDINGS }, (_, index) => `base: ${String(index)}.5`).join('\n');
    expect(readDescription(event(text), NAMES).findings.map(({ code }) => code)).toEqual(
      Array.from({ length: MOST_FINDINGS }, () => 'not-a-count'),
    );
  });

  test('a finding carries an excerpt, never the text', () => {
    const [finding] = readDescription(event(`base: ${'secret '.repeat(500)}`), NAMES).findings;
    expect(finding?.text).toHaveLength(LONGEST_EXCERPT);
    expect(finding?.message.length).toBeLessThan(250);
  });

  test('an excerpt holds no control characters', () => {
    const [finding] = readDescription(event('base: \u001B[31mred\u0007'), NAMES).findings;
    expect(finding?.text).toBe('base: [31mred');
  });

  test('the prototype of all objects is untouched', () => {
    readText('__proto__: 5\nconstructor: 2\nprototype: 3\nhasOwnProperty: 1');
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)['5']).toBeUndefined();
  });

  test('an event keeps its id, title and window', () => {
    expect(readDescription(event('base: 3')).event).toEqual({
      id: 'e1',
      title: 'Lab',
      startAt: 1000,
      endAt: 2000,
      requests: [{ key: 'base', count: 3, line: 1 }],
    });
  });
});
