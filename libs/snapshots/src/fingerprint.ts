import { createHash } from 'node:crypto';

/** Inputs that determine the content of a snapshot. The order of a list does not matter. */
export type Content = string | number | bigint | boolean | null | readonly Content[] | { readonly [name: string]: Content };

/**
 * The fingerprint of everything that determines the content, or of a string that a user provides
 * instead: 64 hexadecimal digits. Equal content has equal fingerprints, with names and lists in any
 * order.
 */
export function fingerprintOf(content: Content): string {
  return createHash('sha256').update(canonical(content)).digest('hex');
}

/** A different string for each value. */
function canonical(content: Content): string {
  if (typeof content === 'bigint') return `${content}n`;
  if (typeof content === 'number') return Object.is(content, -0) ? '-0' : String(content);
  if (typeof content !== 'object' || content === null) return JSON.stringify(content);
  if (isList(content)) return `[${[...new Set(content.map(canonical))].sort().join(',')}]`;
  const fields = Object.entries(content).map(([name, value]) => `${JSON.stringify(name)}:${canonical(value)}`);
  return `{${fields.sort().join(',')}}`;
}

function isList(content: object): content is readonly Content[] {
  return Array.isArray(content);
}
