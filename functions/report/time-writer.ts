/** Times as people of one time zone read them, with a width that never changes. */
import type { Instant, Window } from '../domain/instant.ts';

export interface TimeWriter {
  /** `Mon 30 Nov 09:00`. */
  readonly moment: (at: Instant) => string;
  /** `Mon 30 Nov 2026 09:00`. */
  readonly dated: (at: Instant) => string;
  /** From and until, both in full where the day changes. */
  readonly span: (window: Window) => string;
}

export function createTimeWriter(timeZone: string): TimeWriter {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: isKnown(timeZone) ? timeZone : 'UTC',
    weekday: 'short',
    day: '2-digit',
    year: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const read = (at: Instant): { readonly day: string; readonly year: string; readonly time: string } => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const part = (name: Intl.DateTimeFormatPartTypes): string => parts.get(name) ?? '';
    // Some months are longer than three letters in British English.
    const day = `${part('weekday')} ${part('day')} ${part('month').slice(0, 3)}`;
    return { day, year: part('year'), time: `${part('hour')}:${part('minute')}` };
  };
  return {
    moment: (at) => {
      const { day, time } = read(at);
      return `${day} ${time}`;
    },
    dated: (at) => {
      const { day, year, time } = read(at);
      return `${day} ${year} ${time}`;
    },
    span: ({ startAt, endAt }) => {
      const [start, end] = [read(startAt), read(endAt)];
      const until = start.day === end.day ? ' '.repeat(end.day.length + 1) : `${end.day} `;
      return `${start.day} ${start.time} – ${until}${end.time}`;
    },
  };
}

/** An ICS file may define a zone of its own that nobody else knows. */
function isKnown(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone });
    return true;
  } catch {
    return false;
  }
}
