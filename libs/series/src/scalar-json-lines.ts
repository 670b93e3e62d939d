import { pauseIfLong } from '#admission';
import { jsonFloat, jsonInteger } from './json-numbers.ts';
import type { Column, ColumnName, ScalarResult } from './scalar-result.ts';
import { BoundedText } from './scalar-json.ts';
import { tableParts } from './scalar-table.ts';

/**
 * Writes a response as JSON Lines: one object per row of the long table, with numbers as in JSON
 * responses. Returns the text in pieces.
 */
export async function scalarsJsonLines(response: ScalarResult, wanted: readonly ColumnName[] | null): Promise<Buffer[]> {
  const out = new BoundedText();
  for (const { run, tag, rows, columns } of tableParts(response, wanted)) {
    const head = `{"run":${JSON.stringify(run)},"tag":${JSON.stringify(tag)}`;
    const cells = columns.map(cellsOf);
    for (let row = 0; row < rows; row++) {
      const pause = row % 256 === 0 ? pauseIfLong() : undefined;
      if (pause) await pause;
      let line = head;
      for (const cell of cells) line += cell(row);
      out.add(`${line}}\n`);
    }
  }
  return out.finish();
}

function cellsOf(column: Column): (row: number) => string {
  const name = `,"${column.name}":`;
  switch (column.kind) {
    case 'integer': {
      const { values } = column;
      return (row) => name + jsonInteger(values[row]!);
    }
    case 'float': {
      const { values } = column;
      return (row) => name + jsonFloat(values[row]!);
    }
    case 'boolean': {
      const { values } = column;
      return (row) => name + (values[row] ? 'true' : 'false');
    }
  }
}
