/**
 * Characters that are invisible or reorder text: control characters, direction marks, zero-width
 * characters, and tag characters. With them, a name could hide instructions for a model.
 */
const hidden =
  // oxlint-disable-next-line no-control-regex -- the pattern looks for control characters
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|\u034f|[\ufe00-\ufe0f]|[\u{e0000}-\u{e0fff}]/gu;

/**
 * A result as one line of JSON. It parses to the same value as `JSON.stringify(value)`, with -0 as
 * `-0.0`, but has only visible characters; all others are escaped.
 */
export function safeJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, one: unknown) => (Object.is(one, -0) ? negativeZero : one));
  return text
    .replaceAll(JSON.stringify(negativeZero), '-0.0')
    .replace(hidden, (found) => Array.from({ length: found.length }, (_, i) => escapeOf(found.charCodeAt(i))).join(''));
}

/** Stored text contains no NUL. */
const negativeZero = '\0-0';

function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** Bytes of a result as {@link safeJson} writes it. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(safeJson(value));
}

/**
 * Shortens a string to at most `max` characters; a shortened string ends with `…`. Never splits a
 * surrogate pair.
 */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
