import type { Api } from '../http/api.ts';
import { asArray, asObject, stringField, UnexpectedAnswer } from '../http/json.ts';

/** Points of one request; the most that the service gives at once. */
const pageSize = 100_000;

/** A stretch of one series, columns of equal length. `superseded` is null unless asked for. */
export interface ScalarStretch {
  readonly run: string;
  readonly tag: string;
  readonly steps: BigInt64Array;
  readonly wallTimes: Float64Array;
  readonly values: Float64Array;
  readonly superseded: readonly boolean[] | null;
}

/** All scalar points of an experiment, series by series, read page by page (api.md, scalars query, `raw`). With `superseded`: in log order, else effective ones only. */
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

/** Steps beyond 2^53 come as strings. */
function readStep(value: unknown): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return BigInt(value);
  throw new UnexpectedAnswer(`${JSON.stringify(value)} is not a step`);
}

/** What is no JSON number comes as the strings NaN, Infinity and -Infinity. */
function readFloat(value: unknown): number {
  if (typeof value === 'number') return value;
  if (value === 'NaN') return NaN;
  if (value === 'Infinity') return Infinity;
  if (value === '-Infinity') return -Infinity;
  throw new UnexpectedAnswer(`${JSON.stringify(value)} is not a number`);
}
