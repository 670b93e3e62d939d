import { pauseIfLong } from '#admission';
import type { Column, ColumnName, ScalarResult } from './scalar-result.ts';
import { emptyTableColumns, tableParts } from './scalar-table.ts';
import { wideSteps } from './steps.ts';

const kinds = { integer: 'int64', float: 'float64', boolean: 'boolean' } as const;

/**
 * Writes a response as a Parquet file with the same long table as CSV. Steps and counts are int64;
 * values are float64, bit for bit. Returns the file in pieces.
 */
export async function scalarsParquet(response: ScalarResult, wanted: readonly ColumnName[] | null): Promise<Uint8Array[]> {
  const parts = tableParts(response, wanted);
  const columns = parts[0]?.columns.map(({ name, kind }) => ({ name, kind: kinds[kind] })) ?? emptyColumns(wanted);
  const { ParquetTable } = await import('#parquet'); // on demand, see libs/parquet/README.md
  const table = new ParquetTable([{ name: 'run', kind: 'text' }, { name: 'tag', kind: 'text' }, ...columns]);
  const pieces: Uint8Array[] = [];
  for (const part of parts) {
    const pause = pauseIfLong();
    if (pause) await pause;
    pieces.push(...table.add(part.rows, [part.run, part.tag, ...part.columns.map(cellsOf)]));
  }
  return [...pieces, ...table.finish()];
}

function emptyColumns(wanted: readonly ColumnName[] | null) {
  return emptyTableColumns
    .filter((name) => !wanted || wanted.includes(name))
    .map((name) => ({ name, kind: name === 'step' ? ('int64' as const) : ('float64' as const) }));
}

function cellsOf(column: Column) {
  switch (column.kind) {
    case 'integer':
      return wideSteps(column.values);
    case 'float':
      return column.values;
    case 'boolean':
      return Array.from(column.values, (value) => value !== 0);
  }
}
