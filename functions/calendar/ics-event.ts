/** One VEVENT read: its times as they are written, not yet placed in any zone. */
import ICAL from 'ical.js';
import type { PlainText } from './description-text.ts';
import { documentToPlainText, toPlainText } from './description-text.ts';
import {
  parameterOf,
  parseComponent,
  readTime,
  readTimes,
  type IcsComponent,
  type IcsProperty,
  type IcsTime,
} from './ics-property.ts';
import { readRule, readUntil } from './ics-rule.ts';
import type { Rule } from './recurrence.ts';
import { DAY, SECOND } from './civil-calendar.ts';

/** How long an event lasts: until a time, or so many days on the wall and then so many milliseconds. */
export type IcsEnd =
  | { readonly kind: 'time'; readonly time: IcsTime }
  | { readonly kind: 'length'; readonly days: number; readonly ms: number };

export interface IcsExtra {
  readonly time: IcsTime;
  /** Its own end, where RDATE gives a period. */
  readonly end: IcsEnd | undefined;
}

export interface IcsEvent {
  readonly uid: string;
  readonly title: string;
  readonly sequence: number;
  readonly isCancelled: boolean;
  readonly start: IcsTime;
  /** Undefined: neither DTEND nor DURATION. */
  readonly end: IcsEnd | undefined;
  readonly rule: Rule | undefined;
  readonly until: IcsTime | undefined;
  readonly extra: readonly IcsExtra[];
  readonly excluded: readonly IcsTime[];
  /** Which instance this one replaces. */
  readonly recurrenceId: IcsTime | undefined;
  /** It replaces all later instances too (RANGE=THISANDFUTURE). */
  readonly isRange: boolean;
  /** Converted only when the event is in the window. */
  readonly describe: () => PlainText;
}

/** @throws Error when the text is no readable VEVENT. */
export function readEvent(text: string): IcsEvent {
  const component = parseComponent(text);
  const first = (name: string): IcsProperty | undefined =>
    component.properties.find((property) => property.name === name);
  const start = onlyTime(first('dtstart'));
  if (start === undefined || first('exrule') !== undefined) {
    throw new Error('no DTSTART, or an EXRULE, which the standard has given up');
  }
  const title = textValue(first('summary'));
  return {
    uid: textValue(first('uid')) || `${title} ${String(start.wall)}`,
    title,
    sequence: Number(first('sequence')?.values[0] ?? 0) || 0,
    isCancelled: textValue(first('status')).toUpperCase() === 'CANCELLED',
    start,
    end: readEnd(first('dtend'), first('duration')),
    ...readRecurrence(component, first('rrule')?.values[0], start),
    ...readReplacement(first('recurrence-id')),
    describe: () => describe(component),
  };
}

function readRecurrence(
  component: IcsComponent,
  rule: unknown,
  start: IcsTime,
): Pick<IcsEvent, 'rule' | 'until' | 'extra' | 'excluded'> {
  const until = readUntil(rule);
  return {
    rule: rule === undefined ? undefined : readRule(rule),
    until: until === undefined ? undefined : readTime(until, start.tzid),
    extra: component.properties.filter(({ name }) => name === 'rdate').flatMap(readExtra),
    excluded: component.properties.filter(({ name }) => name === 'exdate').flatMap(readTimes),
  };
}

function readReplacement(property: IcsProperty | undefined): Pick<IcsEvent, 'recurrenceId' | 'isRange'> {
  const range = property === undefined ? undefined : parameterOf(property, 'range');
  return { recurrenceId: onlyTime(property), isRange: range?.toUpperCase() === 'THISANDFUTURE' };
}

function onlyTime(property: IcsProperty | undefined): IcsTime | undefined {
  return property === undefined ? undefined : readTimes(property)[0];
}

function textValue(property: IcsProperty | undefined): string {
  const value = property?.values[0];
  return typeof value === 'string' ? value.trim() : '';
}

function readEnd(dtend: IcsProperty | undefined, duration: IcsProperty | undefined): IcsEnd | undefined {
  const time = onlyTime(dtend);
  if (time !== undefined) {
    return { kind: 'time', time };
  }
  return duration === undefined ? undefined : readLength(duration.values[0]);
}

function readLength(value: unknown): IcsEnd {
  const text = String(value);
  // The parser reads nonsense as a duration of nothing.
  if (!/^[-+]?P(?=.)(?:\d+W)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?$/u.test(text)) {
    throw new Error('a duration that cannot be read');
  }
  const duration = ICAL.Duration.fromString(text);
  const factor = duration.isNegative ? -1 : 1;
  const days = duration.weeks * 7 + duration.days;
  const ms = (duration.hours * 3600 + duration.minutes * 60 + duration.seconds) * SECOND;
  return { kind: 'length', days: factor * days, ms: factor * ms };
}

function readExtra(property: IcsProperty): readonly IcsExtra[] {
  const tzid = parameterOf(property, 'tzid');
  return property.values.map((value) => {
    const [start, end] = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    return { time: readTime(start, tzid), end: end === undefined ? undefined : readPeriodEnd(end, tzid) };
  });
}

function readPeriodEnd(end: unknown, tzid: string | undefined): IcsEnd {
  return /^[-+]?P/u.test(String(end)) ? readLength(end) : { kind: 'time', time: readTime(end, tzid) };
}

/** Plain text where there is any; else the HTML that programs put beside it. */
function describe(component: IcsComponent): PlainText {
  const plain = component.properties
    .filter(({ name }) => name === 'description')
    .map(textValue)
    .filter((text) => text !== '');
  if (plain.length > 0) {
    // The parser leaves escapes alone that the standard does not have; some programs escape colons.
    return toPlainText([...new Set(plain)].join('\n').replaceAll('\\:', ':'));
  }
  const html = component.properties.map(htmlOf).find((text) => text !== undefined);
  return html === undefined ? { text: '', isCut: false } : documentToPlainText(html);
}

function htmlOf(property: IcsProperty): string | undefined {
  const text = textValue(property);
  if (property.name === 'x-alt-desc' && text !== '') {
    // An unknown property to the parser, so its escapes are still there.
    return text.replace(/\\([nN,;\\])/gu, (_, mark: string) => (mark.toLowerCase() === 'n' ? '\n' : mark));
  }
  if (property.name === 'styled-description' && text !== '') {
    return text;
  }
  return property.name === 'description' ? dataUrlText(parameterOf(property, 'altrep')) : undefined;
}

function dataUrlText(url: string | undefined): string | undefined {
  const [, base64, body] = /^data:text\/html(?:;charset=[\w-]+)?(;base64)?,(.*)$/isu.exec(url ?? '') ?? [];
  if (body === undefined) {
    return undefined;
  }
  try {
    return base64 === undefined ? decodeURIComponent(body) : Buffer.from(body, 'base64').toString('utf8');
  } catch {
    return undefined;
  }
}

/** The longest that an instance of the rule may last, in milliseconds: never less than it does. */
export function longestSpan({ start, end }: IcsEvent): number {
  if (end === undefined) {
    return DAY;
  }
  if (end.kind === 'length') {
    return Math.max(0, end.days * DAY + end.ms);
  }
  // Zones apart at both ends make a day of difference at most; a whole day may end on itself.
  const slack = end.time.tzid === start.tzid && !start.isDate ? 0 : DAY;
  return Math.max(0, end.time.wall - start.wall) + slack;
}
