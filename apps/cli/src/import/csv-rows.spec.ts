import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvRows } from './csv-rows.ts';

async function* cut(text: string, at: readonly number[]): AsyncGenerator<string> {
  const cuts = [...new Set(at.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...cuts, text.length]) {
    yield text.slice(from, to);
    from = to;
  }
}

async function read(text: string, at: readonly number[] = []): Promise<string[][]> {
  const rows: string[][] = [];
  for await (const row of csvRows(cut(text, at))) rows.push(row);
  return rows;
}

describe('csvRows', () => {
  it('parses written rows, however the text is cut', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é') });
    // A line with one empty cell is an empty line, not a row
    const row = fc.array(cell, { minLength: 2, maxLength: 4 });
    const quote = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    await fc.assert(
      fc.asyncProperty(fc.array(row), fc.constantFrom('\n', '\r\n'), fc.array(fc.nat(200)), async (rows, end, at) => {
        const text = rows.map((cells) => cells.map(quote).join(',') + end).join('');
        expect(await read(text, at)).toEqual(rows);
      }),
    );
  });

  it('parses an unterminated last line, and skips empty lines and a byte order mark', async () => {
    expect(await read('\uFEFFa,b\n\n1,2\r\n\r\n3,')).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['3', ''],
    ]);
  });

  it('rejects an unterminated quote, and says where it begins', async () => {
    await expect(read('a,"b\nc')).rejects.toThrow('starts on line 1 has no closing quote');
    await expect(read('a,b\r\n"c\nd",e\r\n\r\nf,"g\nh', [3, 9])).rejects.toThrow('starts on line 5 has');
    await expect(read(`a\n"${'b'.repeat(1024 * 1024 + 1)}"`)).rejects.toThrow('starts on line 2 is longer than');
  });
});
