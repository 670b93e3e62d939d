import { visibleText } from './visible-text.ts';

/** Pixels in SVG: a tenth of a pixel is finer than anyone can see. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text for XML, in element content and quoted attributes. */
export function escapeXml(text: string): string {
  return visibleText(text).replace(/[&<>"']/g, (character) => entities[character]!);
}
