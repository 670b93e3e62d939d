/** Control characters, and characters that would reorder the text around a name. */
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g;

/**
 * A name for display: characters that are invisible or would change the display of others are shown
 * as their code points.
 */
export function visibleText(text: string): string {
  return text
    .toWellFormed()
    .replace(invisible, (character) => `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`);
}
