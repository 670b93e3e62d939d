import { limits, Problem, type TenantId } from '#model';
import {
  countTensorBytes,
  listValueSeries,
  type PickedBlobSequence,
  type PickedTensor,
  readBlobSequences,
  readTensors,
  type Store,
  type ValueRequest,
  type ValueSeries,
} from '#store';
import { type Admit, readAdmitted, type SeenFrontier } from './admit.ts';
import { responseTooManyBytes } from './scalar-json.ts';
import { type SeriesSelection, stepRange } from './scalar-request.ts';

/** A validated request for tensors or blob sequences. */
export interface ValuesRequest extends SeriesSelection {
  readonly points: number;
  /** `even`: evenly spaced, including the last; `tail`: the most recent ones. */
  readonly sampling: 'even' | 'tail';
  readonly superseded: boolean;
}

/** The selected values of one series, and the number of values that they were selected from. */
export interface PickedSeries<Value> {
  readonly series: ValueSeries;
  readonly total: number;
  readonly values: readonly Value[];
}

/** A response, with frontier and values from one snapshot. */
export interface ValuesResult<Value> {
  readonly frontier: SeenFrontier;
  readonly series: readonly PickedSeries<Value>[];
}

/** Maximum number of tensor values in one response; each is read from a separate row. */
const maxTensorValues = 200_000;
/** Maximum number of blob sequence points in one response. */
const maxBlobPoints = 50_000;

/** A tensor needs this multiple of its size in memory: the stored bytes, and the text. */
const tensorTexts = 3;

/**
 * Runs a tensors query. `reserve` is called with the maximum bytes of the response before they are
 * read, and may throw. Bodies above 16 KiB must still be read, by their `objectKey`.
 */
export async function readTensorValues(
  store: Store,
  tenantId: TenantId,
  request: ValuesRequest,
  admit: Admit,
  reserve?: (bytes: number) => Promise<void>,
): Promise<ValuesResult<PickedTensor>> {
  return store.withSnapshot(tenantId, async (snapshot) => {
    const frontier = await readAdmitted(snapshot, request, admit);
    const list = await listValueSeries(snapshot, 'tensor', request);
    const wanted = valueRequest(request, list);
    const { values, bytes } = await countTensorBytes(snapshot, wanted);
    if (values > maxTensorValues) throw tooManyValues(values, maxTensorValues);
    if (bytes > limits.maxAnswerBytes) throw responseTooManyBytes();
    await reserve?.(tensorTexts * bytes);
    return { frontier, series: group(list, await readTensors(snapshot, wanted)) };
  });
}

/** Runs a blob sequences query; the blobs themselves are read by key. */
export async function readBlobSequenceValues(
  store: Store,
  tenantId: TenantId,
  request: ValuesRequest,
  admit: Admit,
): Promise<ValuesResult<PickedBlobSequence>> {
  return store.withSnapshot(tenantId, async (snapshot) => {
    const frontier = await readAdmitted(snapshot, request, admit);
    const list = await listValueSeries(snapshot, 'blob_sequence', request);
    const rows = await readBlobSequences(snapshot, valueRequest(request, list));
    if (rows.length > maxBlobPoints) throw tooManyValues(rows.length, maxBlobPoints);
    return { frontier, series: group(list, rows) };
  });
}

function valueRequest(request: ValuesRequest, list: readonly ValueSeries[]): ValueRequest {
  return {
    seriesIds: list.map((series) => series.seriesId),
    ...stepRange(request),
    points: request.points,
    pick: request.sampling,
    superseded: request.superseded,
  };
}

function group<Value extends { readonly series: number; readonly total: number }>(
  list: readonly ValueSeries[],
  rows: readonly Value[],
): PickedSeries<Value>[] {
  const values = list.map((): Value[] => []);
  for (const row of rows) values[row.series]!.push(row);
  return list.map((series, i) => ({ series, total: values[i]![0]?.total ?? 0, values: values[i]! }));
}

function tooManyValues(values: number, max: number): Problem {
  return new Problem(
    'answer-too-large',
    `The response would have ${values} values; the limit is ${max}. Request fewer runs, tags or points, or a smaller range of steps.`,
    {
      extra: { values, max_values: max },
    },
  );
}
