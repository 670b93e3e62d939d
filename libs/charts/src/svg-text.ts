import { visibleText } from './visible-text.ts';

/** Numbers of pixels in SVG: a tenth of one is finer than anybody sees. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The end of a text that is too long: names of runs and tags differ there. */
export function shorten(text: string, most: number): string {
  const letters = Array.from(text);
  return letters.length <= most ? text : `…${letters.slice(letters.length - most + 1).join('')}`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text for XML, in element content and quoted attributes. */
export function escapeXml(text: string): string {
  return visibleText(text).replace(/[&<>"']/g, (character) => entities[character]!);
}
