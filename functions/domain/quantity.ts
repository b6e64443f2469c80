/**
 * A Kubernetes quantity (`2`, `500m`, `59350076Ki`, `129e6`) means exactly one number, to a billionth.
 * One that cannot be read is never zero: it is invalid, and says why.
 *
 * The grammar and the rounding are those of apimachinery's resource.Quantity. Stricter on one point: its scanner
 * happens to take a suffix without any digit (`Ki`) for zero, which its own grammar does not allow; here it is
 * invalid. An API server rewrites such a quantity to `0` before anybody reads it.
 */

export type Quantity =
  | {
      readonly kind: 'known';
      /** Billionths of one unit (a core, a byte): exact. */
      readonly nanos: bigint;
    }
  | { readonly kind: 'invalid'; readonly problem: string };

/** As the API or a config file carries it. */
export type QuantityText = string | number;

const DECIMAL_EXPONENTS: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);

const BINARY_EXPONENTS: ReadonlyMap<string, bigint> = new Map([
  ['Ki', 10n],
  ['Mi', 20n],
  ['Gi', 30n],
  ['Ti', 40n],
  ['Pi', 50n],
  ['Ei', 60n],
]);

const NANOS_PER_UNIT = 1_000_000_000n;
const NANOS_PER_MILLI = 1_000_000n;
const NANO_DIGITS = 9;
/** Binary quantities are capped there, silently (ParseQuantity): `8Ei` is 2^63 - 1. */
const MAX_BINARY_NANOS = (2n ** 63n - 1n) * NANOS_PER_UNIT;
/** Far past any machine: bounds the work that one text can cause. */
const MAX_TEXT_LENGTH = 64;
const MAX_EXPONENT = 64;
/** Anything that small is rounded up to one billionth in any case. */
const MIN_EXPONENT = -128;

/** The exact value of a quantity, or what is wrong with it. */
export function parseQuantity(text: QuantityText): Quantity {
  const source = String(text);
  const match = source.length <= MAX_TEXT_LENGTH ? /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(.*)$/s.exec(source) : null;
  if (match === null) {
    return invalid(source);
  }
  const [, sign = '', number = '', suffix = ''] = match;
  const magnitude = magnitudeOf(number, suffix);
  if (magnitude === undefined) {
    return invalid(source, suffix);
  }
  return { kind: 'known', nanos: sign === '-' ? -magnitude : magnitude };
}

/** Reads many quantities: remembers the texts it has met, since a cluster's pods repeat a few dozen. */
export function createQuantityReader(): (text: QuantityText) => Quantity {
  const remembered = new Map<QuantityText, Quantity>();
  const maxRemembered = 4096;
  return (text) => {
    const known = remembered.get(text);
    if (known !== undefined) {
      return known;
    }
    if (remembered.size >= maxRemembered) {
      remembered.clear();
    }
    const quantity = parseQuantity(text);
    remembered.set(text, quantity);
    return quantity;
  };
}

/** Millicores, exact to a float: `100n` of cpu is 0.0001. */
export function exactMillis(nanos: bigint): number {
  return Number(nanos / NANOS_PER_MILLI) + Number(nanos % NANOS_PER_MILLI) / Number(NANOS_PER_MILLI);
}

/** Whole units (bytes), exact to a float. */
export function exactUnits(nanos: bigint): number {
  return Number(nanos / NANOS_PER_UNIT) + Number(nanos % NANOS_PER_UNIT) / Number(NANOS_PER_UNIT);
}

/** Millicores as the scheduler counts a request: rounded up (Quantity.MilliValue). */
export function millisRoundedUp(nanos: bigint): number {
  return Number(divideRoundingUp(nanos, NANOS_PER_MILLI));
}

/** Bytes as the scheduler counts a request: rounded up (Quantity.Value). */
export function unitsRoundedUp(nanos: bigint): number {
  return Number(divideRoundingUp(nanos, NANOS_PER_UNIT));
}

function magnitudeOf(number: string, suffix: string): bigint | undefined {
  const [whole = '', fraction = ''] = number.split('.');
  const digits = BigInt(whole + fraction);
  const binary = BINARY_EXPONENTS.get(suffix);
  if (binary !== undefined) {
    const nanos = scaled(digits << binary, NANO_DIGITS - fraction.length);
    return nanos > MAX_BINARY_NANOS ? MAX_BINARY_NANOS : nanos;
  }
  const exponent = DECIMAL_EXPONENTS.get(suffix) ?? decimalExponent(suffix);
  return exponent === undefined || exponent > MAX_EXPONENT
    ? undefined
    : scaled(digits, exponent + NANO_DIGITS - fraction.length);
}

/** `e3`, `E-2`; undefined when the suffix is no exponent. */
function decimalExponent(suffix: string): number | undefined {
  const match = /^[eE]([+-]?\d+)$/.exec(suffix);
  return match === null ? undefined : Math.max(Number(match[1]), MIN_EXPONENT);
}

/** `digits` times ten to that power, a non-zero remainder rounded up. */
function scaled(digits: bigint, power: number): bigint {
  return power >= 0 ? digits * 10n ** BigInt(power) : divideRoundingUp(digits, 10n ** BigInt(-power));
}

function divideRoundingUp(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value % divisor > 0n ? quotient + 1n : quotient;
}

function invalid(source: string, suffix = ''): Quantity {
  const shown = source.length > 40 ? `${source.slice(0, 40)}…` : source;
  return { kind: 'invalid', problem: `"${shown}" is not a Kubernetes quantity${hint(suffix)}` };
}

/** People write `16g`, `500K`, `2GB`: the suffix that they may have meant. */
function hint(suffix: string): string {
  const letter = /^[kmgtpe]/i.exec(suffix)?.[0].toUpperCase();
  if (letter === undefined || !/^[a-z]i?b?$/i.test(suffix)) {
    return '';
  }
  const decimal = letter === 'K' ? 'k' : letter;
  return ` (suffixes are ${decimal} for powers of 1000, ${letter}i for powers of 1024)`;
}
