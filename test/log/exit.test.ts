import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseLines, runProgram } from '../commands/run-program.ts';

const file = fileURLToPath(new URL('./log-and-leave.ts', import.meta.url));
const EVERY_LINE = Array.from({ length: 2000 }, (_, index) => index + 1);

describe('nothing of the log is lost when the process ends right after it', () => {
  test('as JSON', async () => {
    const { code, stdout, stderr } = await runProgram(['json'], { file });

    expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
    expect(parseLines(stdout).map(({ line }) => line)).toEqual(EVERY_LINE);
  });

  test('as text', async () => {
    const { code, stdout } = await runProgram(['text'], { file });

    expect(code).toBe(3);
    expect(stdout.match(/(?<=line=)\d+/g)?.map(Number)).toEqual(EVERY_LINE);
  });

  test('on SIGTERM', async () => {
    let hasSent = false;
    const { code, stdout } = await runProgram(['json', 'SIGTERM'], {
      file,
      onOutput: (text, child) => {
        hasSent ||= text.includes('ready') && child.kill('SIGTERM');
      },
    });

    expect(code).toBe(3);
    expect(parseLines(stdout).map(({ line }) => line)).toEqual([undefined, ...EVERY_LINE]);
  });
});
