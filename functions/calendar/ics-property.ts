/** Properties of an ICS component as the parser gives them, and the times among their values. */
import ICAL from 'ical.js';
import type { WallMs } from './civil-calendar.ts';
import { fieldOf } from '../unknown-shape.ts';
import { wallOf } from './zone.ts';

export interface IcsProperty {
  /** In lower case. */
  readonly name: string;
  readonly parameters: unknown;
  readonly values: readonly unknown[];
}

/** A time as it is written: on a wall, in UTC, or a whole day. */
export interface IcsTime {
  readonly wall: WallMs;
  readonly isDate: boolean;
  readonly isUtc: boolean;
  /** The zone it names; undefined for UTC, for whole days and for floating times. */
  readonly tzid: string | undefined;
}

export interface IcsComponent {
  readonly properties: readonly IcsProperty[];
  readonly children: readonly { readonly name: string; readonly properties: readonly IcsProperty[] }[];
}

/** @throws Error when the text is no component. */
export function parseComponent(text: string): IcsComponent {
  const parsed: unknown = ICAL.parse(text);
  const [, properties, children] = Array.isArray(parsed) ? (parsed as readonly unknown[]) : [];
  return {
    properties: readProperties(properties),
    children: listOf(children).map((child) => {
      const [name, own] = listOf(child);
      return { name: String(name), properties: readProperties(own) };
    }),
  };
}

function readProperties(list: unknown): readonly IcsProperty[] {
  return listOf(list).map((entry) => {
    const [name, parameters, , ...values] = listOf(entry);
    return { name: String(name), parameters, values };
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A parameter such as TZID; a list, which some programs write, counts by its first entry. */
export function parameterOf(property: IcsProperty, name: string): string | undefined {
  const value = fieldOf(property.parameters, name);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && first !== '' ? first : undefined;
}

// The parser takes a time apart by position: `20260505` without VALUE=DATE comes back as `2026-05-05T::`.
const TIME = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d)?:(\d\d)?:(\d\d)?(Z)?)?$/u;

/** @throws Error when the value is no time. */
export function readTime(value: unknown, tzid?: string): IcsTime {
  const [, year, month, day, hour, minute, second, utc] =
    TIME.exec(typeof value === 'string' ? value : '') ?? [];
  const wall = wallOf({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour ?? 0),
    minute: Number(minute ?? 0),
    second: Number(second ?? 0),
  });
  if (wall === undefined || Number.isNaN(wall)) {
    throw new Error('a time that cannot be read');
  }
  const isDate = hour === undefined;
  const isUtc = utc !== undefined;
  return { wall, isDate, isUtc, tzid: isDate || isUtc ? undefined : tzid };
}

/** All times of a property, each in the property's own zone. @throws Error when one is no time. */
export function readTimes(property: IcsProperty): readonly IcsTime[] {
  const tzid = parameterOf(property, 'tzid');
  return property.values.map((value) => readTime(value, tzid));
}
