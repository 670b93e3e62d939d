import { limits, Problem } from '#model';
import type { PickedBlobSequence } from '#store';
import { writeBlobKey } from './blob-key.ts';
import { type BlobType } from './content-type.ts';
import { jsonFloat, jsonInteger } from './json-numbers.ts';
import type { ValuesAnswer, ValuesRequest } from './read-values.ts';
import { BoundedText, frontierJson } from './scalar-json.ts';

/** Which blobs of each point: a range of indices, both ends included, or the last one. Null: all. */
export type BlobIndices = { readonly from: number; readonly to: number } | 'last' | null;

/** Blobs in one answer: the beginning of each is looked at for its type. */
const maxBlobs = 50_000;
const lookAhead = 16;

/** Writes an answer to a blob sequences query. `typeOf` finds the type of a blob from its first bytes. */
export async function blobSequencesJson(
  answer: ValuesAnswer<PickedBlobSequence>,
  request: ValuesRequest,
  indices: BlobIndices,
  typeOf: (sha256: string, bytes: number) => Promise<BlobType>,
): Promise<Buffer> {
  const types = await typesOf(answer, indices, typeOf);
  const out = new BoundedText();
  out.add(`{"frontier":${JSON.stringify(frontierJson(answer.frontier))},"series":[`);
  answer.series.forEach(({ series, total, values }, index) => {
    out.add(
      `${index > 0 ? ',' : ''}{"run":${JSON.stringify(series.run)},"tag":${JSON.stringify(series.tag)},"sampling":"${request.sampling}","exact":${values.length === total},"source_points":${total},"points":[`,
    );
    values.forEach((value, i) => {
      const blobs = chosen(value, indices).map((at) => blobJson(request.experimentId, series.seriesId, value, at, types));
      const superseded = request.superseded ? `,"superseded":${value.superseded}` : '';
      out.add(
        `${i > 0 ? ',' : ''}{"step":${jsonInteger(value.step)},"wall_time":${jsonFloat(value.wallTime)}${superseded},"blobs":[${blobs.join(',')}]}`,
      );
    });
    out.add(']}');
  });
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
  experimentId: string,
  seriesId: string,
  value: PickedBlobSequence,
  index: number,
  types: ReadonlyMap<string, BlobType>,
): string {
  const sha256 = value.sha256[index];
  if (!sha256) return 'null';
  const key = writeBlobKey({ experimentId, seriesId, fileId: value.fileId, ordinal: value.ordinal, index });
  return JSON.stringify({
    key,
    url: `/api/v1/blobs/${key}`,
    index,
    bytes: value.bytes[index],
    content_type: types.get(sha256)!.contentType,
    sha256,
  });
}

async function typesOf(
  answer: ValuesAnswer<PickedBlobSequence>,
  indices: BlobIndices,
  typeOf: (sha256: string, bytes: number) => Promise<BlobType>,
): Promise<ReadonlyMap<string, BlobType>> {
  const wanted = new Map<string, number>();
  let blobs = 0;
  for (const { values } of answer.series) {
    for (const value of values) {
      for (const index of chosen(value, indices)) {
        const sha256 = value.sha256[index];
        if (!sha256) continue;
        wanted.set(sha256, value.bytes[index]!);
        if (++blobs > maxBlobs) throw tooManyBlobs();
      }
    }
  }
  const types = new Map<string, BlobType>();
  const left = [...wanted];
  const look = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) types.set(next[0], await typeOf(next[0], next[1]));
  };
  await Promise.all(Array.from({ length: lookAhead }, look));
  return types;
}

function tooManyBlobs(): Problem {
  return new Problem(
    'answer-too-large',
    `One answer may list ${maxBlobs} blobs. Ask for fewer runs, tags or points, or for a range of indices.`,
    { extra: { max_blobs: maxBlobs, max_bytes: limits.maxAnswerBytes } },
  );
}
