import type { ScalarRange, TableColumns } from './scalar-range.ts';

/**
 * Writes ranges of scalars as a Parquet file. The columns are `run, tag, step, wall_time, value`
 * (with `writer` after `tag`, and `superseded` at the end, if requested). Holds one row group in
 * memory.
 */
export async function* parquetFile(ranges: AsyncIterable<ScalarRange>, columns: TableColumns): AsyncGenerator<Uint8Array> {
  const { ParquetTable } = await import('#parquet'); // on demand, see libs/parquet/README.md
  const table = new ParquetTable([
    { name: 'run', kind: 'text' },
    { name: 'tag', kind: 'text' },
    ...(columns.writer ? [{ name: 'writer', kind: 'int32' } as const] : []),
    { name: 'step', kind: 'int64' },
    { name: 'wall_time', kind: 'float64' },
    { name: 'value', kind: 'float64' },
    ...(columns.superseded ? [{ name: 'superseded', kind: 'boolean' } as const] : []),
  ]);
  for await (const { run, tag, writer, steps, wallTimes, values, superseded } of ranges) {
    const cells = [run, tag, ...(columns.writer ? [writer] : []), steps, wallTimes, values, ...(superseded ? [superseded] : [])];
    yield* table.add(steps.length, cells);
  }
  yield* table.finish();
}
