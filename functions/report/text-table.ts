/** Tables and small charts for a terminal, or a pipe. */

/** Columns as wide as their widest cell; the first to the left, the others to the right. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, index) =>
    Math.max(title.length, ...rows.map((row) => (row[index] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(head), ...rows.map(line)].map((text) => `  ${text}\n`).join('');
}

const BARS = ' ▁▂▃▄▅▆▇█';

/** One character a bucket, the largest value of each; `top` fills the line's height. */
export function sparkline(values: readonly number[], top: number): string {
  return values
    .map((value) => {
      const height = value <= 0 || top <= 0 ? 0 : Math.max(1, Math.round((value / top) * (BARS.length - 1)));
      return BARS[Math.min(height, BARS.length - 1)] ?? '';
    })
    .join('');
}

/** One digit a bucket; a dot for none, a plus for ten or more. */
export function digits(values: readonly number[]): string {
  return values.map((value) => (value <= 0 ? '·' : value > 9 ? '+' : String(value))).join('');
}

/** The largest value of each of so many equal parts. */
export function bucketed(values: ArrayLike<number>, buckets: number): readonly number[] {
  const size = values.length / buckets;
  return Array.from({ length: buckets }, (_, bucket) => {
    let largest = 0;
    for (let index = Math.floor(bucket * size); index < Math.floor((bucket + 1) * size); index += 1) {
      largest = Math.max(largest, values[index] ?? 0);
    }
    return largest;
  });
}

/** Words broken to a width; every line after the first gets the indent before it. */
export function wrapped(text: string, width: number, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length > width && line !== '') {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line].join(`\n${indent}`);
}
