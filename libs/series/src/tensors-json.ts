import { pauseIfLong } from '#admission';
import type { PickedTensor } from '#store';
import { jsonFloats, jsonIntegers } from './json-numbers.ts';
import type { ValuesResult, ValuesRequest } from './read-values.ts';
import { haveSeveralWriters } from './scalar-result.ts';
import { BoundedText, frontierJson } from './scalar-json.ts';
import { narrowAnySteps } from './steps.ts';
import { tensorJson } from './tensor-json.ts';

/**
 * Writes the response to a tensors query, with columns as for scalars. `readBody` returns the bytes
 * of tensors in the blob store. With `asPacked`, values are returned as their stored bytes.
 */
export async function tensorsJson(
  response: ValuesResult<PickedTensor>,
  request: ValuesRequest,
  readBody: (objectKey: string) => Promise<Uint8Array>,
  asPacked = false,
): Promise<Buffer[]> {
  const severalWriters = haveSeveralWriters(response.series.map(({ series }) => series));
  const out = new BoundedText();
  out.add(`{"frontier":${JSON.stringify(frontierJson(response.frontier))},"series":[`);
  for (const [index, { series, total, values }] of response.series.entries()) {
    out.add(
      `${index > 0 ? ',' : ''}{"run":${JSON.stringify(series.run)},"tag":${JSON.stringify(series.tag)},${severalWriters ? `"writer":${series.writer},` : ''}"sampling":"${request.sampling}","exact":${values.length === total},"source_points":${total},`,
    );
    out.add(
      `"columns":{"step":${jsonIntegers(narrowAnySteps(BigInt64Array.from(values, (value) => value.step)))},"wall_time":${jsonFloats(Float64Array.from(values, (value) => value.wallTime))},"value":[`,
    );
    for (const [i, value] of values.entries()) {
      const pause = pauseIfLong();
      if (pause) await pause;
      const packed = value.body ?? (await readBody(value.objectKey!));
      out.add(`${i > 0 ? ',' : ''}${tensorJson(value.dtype, value.shape, packed, asPacked)}`);
    }
    out.add(request.superseded ? `],"superseded":[${values.map((value) => value.superseded).join(',')}]}}` : ']}}');
  }
  out.add(']}');
  return out.finish();
}
