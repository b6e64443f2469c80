/**
 * A description is a mapping of pool name to count, written by people. What is plainly meant is read; what is
 * not is dropped, alone, and reported with its line and the likely fix. The larger of two counts for one name
 * wins. Nothing here fails, whatever the text.
 */
import { readCount } from './count-text.ts';
import type { DescriptionLine, Pair } from './description-line.ts';
import { readLine } from './description-line.ts';
import { excerpt, splitLines } from './description-text.ts';
import { droppedNote, proseNotes, unreadableNote, type Note, type Surroundings } from './dropped-line.ts';
import type { CalendarEvent, CountRequest, Finding, ReadEvent } from './event.ts';

export interface DescriptionReading {
  readonly event: ReadEvent;
  readonly findings: readonly Finding[];
}

/** Most findings that one event reports; one more says how many there were. */
export const MOST_FINDINGS = 20;

interface LineReading {
  readonly requests: readonly CountRequest[];
  readonly notes: readonly Note[];
}

const NOTHING: LineReading = { requests: [], notes: [] };

/**
 * @param poolNames Names of every pool that this calendar may speak to. With them, a sentence that names a pool
 * is reported, and a line that resembles none (`Room: 12b`) is not taken for a slip. Counts never depend on them.
 */
export function readDescription(event: CalendarEvent, poolNames?: readonly string[]): DescriptionReading {
  const { lines, isCut } = splitLines(event.text);
  const parsed = lines.map(readLine);
  const reading = refuseExpansion(parsed) ?? readLines(parsed, poolNames);
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
    // Counts that somebody put in there count as well: the other edge may be gone, and the rest with it.
    const reading = readOne(line, index + 1, { poolNames, isAppended: inMeeting || inSignature });
    requests.push(...reading.requests);
    notes.push(...reading.notes);
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
  return line.kind === 'other' ? { requests: [], notes: proseNotes(line, number, around) } : NOTHING;
}

interface PairPlace {
  readonly line: DescriptionLine & { readonly kind: 'pairs' };
  readonly number: number;
  readonly around: Surroundings;
}

function readPair(pair: Pair, place: PairPlace): LineReading {
  const reading = readCount(pair.value);
  if (reading.kind === 'notCount') {
    return { requests: [], notes: droppedNote({ pair, reading, ...place }) };
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

/** Anchors and aliases together, or a merge: whoever writes YAML to be expanded is told, and nothing is guessed. */
function refuseExpansion(lines: readonly DescriptionLine[]): LineReading | undefined {
  const marked = lines.flatMap((line, index) =>
    line.kind === 'pairs' ? line.yamlMarks.map((mark) => ({ mark, text: line.text, number: index + 1 })) : [],
  );
  const [first] = marked;
  const marks = new Set(marked.map(({ mark }) => mark));
  if (first === undefined || !(marks.has('merge') || (marks.has('anchor') && marks.has('alias')))) {
    return undefined;
  }
  return {
    requests: [],
    notes: [
      {
        code: 'alias',
        severity: 'warning',
        line: first.number,
        text: excerpt(first.text),
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
