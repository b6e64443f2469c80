import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createQuantityReader,
  exactMillis,
  exactUnits,
  millisRoundedUp,
  parseQuantity,
  unitsRoundedUp,
} from '../../functions/domain/quantity.ts';

function nanosOf(text: string | number): bigint {
  const quantity = parseQuantity(text);
  expect(quantity).toMatchObject({ kind: 'known' });
  return (quantity as { readonly nanos: bigint }).nanos;
}

describe('memory, in bytes', () => {
  test.each([
    ['59350076Ki', 60_774_477_824],
    ['2Ti', 2_199_023_255_552],
    ['1G', 1_000_000_000],
    ['500k', 500_000],
    ['129e6', 129_000_000],
    ['128974848000m', 128_974_848],
    ['1E', 10 ** 18],
    ['1E3', 1000],
    ['1e3', 1000],
    ['1e+3', 1000],
    ['12E-1', 1.2],
    ['1Ki', 1024],
    ['1Mi', 1_048_576],
    ['1Gi', 1_073_741_824],
    ['1Pi', 1_125_899_906_842_624],
    ['1Ei', 2 ** 60],
    ['1M', 1_000_000],
    ['1T', 10 ** 12],
    ['1P', 10 ** 15],
    ['0', 0],
    ['0Ki', 0],
    ['+5', 5],
    ['-5', -5],
    ['1.', 1],
    ['1.Gi', 1_073_741_824],
    ['.5Ki', 512],
    ['007', 7],
    [6_442_450_944, 6_442_450_944],
    [0.5, 0.5],
    [1e21, 1e21],
  ])('%s is %d', (text, bytes) => {
    expect(exactUnits(nanosOf(text))).toBe(bytes);
  });
});

describe('cpu, in millicores', () => {
  test.each([
    ['0.5', 500],
    ['2', 2000],
    ['1e3', 1_000_000],
    ['100n', 0.0001],
    ['100u', 0.1],
    ['250m', 250],
    ['1k', 1_000_000],
    [3.5, 3500],
  ])('%s is %d', (text, millicores) => {
    expect(exactMillis(nanosOf(text))).toBe(millicores);
  });
});

describe('a request, rounded up as the scheduler rounds it', () => {
  test.each([
    ['966367641600m', 966_367_642],
    ['2.1Gi', 2_254_857_831],
    ['1n', 1],
    ['1024', 1024],
  ])('%s of memory is %d bytes', (text, bytes) => {
    expect(unitsRoundedUp(nanosOf(text))).toBe(bytes);
  });

  test.each([
    ['100n', 1],
    ['250m', 250],
    ['250.1m', 251],
    ['0.0011', 2],
  ])('%s of cpu is %d millicores', (text, millicores) => {
    expect(millisRoundedUp(nanosOf(text))).toBe(millicores);
  });
});

describe('the edges of the grammar', () => {
  test.each([
    ['a binary quantity is capped at 2^63 - 1', '8Ei', (2n ** 63n - 1n) * 10n ** 9n],
    ['a decimal one is not', '100E', 10n ** 29n],
    ['what is finer than a billionth is rounded up to one', '0.1n', 1n],
    ['however small', '1e-400', 1n],
    ['away from zero, below it too', '-0.1n', -1n],
    ['zero stays zero', '0.0n', 0n],
    ['a text of 64 characters', '1'.padStart(64, '0'), 10n ** 9n],
    ['an exponent of 64', '1e64', 10n ** 73n],
  ])('%s', (_name, text, nanos) => {
    expect(parseQuantity(text)).toEqual({ kind: 'known', nanos });
  });
});

describe('what is no quantity is invalid, never zero', () => {
  test.each([
    ['16g', '"16g" is not a Kubernetes quantity (suffixes are G for powers of 1000, Gi for powers of 1024)'],
    [
      '500K',
      '"500K" is not a Kubernetes quantity (suffixes are k for powers of 1000, Ki for powers of 1024)',
    ],
    ['2GB', '"2GB" is not a Kubernetes quantity (suffixes are G for powers of 1000, Gi for powers of 1024)'],
    ['5x', '"5x" is not a Kubernetes quantity'],
    ['abc', '"abc" is not a Kubernetes quantity'],
    ['1E2Mi', '"1E2Mi" is not a Kubernetes quantity'],
    ['', '"" is not a Kubernetes quantity'],
    ['.', '"." is not a Kubernetes quantity'],
    ['Ki', '"Ki" is not a Kubernetes quantity'],
    ['1 Gi', '"1 Gi" is not a Kubernetes quantity'],
    ['1.2.3', '"1.2.3" is not a Kubernetes quantity'],
    ['1e1.5', '"1e1.5" is not a Kubernetes quantity'],
    ['--1', '"--1" is not a Kubernetes quantity'],
    ['1Gi\n', '"1Gi\n" is not a Kubernetes quantity'],
    ['NaN', '"NaN" is not a Kubernetes quantity'],
    ['Infinity', '"Infinity" is not a Kubernetes quantity'],
    ['0x10', '"0x10" is not a Kubernetes quantity'],
    ['1e65', '"1e65" is not a Kubernetes quantity'],
    ['x'.repeat(40), `"${'x'.repeat(40)}" is not a Kubernetes quantity`],
    ['x'.repeat(41), `"${'x'.repeat(40)}…" is not a Kubernetes quantity`],
    ['9'.repeat(65), `"${'9'.repeat(40)}…" is not a Kubernetes quantity`],
  ])('%j', (text, problem) => {
    expect(parseQuantity(text)).toEqual({ kind: 'invalid', problem });
  });

  test('an exponent without digits is invalid', () => {
    expect(parseQuantity('1e')).toMatchObject({ kind: 'invalid' });
  });
});

describe('a reader of many quantities', () => {
  const others = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `${index}Mi`);

  test.each([
    ['at once', 0, true],
    ['after another', 1, true],
    ['after 4095 others', 4095, true],
    ['after 4096 others, for which it forgot all', 4096, false],
  ])('meets a text again %s', (_name, count, isRemembered) => {
    const read = createQuantityReader();
    const first = read('59350076Ki');
    others(count).forEach(read);
    expect(read('59350076Ki') === first).toBe(isRemembered);
  });
});

describe('laws', () => {
  const suffixes = fc.constantFrom('n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti');

  test('rounding up never gives less than the exact value, and less than one more', () => {
    fc.assert(
      fc.property(fc.nat(8000), suffixes, (digits, suffix) => {
        const nanos = nanosOf(`${digits}${suffix}`);
        const bytes = unitsRoundedUp(nanos);
        expect(BigInt(bytes) * 10n ** 9n - nanos).toBeGreaterThanOrEqual(0n);
        expect(BigInt(bytes) * 10n ** 9n - nanos).toBeLessThan(10n ** 9n);
      }),
    );
  });

  test('a reader that remembers reads what a fresh one reads, past its bound too', () => {
    const read = createQuantityReader();
    const texts = Array.from({ length: 5000 }, (_, index) => `${index}Mi`);
    expect([...texts, ...texts].map(read)).toEqual([...texts, ...texts].map(parseQuantity));
  });

  test('no text makes it throw', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(['known', 'invalid']).toContain(parseQuantity(text).kind);
      }),
    );
  });
});
