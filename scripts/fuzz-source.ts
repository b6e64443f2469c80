/** Inputs for the fuzzer: pieces of what people, programs and attackers write, put together at random. */

const WORDS = [
  'base',
  'workshop',
  'BASE',
  '__proto__',
  'constructor',
  'toString',
  'west/base',
  'Zoom',
  'PIN',
  'we need',
  'über',
];
const MARKS = [
  ':',
  ': ',
  ':\u00A0',
  '：',
  '=',
  ' - ',
  ' ',
  ',',
  ';',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  '“',
  '’',
  '`',
  '*',
  '**',
  '#',
  ' # ',
  '&a ',
  '*a',
  '<<',
  '~',
  '|',
  '>',
  '//',
  'https://',
  '@',
  '-- ',
  '---',
  '```',
  '-::~:~::~',
  '\u200B',
  '\uFEFF',
  '\u202E',
];
const NUMBERS = [
  '0',
  '3',
  '010',
  '0o10',
  '2.0',
  '2.5',
  '-1',
  '1e3',
  '1_000',
  '1,000',
  '50%',
  '1:30',
  '.inf',
  '３',
  '٣',
  '3\uFE0F\u20E3',
  '9007199254740993',
  '9'.repeat(400),
  'yes',
  'null',
  '3 nodes',
  '2-3',
];
const BREAKS = [
  '\n',
  '\r\n',
  '\r',
  '\u2028',
  '\u0085',
  '<br>',
  '<p>',
  '</p>',
  '<div>',
  '</div>',
  '<li>',
  '<ul>',
];
const TAGS = [
  '<b>',
  '</b>',
  '<s>',
  '</s>',
  '<td>',
  '<table>',
  '<a href="',
  '">',
  '<!--',
  '-->',
  '<',
  '>',
  '&nbsp;',
  '&amp;',
  '&#58;',
  '&#x3A;',
  '&',
  '<script>',
  '<style>',
  '<html-blob>',
  '\uF8FF',
];

const ICS_LINES = [
  'BEGIN:VCALENDAR',
  'END:VCALENDAR',
  'BEGIN:VEVENT',
  'END:VEVENT',
  'BEGIN:VALARM',
  'END:VALARM',
  'BEGIN:VTIMEZONE',
  'END:VTIMEZONE',
  'BEGIN:STANDARD',
  'END:STANDARD',
  'TZID:Mine',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+9999',
  'UID:1',
  'UID:2',
  'SUMMARY:Lab',
  'STATUS:CANCELLED',
  'SEQUENCE:99999999999',
  'X-WR-TIMEZONE:Nowhere',
  'DTSTART:20260901T090000Z',
  'DTSTART;TZID=Mine:19700101T000000',
  'DTSTART;VALUE=DATE:20260902',
  'DTSTART:99999999T999999',
  'DTEND:20260901T100000Z',
  'DTEND:00010101T000000',
  'DURATION:PT1H',
  'DURATION:P99999999W',
  'DURATION:-PT1H',
  'RRULE:FREQ=DAILY',
  'RRULE:FREQ=SECONDLY;COUNT=999999999',
  'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  'RRULE:FREQ=MONTHLY;BYDAY=9MO',
  'RRULE:FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO',
  'RRULE:FREQ=WEEKLY;INTERVAL=999999999',
  'RRULE:FREQ=HOURLY;BYHOUR=5;INTERVAL=24',
  'EXDATE:20260901T090000Z',
  'EXDATE;VALUE=DATE:20260902',
  'RDATE;VALUE=PERIOD:20260901T090000Z/PT1H',
  'RDATE:nonsense',
  'RECURRENCE-ID:20260901T090000Z',
  'RECURRENCE-ID;RANGE=THISANDFUTURE:20260901T090000Z',
  'DESCRIPTION:base: 3\\nworkshop: 1',
  'DESCRIPTION;ALTREP="data:text/html,%3Cb%3E":',
  'X-ALT-DESC;FMTTYPE=text/html:<p>base: 3</p>',
  ' folded',
  'workshop: 1',
  '',
];

/** A small generator with a period of 2^32, so that a seed says it all. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Inputs, one after the other, all of them decided by the seed. */
export class FuzzSource {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = createRandom(seed);
  }

  below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  pick(list: readonly string[]): string {
    return list[this.below(list.length)] ?? '';
  }

  character(): string {
    return String.fromCharCode(this.below(this.below(4) === 0 ? 0x10000 : 0x80));
  }

  description(): string {
    const kinds = [WORDS, MARKS, NUMBERS, BREAKS, TAGS];
    const length = this.below(this.below(50) === 0 ? 4000 : 30);
    const pieces = Array.from({ length }, () =>
      this.below(8) === 0 ? this.character() : this.pick(kinds[this.below(kinds.length)] ?? WORDS),
    );
    // Now and then the same piece without end: what runs away runs away on repetition.
    return this.below(200) === 0 ? pieces.join('').repeat(1 + this.below(300)) : pieces.join('');
  }

  file(): Uint8Array {
    const inside = Array.from({ length: this.below(60) }, () => this.pick(ICS_LINES));
    const isFramed = this.below(4) > 0;
    const lines = isFramed
      ? [
          'BEGIN:VCALENDAR',
          'BEGIN:VEVENT',
          'DTSTART:20260901T090000Z',
          ...inside,
          'END:VEVENT',
          'END:VCALENDAR',
        ]
      : inside;
    const bytes = Buffer.from(lines.join(this.pick(['\r\n', '\n', '\r'])));
    for (let change = this.below(6); change > 0; change -= 1) {
      bytes[this.below(bytes.length)] = this.below(256);
    }
    return bytes;
  }
}
