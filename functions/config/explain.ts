/**
 * What is wrong with one setting, and how to write it: the schema's verdict in the words of somebody who edits
 * the file. Nothing is repaired silently: `'false'` is not false, `''` is not 0, `35` is not 0.35.
 */
import type * as z from 'zod';
import { closestName } from '../domain/closest-name.ts';
import { excerpt, type SettingPath } from './path.ts';
import { explainUnknownKey } from './unknown-key.ts';

type Issue = z.core.$ZodIssue;

export interface Problem {
  readonly path: SettingPath;
  /** Whether it is about the key rather than about its value. */
  readonly isAboutKey: boolean;
  readonly message: string;
}

const PERCENT = 100;
const RATIO_KEYS: readonly PropertyKey[] = ['cpuThreshold', 'memoryThreshold'];

/** The problems behind one issue of the schema; `root` is the value that was checked. */
export function explainIssue(issue: Issue, root: unknown): readonly Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      isAboutKey: true,
      message: explainUnknownKey(issue.path, key, valueAt(root, [...issue.path, key])),
    }));
  }
  if (issue.code === 'invalid_key') {
    const message = issue.issues[0]?.message ?? 'is not a name that may stand here';
    return [{ path: issue.path, isAboutKey: true, message }];
  }
  const value = valueAt(root, issue.path);
  return [{ path: issue.path, isAboutKey: false, message: explainValue(issue, value) }];
}

function explainValue(issue: Issue, value: unknown): string {
  if (value === null) {
    return issue.code === 'invalid_type' && isContainer(issue.expected)
      ? 'has no value: is what belongs to it indented below it?'
      : 'has no value: write one, or remove the line';
  }
  if (issue.code === 'invalid_type') {
    return explainType(issue.expected, value, RATIO_KEYS.includes(issue.path.at(-1) ?? ''));
  }
  if (issue.code === 'invalid_value') {
    return explainChoice(issue.values.map(String), value);
  }
  return issue.code === 'too_big' || issue.code === 'too_small' ? explainBound(issue, value) : issue.message;
}

function explainBound(issue: Extract<Issue, { code: 'too_big' | 'too_small' }>, value: unknown): string {
  if (issue.code === 'too_small') {
    return issue.origin === 'string'
      ? 'is empty'
      : `is ${shown(value)}; the least is ${String(issue.minimum)}`;
  }
  const isPercent =
    RATIO_KEYS.includes(issue.path.at(-1) ?? '') && typeof value === 'number' && value <= PERCENT;
  return isPercent
    ? `is ${value}, but a ratio from 0 to 1: use ${value / PERCENT}`
    : `is ${shown(value)}; the most is ${String(issue.maximum)}`;
}

function explainType(expected: string, value: unknown, isRatio: boolean): string {
  if (value === undefined) {
    return 'is missing: add a line for it';
  }
  switch (expected) {
    case 'number':
    case 'int':
      return explainNumber(value, isRatio);
    case 'boolean':
      return explainBoolean(value);
    case 'string':
      return isContainer(kindOf(value))
        ? `must be a text, not ${nameOf(value)}`
        : `must be a text: write it in quotes, "${shown(value)}"`;
    case 'array':
      return `must be a list (each entry on a line that starts with "- "), not ${nameOf(value)}`;
    default:
      return `must be a mapping (key: value), not ${nameOf(value)}`;
  }
}

function explainNumber(value: unknown, isRatio: boolean): string {
  if (typeof value === 'number') {
    return `is ${value}; it must be a whole number`;
  }
  if (typeof value !== 'string') {
    return `must be a number, not ${nameOf(value)}`;
  }
  const text = value.trim();
  if (text === '') {
    return 'is empty, which is not 0: write a number, or remove the line';
  }
  const percent = /^(\d+(?:\.\d+)?)\s*%$/.exec(text)?.[1];
  if (percent !== undefined && isRatio) {
    return `is a ratio from 0 to 1: use ${Number(percent) / PERCENT}`;
  }
  const seconds = secondsOf(text);
  if (seconds !== undefined) {
    return `is in seconds: use ${seconds}`;
  }
  const digits = text.replace(/(?<=\d)[_, '](?=\d{3})/g, '');
  return /^-?\d+(\.\d+)?$/.test(digits)
    ? `must be a number: write ${digits} without quotes`
    : `must be a number, not "${excerpt(text)}"`;
}

const SECONDS_PER_UNIT: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['min', 60],
  ['h', 3600],
  ['d', 86_400],
]);

/** `10m` is what people write for a period elsewhere. */
function secondsOf(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/.exec(text) ?? [];
  const perUnit = SECONDS_PER_UNIT.get(unit);
  return number === undefined || perUnit === undefined ? undefined : Number(number) * perUnit;
}

const TRUE_WORDS = ['true', 'yes', 'on', 'y', '1'];
const FALSE_WORDS = ['false', 'no', 'off', 'n', '0'];

function explainBoolean(value: unknown): string {
  const word =
    typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : '';
  if (TRUE_WORDS.includes(word)) {
    return 'must be true or false: write true, without quotes';
  }
  if (FALSE_WORDS.includes(word)) {
    return 'must be true or false: write false, without quotes';
  }
  return value === '' ? 'is empty: write true or false, or remove the line' : 'must be true or false';
}

function explainChoice(choices: readonly string[], value: unknown): string {
  const near = typeof value === 'string' ? closestName(value, choices) : undefined;
  const hint = near === undefined ? '' : `; did you mean \`${near}\`?`;
  return `is "${shown(value)}"; it must be one of ${choices.join(', ')}${hint}`;
}

function valueAt(root: unknown, path: SettingPath): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, part)
        ? Reflect.get(value, part)
        : undefined,
    root,
  );
}

function shown(value: unknown): string {
  return typeof value === 'string'
    ? excerpt(value)
    : isContainer(kindOf(value))
      ? nameOf(value)
      : String(value);
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

function isContainer(kind: string): boolean {
  return kind === 'object' || kind === 'record' || kind === 'array';
}

function nameOf(value: unknown): string {
  switch (kindOf(value)) {
    case 'array':
      return 'a list';
    case 'object':
      return 'a mapping';
    case 'string':
      return 'a text';
    case 'boolean':
      return 'true or false';
    default:
      return `a ${kindOf(value)}`;
  }
}
