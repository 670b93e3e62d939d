import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeBlock, openBlock, readPrefix } from '#columns';
import { crc32c } from '#records';
import { logDirectory, logDirectoryNames } from './log-directories.ts';

/** More folders of event files to try, separated by colons. */
const more = (process.env['COLUMNS_LOGS'] ?? '').split(':').filter((path) => path !== '');

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile());
}

async function restored(block: Buffer): Promise<Buffer> {
  const decoder = await openBlock(block, 64 * 1024 * 1024);
  while (!decoder.step(1000));
  return decoder.bytes;
}

/** Checks that every file, whole and in ranges with any bounds, is returned byte for byte. */
async function check(folder: string): Promise<void> {
  const files = filesBelow(folder);
  expect(files.length).toBeGreaterThan(0);
  for (const path of files) {
    const bytes = readFileSync(path);
    const pieces = [bytes, ...[1_000, 65_537].flatMap((size) => piecesOf(bytes, size).slice(0, 40))];
    for (const piece of pieces) {
      const crc = crc32c(0, piece);
      const block = await encodeBlock(piece, crc);
      if (block === null) continue;
      expect(block.length, path).toBeLessThan(piece.length);
      expect(readPrefix(block, piece.length).crc32c).toBe(crc);
      expect((await restored(block)).equals(piece), path).toBe(true);
    }
  }
}

function piecesOf(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}

describe('columns of real event files', () => {
  it.each(logDirectoryNames)('return the bytes of %s', async (name) => check(await logDirectory(name)));

  it.runIf(more.length > 0)('return the bytes of the folders in COLUMNS_LOGS', async () => {
    for (const folder of more) await check(folder);
  });

  it('take less than a sixth of a long log of scalars', async () => {
    const files = filesBelow(await logDirectory('long_scalars'));
    const bytes = files.map((path) => readFileSync(path)).toSorted((a, b) => b.length - a.length)[0]!;
    const block = await encodeBlock(bytes, crc32c(0, bytes));
    expect(block!.length).toBeLessThan(bytes.length / 6);
  });
});
