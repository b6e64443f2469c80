/** Numbers as people read them. */

/** `3 s`, `6 min 25 s`, `1 h 5 min`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${String(whole)} s`;
  const [minutes, rest] = [Math.floor(whole / 60), whole % 60];
  if (minutes < 60) return rest === 0 ? `${String(minutes)} min` : `${String(minutes)} min ${String(rest)} s`;
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}

export function decimal(value: number, digits = 1): string {
  return value.toFixed(digits);
}

/** A time of day in a zone, as `08:50`. */
export function clockTime(at: number, timeZone: string): string {
  return formatIn(timeZone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at);
}

/** A day and a time of day, as `Mon 7 Sep, 08:50`. */
export function dayAndTime(at: number, timeZone: string): string {
  return `${day(at, timeZone)}, ${clockTime(at, timeZone)}`;
}

/** `Mon 7 Sep`. */
export function day(at: number, timeZone: string): string {
  return formatIn(timeZone, { weekday: 'short', day: 'numeric', month: 'short' }).format(at);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making one is slow, using one is not. */
function formatIn(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([timeZone, options]);
  const known = formats.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...options, timeZone });
  formats.set(key, known);
  return known;
}
