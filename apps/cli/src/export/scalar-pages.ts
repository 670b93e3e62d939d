import type { Api } from '../http/api.ts';
import { asArray, asObject, intField, stringField, UnexpectedAnswer } from '../http/json.ts';

/** Points per request; the maximum of the service. */
const pageSize = 100_000;

/** A range of one series, in columns of equal length. `superseded` is null unless requested. */
export interface ScalarStretch {
  readonly run: string;
  readonly tag: string;
  /** Number of the writer of the run (api.md). */
  readonly writer: number;
  readonly steps: BigInt64Array;
  readonly wallTimes: Float64Array;
  readonly values: Float64Array;
  readonly superseded: readonly boolean[] | null;
}

/** What a table of the scalars must contain besides the values. */
export interface ScalarSurvey {
  /** Number of superseded points. */
  readonly superseded: number;
  /** Some run has several writers: the table has a column to distinguish them. */
  readonly hasWriters: boolean;
}

/** Summarizes the series of an experiment. */
export async function surveyScalars(api: Api, experimentId: string): Promise<ScalarSurvey> {
  let superseded = 0;
  let hasWriters = false;
  for await (const series of api.pages(`/experiments/${experimentId}/series`, 'series', 'Listing series')) {
    if (series['data_class'] !== 'scalar') continue;
    superseded += intField(series, 'superseded_points');
    hasWriters ||= series['writer'] !== undefined && intField(series, 'writer') > 0;
  }
  return { superseded, hasWriters };
}

/**
 * All scalar points of an experiment, by series, read page by page (api.md, scalars query, `raw`).
 * With `superseded`: in log order, otherwise only effective ones.
 */
export async function* scalarPages(api: Api, experimentId: string, superseded: boolean): AsyncGenerator<ScalarStretch> {
  for (let token: string | null = null; ;) {
    const page = await api.send('POST', `/experiments/${experimentId}/scalars/query`, 'Reading scalars', {
      sampling: 'raw',
      superseded,
      page_size: pageSize,
      ...(token !== null && { page_token: token }),
    });
    for (const value of asArray(page['series'], 'series')) {
      const series = asObject(value, 'series');
      const columns = asObject(series['columns'], 'columns');
      const steps = asArray(columns['step'], 'step');
      yield {
        run: stringField(series, 'run'),
        tag: stringField(series, 'tag'),
        writer: series['writer'] === undefined ? 0 : intField(series, 'writer'),
        steps: BigInt64Array.from(steps, readStep),
        wallTimes: Float64Array.from(asArray(columns['wall_time'], 'wall_time'), readFloat),
        values: Float64Array.from(asArray(columns['value'], 'value'), readFloat),
        superseded: superseded ? asArray(columns['superseded'], 'superseded').map((flag) => flag === true) : null,
      };
    }
    const next = page['next_page_token'];
    if (typeof next !== 'string' || next === '') return;
    token = next;
  }
}

/** Steps beyond 2^53 are strings. */
function readStep(value: unknown): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return BigInt(value);
  throw new UnexpectedAnswer(`${JSON.stringify(value)} is not a step`);
}

/** Values that are not JSON numbers are the strings NaN, Infinity and -Infinity. */
function readFloat(value: unknown): number {
  if (typeof value === 'number') return value;
  if (value === 'NaN') return NaN;
  if (value === 'Infinity') return Infinity;
  if (value === '-Infinity') return -Infinity;
  throw new UnexpectedAnswer(`${JSON.stringify(value)} is not a number`);
}
