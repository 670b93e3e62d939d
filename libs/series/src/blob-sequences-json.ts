import { pauseIfLong } from '#admission';
import { type ExperimentId, limits, Problem, type SeriesId } from '#model';
import type { PickedBlobSequence } from '#store';
import { writeBlobKey } from './blob-key.ts';
import { jsonFloat, jsonInteger } from './json-numbers.ts';
import type { ValuesResult, ValuesRequest } from './read-values.ts';
import { haveSeveralWriters } from './scalar-result.ts';
import { BoundedText, frontierJson } from './scalar-json.ts';

/**
 * Selects blobs of each point: a range of indices, both ends included, or the last one. Null for
 * all.
 */
export type BlobIndices = { readonly from: number; readonly to: number } | 'last' | null;

/**
 * Maximum number of blobs in one response: the first bytes of each are read to determine its type.
 */
const maxBlobs = 50_000;
const lookAhead = 16;

/**
 * A blob's type, as detected from its bytes, and a URL to fetch it directly from the blob store;
 * null if there is none.
 */
export interface BlobPlace {
  readonly contentType: string;
  readonly url: string | null;
}

/** Writes the response to a blob sequences query. `look` determines a blob's type and URL. */
export async function blobSequencesJson(
  response: ValuesResult<PickedBlobSequence>,
  request: ValuesRequest,
  indices: BlobIndices,
  look: (sha256: string, bytes: number) => Promise<BlobPlace>,
): Promise<Buffer[]> {
  const places = await placesOf(response, indices, look);
  const severalWriters = haveSeveralWriters(response.series.map(({ series }) => series));
  const out = new BoundedText();
  out.add(`{"frontier":${JSON.stringify(frontierJson(response.frontier))},"series":[`);
  for (const [index, { series, total, values }] of response.series.entries()) {
    out.add(
      `${index > 0 ? ',' : ''}{"run":${JSON.stringify(series.run)},"tag":${JSON.stringify(series.tag)},${severalWriters ? `"writer":${series.writer},` : ''}"sampling":"${request.sampling}","exact":${values.length === total},"source_points":${total},"points":[`,
    );
    for (const [i, value] of values.entries()) {
      const pause = i % 64 === 0 ? pauseIfLong() : undefined;
      if (pause) await pause;
      const blobs = chosen(value, indices).map((at) => blobJson(request.experimentId, series.seriesId, value, at, places));
      const superseded = request.superseded ? `,"superseded":${value.superseded}` : '';
      out.add(
        `${i > 0 ? ',' : ''}{"step":${jsonInteger(value.step)},"wall_time":${jsonFloat(value.wallTime)}${superseded},"blobs":[${blobs.join(',')}]}`,
      );
    }
    out.add(']}');
  }
  out.add(']}');
  return out.finish();
}

function chosen({ sha256 }: PickedBlobSequence, indices: BlobIndices): number[] {
  const last = sha256.length - 1;
  const from = indices === 'last' ? Math.max(0, last) : (indices?.from ?? 0);
  const to = indices === 'last' || indices === null ? last : Math.min(last, indices.to);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}

/** A hole in a sequence is null. */
function blobJson(
  experimentId: ExperimentId,
  seriesId: SeriesId,
  value: PickedBlobSequence,
  index: number,
  places: ReadonlyMap<string, BlobPlace>,
): string {
  const sha256 = value.sha256[index];
  if (!sha256) return 'null';
  const key = writeBlobKey({ experimentId, seriesId, fileId: value.fileId, ordinal: value.ordinal, index });
  const { contentType, url } = places.get(sha256)!;
  return JSON.stringify({
    key,
    url: url ?? `/api/v1/blobs/${key}`,
    index,
    bytes: value.bytes[index],
    content_type: contentType,
    sha256,
  });
}

async function placesOf(
  response: ValuesResult<PickedBlobSequence>,
  indices: BlobIndices,
  look: (sha256: string, bytes: number) => Promise<BlobPlace>,
): Promise<ReadonlyMap<string, BlobPlace>> {
  const wanted = new Map<string, number>();
  let blobs = 0;
  for (const { values } of response.series) {
    for (const value of values) {
      for (const index of chosen(value, indices)) {
        const sha256 = value.sha256[index];
        if (!sha256) continue;
        wanted.set(sha256, value.bytes[index]!);
        if (++blobs > maxBlobs) throw tooManyBlobs();
      }
    }
  }
  const places = new Map<string, BlobPlace>();
  const left = [...wanted];
  const lookAtSome = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) places.set(next[0], await look(next[0], next[1]));
  };
  await Promise.all(Array.from({ length: lookAhead }, lookAtSome));
  return places;
}

function tooManyBlobs(): Problem {
  return new Problem(
    'answer-too-large',
    `One response can list ${maxBlobs} blobs. Request fewer runs, tags or points, or a range of indices.`,
    { extra: { max_blobs: maxBlobs, max_bytes: limits.maxAnswerBytes } },
  );
}
