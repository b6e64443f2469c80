import { describe, expect, it } from 'vitest';
import { runMorning } from '../../functions/commands/morning.ts';
import { element, escapeText } from '../../functions/report/markup.ts';
import { bucketed, digits, sparkline, textTable, wrapped } from '../../functions/report/text-table.ts';
import { clockTime, dayAndTime, duration } from '../../functions/report/units.ts';
import { renderReport } from '../../functions/report/html.ts';
import { referenceMorning } from '../../functions/simulation/reference-morning.ts';
import { percentile } from '../../functions/simulation/summary.ts';
import { runTrial } from '../../functions/simulation/trial.ts';

describe('numbers for people', () => {
  it.each([
    [0, '0 s'],
    [59.4, '59 s'],
    [60, '1 min'],
    [385, '6 min 25 s'],
    [3600, '1 h 0 min'],
    [3905, '1 h 5 min'],
  ])('%d seconds are %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });

  it('are told in the zone of the scenario', () => {
    const at = Date.UTC(2026, 8, 7, 15, 50);
    expect(clockTime(at, 'America/Los_Angeles')).toBe('08:50');
    expect(dayAndTime(at, 'America/Los_Angeles')).toBe('Mon 7 Sept, 08:50');
  });

  it.each([
    [[], 0.95, 0],
    [[7], 0.5, 7],
    [[1, 2, 3, 4], 0.5, 2],
    [[1, 2, 3, 4], 0.95, 4],
    [Array.from({ length: 100 }, (_, index) => index + 1), 0.95, 95],
  ])('of %j the share %d does not exceed %d', (sorted, share, value) => {
    expect(percentile(sorted, share)).toBe(value);
  });
});

describe('text charts', () => {
  it('keep the largest value of each bucket', () => {
    expect(bucketed([0, 5, 0, 1, 9, 2], 3)).toEqual([5, 1, 9]);
    expect(bucketed(new Uint16Array([1, 2, 3]), 3)).toEqual([1, 2, 3]);
  });

  it('draw heights, and show that one is not none', () => {
    expect(sparkline([0, 1, 50, 100], 100)).toBe(' ▁▄█');
    expect(digits([0, 3, 12])).toBe('·3+');
  });

  it('align columns and break words at the width', () => {
    expect(textTable(['a', 'long'], [['row', '1']])).toBe('  a    long\n  row     1\n');
    expect(wrapped('one two three', 7, '  ')).toBe('one two\n  three');
  });
});

describe('markup', () => {
  it('escapes what comes from outside', () => {
    expect(escapeText(`<b a="1" c='2'>&`)).toBe('&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;');
    expect(element('p', { title: '"><script>' }, '<i>', 1, [element('br'), undefined]).markup).toBe(
      '<p title="&quot;&gt;&lt;script&gt;">&lt;i&gt;1<br></p>',
    );
  });

  it('of a whole report holds an event’s title back from being markup', async () => {
    const reference = referenceMorning();
    const events = reference.events.map((event) => ({ ...event, title: '<img src=x onerror=alert(1)>' }));
    const result = await runTrial({ ...reference, events }, { seed: 1, compare: [] });
    const html = renderReport(result);
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(html).not.toContain('<img');
  });
});

describe('the demonstration', () => {
  const morning = async (columns: number): Promise<string> => {
    const written: string[] = [];
    expect(await runMorning({ write: (text) => written.push(text), seed: 1, columns })).toBe(0);
    return written.join('');
  };

  it('tells what changed and why, who waited, and what would have happened otherwise', async () => {
    const text = await morning(100);
    expect(text).toMatch(/^ {2}08:50 {2}placeholders base 1 → 3: .*'Monday class'/m);
    expect(text).toContain('the last one logs in');
    expect(text).toMatch(/^ {2}this product +3 s +3 s +3 s +0 /m);
    expect(text).toMatch(/^ {2}no placeholders at all .* 9 min \d+ s/m);
    expect(text).not.toContain('COLD');
  });

  it('fits a narrow terminal, the table aside', async () => {
    const lines = (await morning(72)).split('\n');
    const wide = lines.filter((line) => line.length > 72);
    expect(wide.every((line) => /^ {2,}\S.* {2,}\S/.test(line))).toBe(true);
  });

  it('is the same for the same seed', async () => {
    expect(await morning(90)).toBe(await morning(90));
  });
});
