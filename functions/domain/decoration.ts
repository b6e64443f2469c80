/**
 * Emoji that people put beside a request for looks: `👉 base: 3`, `base: 3 👍`. Some say something of their own (not,
 * perhaps, more, ten) and are no decoration: what stands beside them is not plainly meant.
 */
const TELLING = '✖✗✘❌❎🚫⛔❓❔➕➖➗🔟💯';

/** Source of a pattern for one decorative character, for use with the `u` flag. */
export const DECORATION = `(?:(?![${TELLING}])[\\p{So}\\p{Emoji_Modifier}])`;

/** Source of a pattern for one emoji that is pictured as such; a degree sign behind a number is not. */
export const PICTURE = `(?:(?![${TELLING}])[\\p{Emoji_Presentation}\\p{Emoji_Modifier}✓✔☑☺❤])`;
