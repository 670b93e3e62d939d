import fc from 'fast-check';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ParquetTable } from './parquet-table.ts';

const columns = [
  { name: 'run', kind: 'text' },
  { name: 'writer', kind: 'int32' },
  { name: 'step', kind: 'int64' },
  { name: 'value', kind: 'float64' },
  { name: 'superseded', kind: 'boolean' },
] as const;

interface Row {
  run: string;
  writer: number;
  step: bigint;
  value: number;
  superseded: boolean;
}

async function read(file: Buffer): Promise<Row[]> {
  const buffer = file.buffer.slice(file.byteOffset, file.byteOffset + file.length) as ArrayBuffer;
  return (await parquetReadObjects({
    file: buffer,
    compressors: { ZSTD: (bytes) => new Uint8Array(zstdDecompressSync(bytes)) },
  })) as unknown as Row[];
}

const bits = (value: number): bigint => new BigInt64Array(Float64Array.of(value).buffer)[0]!;

describe('ParquetTable', () => {
  it('keeps every cell exactly, however the rows are divided', async () => {
    const row = fc.record({
      run: fc.string({ unit: 'grapheme' }),
      writer: fc.integer({ min: 0, max: 3 }),
      step: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      value: fc.oneof(fc.double(), fc.constantFrom(0, -0, NaN, Infinity, -Infinity)),
      superseded: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(row, { minLength: 1, maxLength: 20 }), { maxLength: 5 }), async (parts) => {
        const table = new ParquetTable(columns);
        const pieces = parts.flatMap((rows) =>
          table.add(rows.length, [
            rows.map(({ run }) => run),
            Int32Array.from(rows, ({ writer }) => writer),
            BigInt64Array.from(rows, ({ step }) => step),
            Float64Array.from(rows, ({ value }) => value),
            rows.map(({ superseded }) => superseded),
          ]),
        );
        const found = await read(Buffer.concat([...pieces, ...table.finish()]));
        const shown = (rows: readonly Row[]) => rows.map((one) => ({ ...one, value: bits(one.value) }));
        expect(shown(found)).toEqual(shown(parts.flat()));
      }),
      { numRuns: 60 },
    );
  });

  it('writes each row group when it is full, so that memory does not grow', async () => {
    const table = new ParquetTable([
      { name: 'tag', kind: 'text' },
      { name: 'step', kind: 'int64' },
    ]);
    const rows = 300_000;
    const first = table.add(rows, ['loss', BigInt64Array.from({ length: rows }, (_, i) => BigInt(i))]);
    const last = table.finish();
    const file = Buffer.concat([...first, ...last]);
    const { row_groups } = parquetMetadata(file.buffer.slice(file.byteOffset, file.byteOffset + file.length));
    expect(row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([131_072, 131_072, 37_856]);
    expect(first).toHaveLength(2);
    const found = await read(file);
    expect(found.map(({ step }) => Number(step))).toEqual(Array.from({ length: rows }, (_, i) => i));
  });
});
