import {
  Bool,
  type Data,
  Dictionary,
  Field,
  Float64,
  Int32,
  Int64,
  makeData,
  makeVector,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import { pauseIfLong } from '#admission';
import { limits } from '#model';
import type { Column, ColumnName, ScalarResult } from './scalar-result.ts';
import { responseTooManyBytes } from './scalar-json.ts';
import { emptyTableColumns, type TablePart, tableParts } from './scalar-table.ts';
import { wideSteps } from './steps.ts';

/**
 * Writes a response as an Arrow stream with the same long table as CSV. Run and tag are
 * dictionaries; steps and counts are int64; values are float64, bit for bit. There is one batch per
 * series. Returns the stream in pieces.
 */
export async function scalarsArrow(response: ScalarResult, wanted: readonly ColumnName[] | null): Promise<Uint8Array[]> {
  const found = tableParts(response, wanted);
  // A stream without a batch would not show its columns.
  const parts = found.length > 0 ? found : [emptyPart(wanted)];
  const bytes = parts.reduce((sum, part) => sum + part.rows * (8 + part.columns.length * 8), 0);
  if (bytes > limits.maxAnswerBytes) throw responseTooManyBytes();
  const names: Names = {
    run: new Map([...new Set(parts.map((part) => part.run))].map((name, index) => [name, index])),
    tag: new Map([...new Set(parts.map((part) => part.tag))].map((name, index) => [name, index])),
  };
  const runs = dictionary(names.run, 0);
  const tags = dictionary(names.tag, 1);
  const columns = parts[0]!.columns.map(fieldOf);
  const schema = new Schema([new Field('run', runs.type), new Field('tag', tags.type), ...columns]);
  const writer = new RecordBatchStreamWriter();
  for (const part of parts) {
    const pause = pauseIfLong();
    if (pause) await pause;
    writer.write(batchOf(schema, part, names, runs, tags));
  }
  writer.finish();
  return [writer.toUint8Array(true)];
}

function emptyPart(wanted: readonly ColumnName[] | null): TablePart {
  const none = new Float64Array(0);
  const columns = emptyTableColumns.map((name): Column => ({ name, kind: name === 'step' ? 'integer' : 'float', values: none }));
  return { run: '', tag: '', rows: 0, columns: columns.filter(({ name }) => !wanted || wanted.some((one) => one === name)) };
}

interface Names {
  readonly run: ReadonlyMap<string, number>;
  readonly tag: ReadonlyMap<string, number>;
}

interface NameDictionary {
  readonly type: Dictionary<Utf8, Int32>;
  readonly values: Vector<Utf8>;
}

function dictionary(names: ReadonlyMap<string, number>, id: number): NameDictionary {
  return { type: new Dictionary(new Utf8(), new Int32(), id), values: vectorFromArray([...names.keys()], new Utf8()) };
}

function batchOf(schema: Schema, part: TablePart, names: Names, runs: NameDictionary, tags: NameDictionary): RecordBatch {
  const used = new Set<ArrayBufferLike>();
  const children: Data[] = [
    constant(runs, names.run.get(part.run)!, part.rows),
    constant(tags, names.tag.get(part.tag)!, part.rows),
    ...part.columns.map((column) => dataOf(column, used)),
  ];
  return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length: part.rows, nullCount: 0, children }));
}

function constant({ type, values }: NameDictionary, index: number, rows: number): Data {
  return makeData({ type, length: rows, nullCount: 0, data: new Int32Array(rows).fill(index), dictionary: values });
}

function fieldOf(column: Pick<Column, 'name' | 'kind'>): Field {
  switch (column.kind) {
    case 'integer':
      return new Field(column.name, new Int64());
    case 'float':
      return new Field(column.name, new Float64());
    case 'boolean':
      return new Field(column.name, new Bool());
  }
}

/**
 * The values of a column. The library's writer merges neighbors in the same memory and counts their
 * bytes twice, so each buffer is `used` once. A column that shares an array with another column
 * gets a copy.
 */
function dataOf(column: Column, used: Set<ArrayBufferLike>): Data {
  switch (column.kind) {
    case 'integer':
      return makeData({ type: new Int64(), length: column.values.length, nullCount: 0, data: wideSteps(column.values) });
    case 'float': {
      const values = used.has(column.values.buffer) ? column.values.slice() : column.values;
      used.add(values.buffer);
      return makeData({ type: new Float64(), length: values.length, nullCount: 0, data: values });
    }
    case 'boolean':
      return makeVector({ type: new Bool(), length: column.values.length, nullCount: 0, data: packBits(column.values) }).data[0]!;
  }
}

function packBits(values: Uint8Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(values.length / 8));
  values.forEach((value, i) => {
    if (value) bits[i >> 3]! |= 1 << (i & 7);
  });
  return bits;
}
