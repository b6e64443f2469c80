/**
 * A description is a mapping of pool name to count, written by people. What is plainly meant is read; what is
 * not is dropped, alone, and reported with its line and the likely fix. The larger of two counts for one name
 * wins. Nothing here fails, whatever the text.
 */
import { closestName } from './closest-name.ts';
import { isBoilerplate } from './boilerplate.ts';
import { isEmptyValue, readCount } from './count-text.ts';
import type { DescriptionLine, Pair } from './description-line.ts';
import { readLine } from './description-line.ts';
import { excerpt, foldName, splitLines } from './description-text.ts';
import type { CalendarEvent, CountRequest, Finding, ReadEvent } from './event.ts';
import { findMention, looksLikeCount } from './mention.ts';

export interface DescriptionReading {
  readonly event: ReadEvent;
  readonly findings: readonly Finding[];
}

/** Most findings that one event reports; one more says how many there were. */
export const MOST_FINDINGS = 20;

type Note = Pick<Finding, 'code' | 'severity' | 'line' | 'text' | 'message'>;

interface LineReading {
  readonly requests: readonly CountRequest[];
  readonly notes: readonly Note[];
}

/** What lines before this one have said about it. */
interface Surroundings {
  readonly poolNames: readonly string[] | undefined;
  readonly inSignature: boolean;
}

const NOTHING: LineReading = { requests: [], notes: [] };

/**
 * @param poolNames Names of every pool that this calendar may speak to. With them, a sentence that names a pool
 * is reported, and a line that resembles none (`Room: 12b`) is not taken for a slip. Counts never depend on them.
 */
export function readDescription(event: CalendarEvent, poolNames?: readonly string[]): DescriptionReading {
  const { lines, isCut } = splitLines(event.text);
  const parsed = lines.map(readLine);
  const alias = parsed.findIndex((line) => line.kind === 'alias');
  const reading = alias < 0 ? readLines(parsed, poolNames) : refuse(parsed[alias], alias + 1);
  const { requests, duplicates } = keepLargest(reading.requests);
  const notes = [...reading.notes, ...duplicates, ...(isCut ? [cutNote(lines.length)] : [])];
  const all = notes.length === 0 && requests.length === 0 ? [emptyNote(event)] : notes;
  return {
    event: { id: event.id, title: event.title, startAt: event.startAt, endAt: event.endAt, requests },
    findings: bounded(all).map((note) => ({
      ...note,
      eventId: event.id,
      eventTitle: excerpt(event.title),
      eventStartAt: event.startAt,
    })),
  };
}

function readLines(lines: readonly DescriptionLine[], poolNames: readonly string[] | undefined): LineReading {
  const requests: CountRequest[] = [];
  const notes: Note[] = [];
  let inMeeting = false;
  let inSignature = false;
  for (const [index, line] of lines.entries()) {
    inMeeting = line.kind === 'meetingEdge' ? !inMeeting : inMeeting;
    inSignature ||= line.kind === 'signature';
    if (!inMeeting) {
      const reading = readOne(line, index + 1, { poolNames, inSignature });
      requests.push(...reading.requests);
      notes.push(...reading.notes);
    }
  }
  return { requests, notes };
}

function readOne(line: DescriptionLine, number: number, around: Surroundings): LineReading {
  if (line.kind === 'pairs') {
    const readings = line.pairs.map((pair) => readPair(pair, { line, number, around }));
    return {
      requests: readings.flatMap(({ requests }) => requests),
      notes: readings.flatMap(({ notes }) => notes),
    };
  }
  if (line.kind === 'other' && !line.hasLink) {
    return { requests: [], notes: proseNotes(line.text, number, around) };
  }
  return NOTHING;
}

interface PairPlace {
  readonly line: DescriptionLine & { readonly kind: 'pairs' };
  readonly number: number;
  readonly around: Surroundings;
}

function readPair(pair: Pair, place: PairPlace): LineReading {
  const reading = readCount(pair.value);
  if (reading.kind === 'notCount') {
    const note = droppedNote(pair, reading, place);
    return note === undefined ? NOTHING : { requests: [], notes: [note] };
  }
  if (pair.key === '') {
    return { requests: [], notes: [unreadableNote(place.line.text, place.number)] };
  }
  const request = { key: pair.key, count: reading.count, line: place.number };
  return { requests: [request], notes: formNotes(pair, reading, request) };
}

/** Understood, but written in a way that a stricter reader would not take. */
function formNotes(
  pair: Pair,
  reading: { readonly remark: string | undefined },
  request: CountRequest,
): readonly Note[] {
  const text = excerpt(`${pair.key}${pair.separator}${pair.value}`);
  const read = `read as \`${excerpt(pair.key)}: ${String(request.count)}\``;
  const notice = (code: string, message: string): Note => ({
    code,
    severity: 'notice',
    line: request.line,
    text,
    message,
  });
  return [
    ...(pair.isTight ? [notice('missing-space', `no space behind the colon; ${read}`)] : []),
    ...(pair.separator === '=' ? [notice('equals-sign', `\`=\` instead of a colon; ${read}`)] : []),
    ...(reading.remark === undefined
      ? []
      : [notice('remark', `${read}; put remarks behind \` # \` to be safe`)]),
  ];
}

function droppedNote(
  pair: Pair,
  reading: { readonly problem: string; readonly likely: number | undefined },
  place: PairPlace,
): Note | undefined {
  const weight = weighDropped(pair, place);
  if (weight === 'none') {
    return undefined;
  }
  const key = excerpt(pair.key);
  const example = `${key}: ${reading.likely === undefined ? '3' : String(reading.likely)}`;
  const value = isEmptyValue(pair.value) ? 'nothing' : `\`${excerpt(pair.value)}\``;
  const hint = reading.likely === undefined ? 'write a whole number, such as' : 'did you mean';
  return {
    code: weight === 'warning' ? 'not-a-count' : 'ignored-line',
    severity: weight,
    line: place.number,
    text: excerpt(place.line.text),
    message:
      weight === 'warning'
        ? `${value} behind \`${key}\` is ${reading.problem}; ${hint} \`${example}\`${reading.likely === undefined ? '' : '?'}`
        : `line ignored: \`${key}\` is no pool and ${value} is no count`,
  };
}

/** How loudly a dropped pair is reported: could its writer have meant a count? */
function weighDropped(pair: Pair, place: PairPlace): 'warning' | 'notice' | 'none' {
  const { poolNames, inSignature } = place.around;
  if (poolNames !== undefined && isNearPool(pair.key, poolNames)) {
    return 'warning';
  }
  if (place.line.hasLink || inSignature || isBoilerplate(pair.key)) {
    return 'none';
  }
  return weighStranger(pair, poolNames === undefined);
}

/** `Room: 12b` or `base needs: 2.5`; without any number it is a heading or plain prose. */
function weighStranger(pair: Pair, mayBePool: boolean): 'warning' | 'notice' | 'none' {
  const isSentence = pair.key.includes(' ');
  if (looksLikeCount(pair.value) || (mayBePool && !isSentence)) {
    return 'warning';
  }
  return isSentence || isEmptyValue(pair.value) ? 'none' : 'notice';
}

function isNearPool(key: string, poolNames: readonly string[]): boolean {
  const folded = foldName(key);
  return (
    closestName(folded, poolNames) !== undefined ||
    findMention(folded, poolNames) !== undefined ||
    poolNames.some((name) => foldName(name) === folded)
  );
}

function proseNotes(text: string, number: number, around: Surroundings): readonly Note[] {
  if (/^[{}]/u.test(text) || /^\d+$/u.test(text)) {
    return [unreadableNote(text, number)];
  }
  const { poolNames, inSignature } = around;
  if (inSignature) {
    return [];
  }
  const named = poolNames === undefined ? /^[\w/.-]+ \d+$/u.exec(text)?.[0] : findMention(text, poolNames);
  if (named === undefined) {
    return [];
  }
  return [looksLikeCount(text) ? unreadableNote(text, number) : mentionNote(text, named, number)];
}

function unreadableNote(text: string, line: number): Note {
  const [, name, count] = /^([\w/.-]+)\s+(\d{1,6})$/u.exec(text) ?? [];
  const hint =
    name === undefined
      ? 'write `POOL: NUMBER` on a line of its own, such as `base: 3`'
      : `did you mean \`${name}: ${String(count)}\`?`;
  return {
    code: 'unreadable-line',
    severity: 'warning',
    line,
    text: excerpt(text),
    message: `\`${excerpt(text)}\` is no count for a pool; ${hint}`,
  };
}

function mentionNote(text: string, poolName: string, line: number): Note {
  return {
    code: 'ignored-line',
    severity: 'notice',
    line,
    text: excerpt(text),
    message: `line ignored: it names \`${poolName}\` but no number; to ask for nodes, write \`${poolName}: 3\``,
  };
}

function refuse(line: DescriptionLine | undefined, number: number): LineReading {
  const text = line?.kind === 'alias' ? excerpt(line.text) : '';
  return {
    requests: [],
    notes: [
      {
        code: 'alias',
        severity: 'warning',
        line: number,
        text,
        message:
          'YAML anchors and aliases are not read, so nothing of this event counts; write every count out',
      },
    ],
  };
}

function cutNote(linesRead: number): Note {
  return {
    code: 'text-cut',
    severity: 'warning',
    line: linesRead,
    text: '',
    message: `the description is too long; nothing behind line ${String(linesRead)} was read: put the counts first`,
  };
}

function emptyNote(event: CalendarEvent): Note {
  const title = readLine(event.title);
  const isPair = title.kind === 'pairs' && title.pairs.some(({ value }) => readCount(value).kind === 'count');
  return isPair
    ? {
        code: 'count-in-title',
        severity: 'warning',
        line: undefined,
        text: excerpt(event.title),
        message: 'counts in a title are not read; move them to the description',
      }
    : {
        code: 'no-counts',
        severity: 'notice',
        line: undefined,
        text: '',
        message: 'the description asks for nothing; write `POOL: NUMBER` lines, such as `base: 3`',
      };
}

interface Merged {
  readonly requests: readonly CountRequest[];
  readonly duplicates: readonly Note[];
}

function keepLargest(requests: readonly CountRequest[]): Merged {
  const largest = new Map<string, CountRequest>();
  const duplicates: Note[] = [];
  for (const request of requests) {
    const earlier = largest.get(request.key);
    const winner = earlier !== undefined && earlier.count >= request.count ? earlier : request;
    largest.set(request.key, winner);
    if (earlier !== undefined) {
      duplicates.push({
        code: 'duplicate',
        severity: 'notice',
        line: request.line,
        text: excerpt(`${request.key}: ${String(request.count)}`),
        message: `\`${excerpt(request.key)}\` is asked for twice (line ${String(earlier.line)} too); the larger count, ${String(winner.count)}, counts`,
      });
    }
  }
  return { requests: [...largest.values()], duplicates };
}

function bounded(notes: readonly Note[]): readonly Note[] {
  if (notes.length <= MOST_FINDINGS) {
    return notes;
  }
  const more: Note = {
    code: 'more-findings',
    severity: 'warning',
    line: undefined,
    text: '',
    message: `${String(notes.length - MOST_FINDINGS)} more lines of this event were dropped or odd`,
  };
  return [...notes.slice(0, MOST_FINDINGS), more];
}
