/**
 * A fingerprint of a plain value: the same for the same content, whatever the order of the keys. It tells whether
 * our own template changed since it was applied; it is no protection against anybody.
 */

/** 16 hexadecimal digits: FNV-1a, once from the front and once from the back. */
export function hashOf(value: unknown): string {
  const text = canonicalJson(value);
  let forward = 0x811c9dc5;
  let backward = 0x01000193;
  for (let index = 0; index < text.length; index += 1) {
    forward = Math.imul(forward ^ text.charCodeAt(index), 0x01000193);
    backward = Math.imul(backward ^ text.charCodeAt(text.length - 1 - index), 0x01000193);
  }
  return hex(forward) + hex(backward);
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonicalJson).join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) {
    return value === undefined ? 'null' : JSON.stringify(value);
  }
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`);
  return `{${fields.sort().join(',')}}`;
}
