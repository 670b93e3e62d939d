import zlib from 'node:zlib';
import { CorruptChunkError, decodeStoredSeries } from '#chunks';
import type { ExperimentId } from '#model';
import type { ScalarRange } from '#tables';
import type { Api } from '../http/api.ts';
import { intField, stringField, UnexpectedResponse } from '../http/json.ts';
import type { ContentSelection } from './content-selection.ts';

/** Points per request: the service's maximum. */
const pageSize = 100_000;

/** Summary of the scalar series that a table will contain. */
export interface ScalarSurvey {
  /** Number of superseded points. */
  readonly superseded: number;
  /** Whether a run has several writers, so the table has a column to distinguish them. */
  readonly hasWriters: boolean;
}

/** Summarizes the scalar series of an experiment, or of some runs and tags. */
export async function surveyScalars(api: Api, experimentId: ExperimentId, { runs, tags }: ContentSelection): Promise<ScalarSurvey> {
  const someRuns = runs && new Set(runs);
  const someTags = tags && new Set(tags);
  let superseded = 0;
  let hasWriters = false;
  for await (const series of api.pages(`/experiments/${experimentId}/series`, 'series', 'Listing series')) {
    if (series['data_class'] !== 'scalar') continue;
    if (someRuns && !someRuns.has(stringField(series, 'run'))) continue;
    if (someTags && !someTags.has(stringField(series, 'tag'))) continue;
    superseded += intField(series, 'superseded_points');
    hasWriters ||= series['writer'] !== undefined && intField(series, 'writer') > 0;
  }
  return { superseded, hasWriters };
}

/**
 * Counts the superseded values of an experiment, or of some runs and tags. `scalars`: counts only
 * scalars, as in a table.
 */
export async function countSuperseded(
  api: Api,
  experimentId: ExperimentId,
  { runs, tags, scalars }: ContentSelection & { readonly scalars: boolean },
): Promise<number> {
  if (scalars) return (await surveyScalars(api, experimentId, { ...(runs && { runs }), ...(tags && { tags }) })).superseded;
  const someRuns = runs && new Set(runs);
  const someTags = tags && new Set(tags);
  let superseded = 0;
  for await (const series of api.pages(`/experiments/${experimentId}/series?unlisted=true`, 'series', 'Listing series'))
    if ((!someRuns || someRuns.has(stringField(series, 'run'))) && (!someTags || someTags.has(stringField(series, 'tag'))))
      superseded += intField(series, 'superseded_points');
  return superseded;
}

/** Which scalars {@link scalarPages} reads. */
export interface ScalarSelection extends ContentSelection {
  readonly superseded: boolean;
}

/**
 * All scalar points of an experiment, by series, read page by page (api.md, scalars query, `raw`).
 * With `superseded`, points are in log order; otherwise, only effective points are read. Pages are
 * chunks as stored or Arrow, so no number is parsed. While a page is used, the next page is
 * requested.
 */
export async function* scalarPages(
  api: Api,
  experimentId: ExperimentId,
  { superseded, runs, tags }: ScalarSelection,
): AsyncGenerator<ScalarRange> {
  const request = (token: string | null) =>
    api.response('POST', `/experiments/${experimentId}/scalars/query`, 'Reading scalars', {
      headers: { 'content-type': 'application/json', accept },
      body: Buffer.from(
        JSON.stringify({
          sampling: 'raw',
          superseded,
          page_size: pageSize,
          ...(runs && { runs }),
          ...(tags && { tags }),
          ...(token !== null && { page_token: token }),
        }),
      ),
    });
  for (let page = await request(null); ;) {
    const token = page.headers['next-page-token'];
    const next = typeof token === 'string' && token !== '' ? request(token) : null;
    // The request is awaited below, unless the reader stops earlier.
    next?.catch(() => undefined);
    if (page.headers['content-type'] === chunksType) yield* rangesOfChunks(page.body);
    else yield* (await import('./arrow-ranges.ts')).arrowRanges(page.body, superseded);
    if (next === null) return;
    page = await next;
  }
}

const chunksType = 'application/vnd.plotline.chunks';
const arrowType = 'application/vnd.apache.arrow.stream';
/** Chunks need Zstandard, which Node lacks before 22.15. */
const accept = typeof zlib.zstdDecompressSync === 'function' ? `${chunksType}, ${arrowType};q=0.9` : arrowType;

function* rangesOfChunks(body: Buffer): Generator<ScalarRange> {
  try {
    for (const series of decodeStoredSeries(body)) yield { ...series, superseded: null };
  } catch (error) {
    if (!(error instanceof CorruptChunkError)) throw error;
    throw new UnexpectedResponse('the response is not a stream of chunks; is this a Plotline server?', { cause: error });
  }
}
