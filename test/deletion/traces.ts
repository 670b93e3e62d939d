import type { BlobStore } from '#blobs';
import { tableRows } from '#testing';

/**
 * Searches a database and an object store for strings: in every table row, as text with bytes in
 * hexadecimal, and in every key and object. `texts` are strings of hexadecimal digits, all of the
 * same length, like canaries. Returns the strings that were found, and where.
 */
export async function findTraces(adminUrl: string, blobs: BlobStore | null, texts: readonly string[]): Promise<string[]> {
  const wanted = new Set(texts);
  const length = texts[0]!.length;
  const found: string[] = [];
  const note = (place: string, text: string): void => {
    for (const canary of canariesIn(text, wanted, length)) found.push(`${place}: ${canary}`);
  };
  for await (const { table, text } of tableRows(adminUrl)) note(table, text);
  if (blobs) {
    for await (const { tenantId, key } of blobs.list(null, '')) {
      note('a key', key);
      note(key.split('/')[0]!, (await blobs.get(tenantId, key)).toString('latin1'));
    }
  }
  return found;
}

/** Returns the canaries in the text, plain or as the hexadecimal digits of their characters. */
function canariesIn(text: string, wanted: ReadonlySet<string>, length: number): Set<string> {
  const found = new Set<string>();
  const look = (digits: string): void => {
    for (const [run] of digits.matchAll(/[0-9a-f]{16,}/g)) {
      for (let at = 0; at + length <= run.length; at++) {
        const candidate = run.slice(at, at + length);
        if (wanted.has(candidate)) found.add(candidate);
      }
    }
  };
  look(text);
  // Postgres writes bytes as hexadecimal digits; a canary's characters become 30-39 and 61-66.
  for (const [run] of text.matchAll(/(?:3[0-9]|6[1-6]){16,}/g)) {
    look(Buffer.from(run, 'hex').toString('latin1'));
    look(Buffer.from(`${run.slice(1)}0`, 'hex').toString('latin1'));
  }
  return found;
}
