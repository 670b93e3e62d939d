import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ByteWriter, parquetWrite } from 'hyparquet-writer';
import { tableReaders } from './tables.ts';
import { TablePoints } from './table-points.ts';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'tables-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The points of a table, as `step value`, and the reasons for skipped rows. */
async function read(format: keyof typeof tableReaders, content: string | Uint8Array): Promise<string[]> {
  const path = join(folder, `table.${format}`);
  await writeFile(path, content);
  const found: string[] = [];
  const sink = {
    scalars: ({ steps, values }: { steps: BigInt64Array; values: Float64Array }) => {
      for (const [i, step] of steps.entries()) found.push(`${step} ${values[i]}`);
      return Promise.resolve();
    },
    skip: (_what: string, why: string) => void found.push(why),
  };
  const columns = { run: null, tag: 'tag', step: 'step', time: null, value: 'value', writer: null, superseded: null };
  await tableReaders[format](path, () => new TablePoints(sink as never, { columns, runName: 'run', unitsPerSecond: 1, sorts: false }));
  return found;
}

it('keeps steps of JSON Lines beyond 2^53 exact, and reads values as float64', async () => {
  const line = (step: string, value: string) => `{"tag":"loss 1234567890123456789","step":${step},"value":${value}}\n`;
  const lines = [
    line('9007199254740993', '0.12345678901234566'),
    line('-9223372036854775808', '9007199254740993'),
    line('9223372036854775807', '1234567890123456.5'),
    line('9223372036854775808', '1'),
    line('1', `1${'0'.repeat(400)}`),
    line('2', '1e400'),
    line('"9007199254740995"', '2'),
  ];
  expect(await read('jsonl', lines.join(''))).toEqual([
    'their step is out of range for int64',
    'their value is out of range for float64',
    'their value is out of range for float64',
    '9007199254740993 0.12345678901234566',
    '-9223372036854775808 9007199254740992',
    '9223372036854775807 1234567890123456.5',
    '9007199254740995 2',
  ]);
});

it('names a compression of Parquet that it cannot read', async () => {
  const writer = new ByteWriter();
  const columnData = [
    { name: 'tag', data: ['loss'], type: 'STRING' as const },
    { name: 'step', data: [1n], type: 'INT64' as const },
    { name: 'value', data: [0.5], type: 'DOUBLE' as const },
  ];
  await parquetWrite({ writer, columnData, codec: 'LZ4_RAW', compressors: { LZ4_RAW: (bytes) => bytes } });
  await expect(read('parquet', new Uint8Array(writer.getBuffer()))).rejects.toThrow('is compressed with LZ4_RAW, which is not supported');
});
