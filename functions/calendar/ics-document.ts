/**
 * An ICS file taken apart into its components, one by one, so that a broken event costs itself and no other.
 * Only what is looked at is kept of each: attendees and alarms are most of a file.
 */

export interface IcsDocument {
  /** X-WR-TIMEZONE, as written. */
  readonly timeZone: string | undefined;
  /** Each a whole VTIMEZONE. */
  readonly zones: readonly string[];
  readonly events: readonly IcsEntry[];
}

/** One VEVENT, reduced to the lines that matter. */
export interface IcsEntry {
  readonly text: string;
  /** Cut off by the next component: it has no end of its own. */
  readonly isBroken: boolean;
}

/** What came is no whole ICS file. */
export class NotIcsError extends Error {
  override readonly name = 'NotIcsError';
}

const KEPT = new Set([
  'UID',
  'SEQUENCE',
  'SUMMARY',
  'DESCRIPTION',
  'STYLED-DESCRIPTION',
  'X-ALT-DESC',
  'STATUS',
  'DTSTART',
  'DTEND',
  'DURATION',
  'RRULE',
  'RDATE',
  'EXDATE',
  'EXRULE',
  'RECURRENCE-ID',
]);
/** Their values hold no text, and some programs write them in lower case. */
const TIMES = new Set(['DTSTART', 'DTEND', 'DURATION', 'RRULE', 'RDATE', 'EXDATE', 'RECURRENCE-ID']);
/** A file that went through a text mode twice ends its lines with `\r\r\n`. */
const LINE_END = /\r{0,2}\n|\r/u;
const FOLD = /(?:\r{0,2}\n|\r)[ \t]/gu;
const PROPERTY = /^([A-Za-z][\w-]*)[;:]/u;

/**
 * @param bytes The file.
 * @throws NotIcsError for a sign-in page, an empty body, a file that breaks off.
 */
export function readDocument(bytes: Uint8Array): IcsDocument {
  const reader = new DocumentReader();
  for (const line of unfold(bytes).split(LINE_END)) {
    reader.take(line);
  }
  return reader.finish();
}

/**
 * Long lines are folded, sometimes inside a character: so they are put together again as bytes, and decoded
 * after that (RFC 5545, 3.1).
 */
function unfold(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isWide = (buffer[0] === 0xff && buffer[1] === 0xfe) || (buffer[0] === 0xfe && buffer[1] === 0xff);
  if (isWide) {
    return joinFolds(new TextDecoder(buffer[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(buffer));
  }
  const joined = Buffer.from(joinFolds(buffer.toString('latin1')), 'latin1').toString('utf8');
  return joined.startsWith('\uFEFF') ? joined.slice(1) : joined;
}

function joinFolds(text: string): string {
  return text.replace(FOLD, '');
}

/** Goes through a file line by line and remembers which component it is in. */
class DocumentReader {
  #calendars = 0;
  #ended = 0;
  #timeZone: string | undefined;
  readonly #zones: string[] = [];
  readonly #events: IcsEntry[] = [];
  /** Name of the component that lines belong to, and those inside it that are passed over. */
  #component: string | undefined;
  readonly #passedOver: string[] = [];
  #lines: string[] = [];
  /** Whether the last kept line was text, which programs sometimes break without folding it. */
  #isInText = false;

  take(line: string): void {
    const [, mark, component] = /^(BEGIN|END):\s*([\w-]+)\s*$/iu.exec(line) ?? [];
    if (component !== undefined) {
      this.#takeMark(mark?.toUpperCase() === 'BEGIN', component.toUpperCase(), line);
      return;
    }
    if (this.#calendars === 0 && line.trim() !== '') {
      throw new NotIcsError('it does not begin with BEGIN:VCALENDAR');
    }
    this.#takeLine(line);
  }

  finish(): IcsDocument {
    if (this.#calendars === 0) {
      throw new NotIcsError('it is empty');
    }
    if (this.#ended < this.#calendars) {
      throw new NotIcsError('it breaks off before END:VCALENDAR');
    }
    return { timeZone: this.#timeZone, zones: this.#zones, events: this.#events };
  }

  #takeMark(isBegin: boolean, component: string, line: string): void {
    if (component === 'VCALENDAR') {
      this.#close(true);
      this.#calendars += isBegin ? 1 : 0;
      this.#ended += isBegin ? 0 : 1;
    } else if (this.#calendars === 0) {
      throw new NotIcsError('it does not begin with BEGIN:VCALENDAR');
    } else if (isBegin) {
      this.#begin(component, line);
    } else {
      this.#end(component, line);
    }
  }

  #begin(component: string, line: string): void {
    if (component === 'VEVENT' || this.#component === undefined) {
      this.#close(true);
      this.#component = component;
      this.#lines = [line];
    } else if (this.#component === 'VTIMEZONE') {
      this.#lines.push(line);
    } else {
      this.#passedOver.push(component);
    }
    this.#isInText = false;
  }

  #end(component: string, line: string): void {
    if (this.#passedOver.at(-1) === component) {
      this.#passedOver.pop();
    } else if (component === this.#component) {
      this.#lines.push(line);
      this.#close(false);
    } else if (this.#component === 'VTIMEZONE') {
      this.#lines.push(line);
    }
    this.#isInText = false;
  }

  #close(isBroken: boolean): void {
    if (this.#component === 'VEVENT') {
      this.#events.push({ text: this.#lines.join('\r\n'), isBroken });
    } else if (this.#component === 'VTIMEZONE' && !isBroken) {
      this.#zones.push(this.#lines.join('\r\n'));
    }
    this.#component = undefined;
    this.#passedOver.length = 0;
    this.#lines = [];
  }

  #takeLine(line: string): void {
    const name = PROPERTY.exec(line)?.[1];
    if (this.#component === undefined) {
      if (name?.toUpperCase() === 'X-WR-TIMEZONE') {
        this.#timeZone = line.slice(line.indexOf(':') + 1).trim();
      }
    } else if (this.#component === 'VTIMEZONE') {
      this.#lines.push(line);
    } else if (this.#component === 'VEVENT' && this.#passedOver.length === 0) {
      this.#takeEventLine(line, name);
    }
  }

  #takeEventLine(line: string, name: string | undefined): void {
    const known = name?.toUpperCase() ?? '';
    if (KEPT.has(known)) {
      this.#lines.push(TIMES.has(known) ? repairTime(line) : line);
      this.#isInText = known === 'DESCRIPTION';
    } else if (this.#isInText && (name === undefined || name !== known)) {
      // A bare newline inside a description: `base: 3`, then `workshop: 1` on a line that is no property.
      const before = this.#lines.pop() ?? '';
      this.#lines.push(`${before}\\n${line}`);
    } else {
      this.#isInText = false;
    }
  }
}

/** The value of a time holds no colon, so the last one ends the parameters, even where one holds a colon itself. */
function repairTime(line: string): string {
  const at = line.lastIndexOf(':');
  // Outlook on the web writes `TZID=tzone://Microsoft/Utc` without the quotes that a colon needs.
  const parameters = line.slice(0, at).replace(/;TZID=([^";]*:[^";]*)/iu, ';TZID="$1"');
  return parameters + line.slice(at).toUpperCase();
}
