/** Where the calendar is, and in which zone: what people paste here, told apart. */
import nodePath from 'node:path';
import { pathToFileURL } from 'node:url';
import { closestName } from '../domain/closest-name.ts';
import type { CalendarSource } from './settings.ts';

const URL_SCHEME = /^([a-z][a-z0-9+.-]+):/i;

const BROKEN_SCHEME = /^(?:https?|webcals?)\//i;
/** `outlook.office365.com/owa/…`, `localhost:8080/…` has a scheme already. */
const HOST_FIRST = /^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|gov|io|[a-z]{2})(?::\d+)?\//i;

/** As it stands in the config; at most one of the two. */
interface WrittenSource {
  readonly calendarId?: string | undefined;
  readonly calendarUrl?: string | undefined;
}

/** The text is never repeated in an answer: the private address of a calendar is a secret. */
export function checkCalendarUrl(text: string): string | undefined {
  if (text.trim() === '') {
    return 'is empty: write the URL or path of an ICS calendar, or remove the line';
  }
  const scheme = URL_SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    return checkPath(text);
  }
  if (!['http', 'https', 'webcal', 'file'].includes(scheme)) {
    return `starts with "${scheme}:"; use https:, http:, file: or a path`;
  }
  // A URL with one slash is mended by whoever parses it, and taken for a path by whoever looks for two.
  const isWhole = scheme === 'file' || /^[^:]+:\/\//.test(text);
  return isWhole && URL.canParse(text) ? undefined : 'is not a complete URL: write it with https://';
}

/** Taken for a path, a mistyped address would be shown whole in messages. */
function checkPath(text: string): string | undefined {
  if (/^[^/\s@]+@[^/\s@]+$/.test(text)) {
    return 'is a calendar id; write it as `calendarId`';
  }
  return BROKEN_SCHEME.test(text) || HOST_FIRST.test(text)
    ? 'looks like an address without its scheme: begin it with https://, or with ./ if it is a path'
    : undefined;
}

export function checkCalendarId(text: string): string | undefined {
  if (text.trim() === '') {
    return 'is empty: write the id of a Google calendar, or remove the line';
  }
  if (URL_SCHEME.test(text) || text.includes('/')) {
    return 'is an address; write it as `calendarUrl`, or the id from "Integrate calendar" here';
  }
  return /\s/.test(text) ? 'must not contain spaces' : undefined;
}

/** Two that are the same calendar give the same; undefined where none is named. */
export function parseCalendarSource(
  { calendarId, calendarUrl }: WrittenSource,
  folder: string,
): CalendarSource | undefined {
  if (calendarId !== undefined) {
    return { kind: 'google', calendarId };
  }
  if (calendarUrl === undefined) {
    return undefined;
  }
  if (URL_SCHEME.test(calendarUrl)) {
    // webcal: is how calendars offer an https address to a desktop program.
    return { kind: 'ics', url: calendarUrl.replace(/^webcal:/i, 'https:') };
  }
  return { kind: 'ics', url: pathToFileURL(nodePath.resolve(folder, calendarUrl)).href };
}

export function checkTimeZone(text: string): string | undefined {
  if (text !== '' && isTimeZone(text)) {
    return undefined;
  }
  const near = closestName(text.replaceAll(' ', '_'), Intl.supportedValuesOf('timeZone'));
  const hint = near === undefined ? 'write one such as America/Los_Angeles' : `did you mean \`${near}\`?`;
  return `is not a time zone; ${hint}`;
}

function isTimeZone(text: string): boolean {
  try {
    // Offsets such as +01:00 are taken by Intl too, but a calendar's zone has daylight saving.
    return /^[A-Za-z]/.test(text) && new Intl.DateTimeFormat('en', { timeZone: text }).format(0) !== '';
  } catch {
    return false;
  }
}
