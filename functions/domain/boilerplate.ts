/**
 * Calendars and mail programs append lines of their own: how to join the meeting, whom to call, who wrote this.
 * They look like `name: number` and are no requests; unless a pool bears that very name, they pass in silence.
 */

const WORDS = new Set([
  'access code',
  'address',
  'audio',
  'cell',
  'code',
  'conference',
  'conference id',
  'contact',
  'date',
  'dial',
  'dial in',
  'dial-in',
  'email',
  'e-mail',
  'ext',
  'extension',
  'fax',
  'from',
  'host',
  'id',
  'join',
  'join by phone',
  'join url',
  'join zoom meeting',
  'joining instructions',
  'link',
  'location',
  'mail',
  'meet',
  'meeting',
  'meeting id',
  'meeting link',
  'meeting number',
  'meeting password',
  'mobile',
  'one tap mobile',
  'or dial',
  'organizer',
  'organiser',
  'passcode',
  'password',
  'phone',
  'phone conference id',
  'phone number',
  'pin',
  'room',
  'sent',
  'sip',
  'subject',
  'tel',
  'telephone',
  'time',
  'time zone',
  'timezone',
  'to',
  'toll free',
  'url',
  'video',
  'webex',
  'website',
  'when',
  'where',
  'who',
  'zoom',
  'zoom link',
  'zoom meeting',
  'zoom id',
]);

/** Whether a text on the left of a colon is one of those. */
export function isBoilerplate(key: string): boolean {
  return WORDS.has(
    key
      .trim()
      .toLowerCase()
      .replace(/[.\s]+/gu, ' ')
      .trimEnd(),
  );
}
