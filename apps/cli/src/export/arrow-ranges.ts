import { Table, tableFromIPC } from 'apache-arrow';
import type { ScalarRange } from '#tables';
import { UnexpectedResponse } from '../http/json.ts';

/**
 * The ranges in a page of scalars, in Arrow's stream format: the service writes a batch per series.
 */
export function* arrowRanges(body: Buffer, withSuperseded: boolean): Generator<ScalarRange> {
  let batches;
  try {
    ({ batches } = tableFromIPC(body));
  } catch (error) {
    throw new UnexpectedResponse('the response is not an Arrow stream; is this a Plotline server?', { cause: error });
  }
  for (const batch of batches) {
    if (batch.numRows === 0) continue;
    const table = new Table(batch);
    const column = (name: string): unknown => table.getChild(name)?.toArray();
    const [steps, wallTimes, values] = [column('step'), column('wall_time'), column('value')];
    if (!(steps instanceof BigInt64Array && wallTimes instanceof Float64Array && values instanceof Float64Array))
      throw new UnexpectedResponse('the column step, wall_time or value is missing or has the wrong type');
    const first = (name: string): string => String(table.getChild(name)?.get(0));
    const writer: unknown = table.getChild('writer')?.get(0);
    yield {
      run: first('run'),
      tag: first('tag'),
      writer: writer === undefined ? 0 : Number(writer),
      steps,
      wallTimes,
      values,
      superseded: withSuperseded ? Array.from(table.getChild('superseded') ?? [], (flag) => flag === true) : null,
    };
  }
}
