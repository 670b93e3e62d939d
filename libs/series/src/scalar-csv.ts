import { pauseIfLong } from '#admission';
import { guardFormula, tableFloat } from '#model';
import type { Column, ColumnName, ScalarResult } from './scalar-result.ts';
import { BoundedText } from './scalar-json.ts';
import { emptyTableColumns, tableParts } from './scalar-table.ts';

/**
 * Writes a response as CSV (RFC 4180): `run, tag` and the columns of the response. Floats are
 * written by `tableFloat`. `guard` prevents names from being read as formulas. Returns the text in
 * pieces.
 */
export async function scalarsCsv(response: ScalarResult, wanted: readonly ColumnName[] | null, guard = false): Promise<Buffer[]> {
  const text = (name: string): string => csvText(guard ? guardFormula(name) : name);
  const parts = tableParts(response, wanted);
  const out = new BoundedText();
  const names = parts[0]?.columns.map((column) => column.name) ?? emptyTableColumns.filter((name) => !wanted || wanted.includes(name));
  out.add(['run', 'tag', ...names].join(',') + '\r\n');
  for (const { run, tag, rows, columns } of parts) {
    const head = `${text(run)},${text(tag)}`;
    const cells = columns.map(cellsOf);
    for (let row = 0; row < rows; row++) {
      const pause = row % 256 === 0 ? pauseIfLong() : undefined;
      if (pause) await pause;
      let line = head;
      for (const cell of cells) line += `,${cell(row)}`;
      out.add(`${line}\r\n`);
    }
  }
  return out.finish();
}

function cellsOf(column: Column): (row: number) => string {
  switch (column.kind) {
    case 'integer': {
      const { values } = column;
      return (row) => String(values[row]);
    }
    case 'float': {
      const { values } = column;
      return (row) => tableFloat(values[row]!);
    }
    case 'boolean': {
      const { values } = column;
      return (row) => (values[row] ? 'true' : 'false');
    }
  }
}

function csvText(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
