/**
 * Text that is already HTML. Only {@link html} creates it, so all outside text has been escaped.
 */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | readonly Part[];

/**
 * Template tag: literal parts are HTML, values are escaped text (or `Html`, or lists of both; null
 * is empty). Use values only in text or in quoted attributes.
 */
export function html(literals: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(literals.reduce((text, literal, index) => text + render(values[index - 1] ?? null) + literal));
}

function render(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(render).join('');
  return escapeHtml(String(part));
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/**
 * Bidirectional controls (which would reorder the text around a name) and C0 controls are shown as
 * their code points.
 */
const invisible = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** Text for HTML, in element content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replace(invisible, (character) => `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`)
    .replace(/[&<>"']/g, (character) => entities[character]!);
}
