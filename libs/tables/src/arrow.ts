import {
  Bool,
  Field,
  Float64,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import type { ScalarRange, TableColumns } from './scalar-range.ts';

/**
 * Writes ranges of scalars as an Arrow IPC stream with one record batch per range. The columns are
 * `run, tag, step, wall_time, value` (with `writer` after `tag`, and `superseded` at the end, if
 * requested).
 */
export async function* arrowStream(ranges: AsyncIterable<ScalarRange>, columns: TableColumns): AsyncGenerator<Uint8Array> {
  const schema = new Schema([
    new Field('run', new Utf8(), false),
    new Field('tag', new Utf8(), false),
    ...(columns.writer ? [new Field('writer', new Int32(), false)] : []),
    new Field('step', new Int64(), false),
    new Field('wall_time', new Float64(), false),
    new Field('value', new Float64(), false),
    ...(columns.superseded ? [new Field('superseded', new Bool(), false)] : []),
  ]);
  const writer = new RecordBatchStreamWriter();
  writer.reset(undefined, schema);
  const output = writer[Symbol.asyncIterator]();
  let next = output.next();
  for await (const range of ranges) {
    writer.write(recordBatch(schema, range, columns));
    // Everything queued is sent before the next range is read, so the queue has at most one range.
    for (let piece = await soon(next); piece && !piece.done; piece = await soon(next)) {
      next = output.next();
      yield piece.value;
    }
  }
  writer.finish();
  for (let piece = await next; !piece.done; piece = await output.next()) yield piece.value;
}

/** A promise's value if it resolves without input or output; otherwise, null. */
function soon<T>(promise: Promise<T>): Promise<T | null> {
  return Promise.race([promise, new Promise<null>((resolve) => setImmediate(resolve, null))]);
}

function recordBatch(schema: Schema, range: ScalarRange, columns: TableColumns): RecordBatch {
  const { run, tag, steps, wallTimes, values, superseded } = range;
  const length = steps.length;
  const children = [
    repeated(run, length),
    repeated(tag, length),
    ...(columns.writer ? [makeData({ type: new Int32(), length, nullCount: 0, data: new Int32Array(length).fill(range.writer) })] : []),
    makeData({ type: new Int64(), length, nullCount: 0, data: steps }),
    makeData({ type: new Float64(), length, nullCount: 0, data: wallTimes }),
    makeData({ type: new Float64(), length, nullCount: 0, data: values }),
    ...(superseded ? vectorFromArray([...superseded], new Bool()).data : []),
  ];
  return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }));
}

/** A text column with a single value, which does not need a string per row. */
function repeated(text: string, length: number) {
  const bytes = Buffer.from(text);
  const valueOffsets = Int32Array.from({ length: length + 1 }, (_, i) => i * bytes.length);
  const data = new Uint8Array(bytes.length * length);
  for (let i = 0; i < length; i++) data.set(bytes, i * bytes.length);
  return makeData({ type: new Utf8(), length, nullCount: 0, valueOffsets, data });
}
