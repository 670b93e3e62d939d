import { createHash } from 'node:crypto';
import { ContentDigest, type DigestedContent, SeriesDigest } from '#citations';
import type { DataClass, ExperimentId, RunName, TagName } from '#model';
import { scalarPages } from '../export/scalar-pages.ts';
import { blobSequences, fetchBlobs, listRunSeries, tensorPages } from '../export/value-pages.ts';
import type { Api } from '../http/api.ts';
import { stringField } from '../http/json.ts';

/**
 * The content digest of an experiment, computed here from every value and every blob that the API
 * returns. Needs memory for one page and for the series digests of one run.
 */
export async function digestService(api: Api, experimentId: ExperimentId, progress: (runs: number) => void): Promise<DigestedContent> {
  const content = new ContentDigest();
  const runs: RunName[] = [];
  for await (const run of api.pages(`/experiments/${experimentId}/runs`, 'runs', 'Listing runs')) runs.push(stringField(run, 'run'));
  for (const [i, run] of runs.entries()) {
    await addRun(content, api, experimentId, run);
    progress(i + 1);
  }
  return content.finish();
}

async function addRun(content: ContentDigest, api: Api, experimentId: ExperimentId, run: RunName): Promise<void> {
  const { list } = await listRunSeries(api, experimentId, run);
  const ofClass = (dataClass: DataClass) => list.filter((series) => series.dataClass === dataClass);
  const digests = new Map<string, SeriesDigest>();
  const digestOf = (dataClass: DataClass, tag: TagName, writer: number): SeriesDigest => {
    const key = `${dataClass} ${writer} ${tag}`;
    const known = digests.get(key) ?? new SeriesDigest({ run, tag }, dataClass);
    digests.set(key, known);
    return known;
  };
  if (ofClass('scalar').length > 0) {
    for await (const { tag, writer, steps, wallTimes, values } of scalarPages(api, experimentId, { superseded: false, runs: [run] }))
      digestOf('scalar', tag, writer).scalars(steps, wallTimes, values);
  }
  for await (const { tag, writer, points } of blobSequences(api, experimentId, run, ofClass('blob_sequence'))) {
    const digest = digestOf('blob_sequence', tag, writer);
    for (const { step, wallTime, blobs } of points) {
      const bytes = await fetchBlobs(api, blobs);
      digest.blobs(step, wallTime, bytes.map(digestOfBlob));
    }
  }
  for await (const { tag, writer, steps, wallTimes, tensors } of tensorPages(api, experimentId, run, ofClass('tensor'))) {
    const digest = digestOf('tensor', tag, writer);
    for (const [i, { dtype, shape, packed }] of tensors.entries()) digest.tensor(steps[i]!, wallTimes[i]!, dtype, shape, packed);
  }
  for (const digest of digests.values()) content.add(digest);
}

/** A blob in the canonical form. */
export function digestOfBlob(blob: Uint8Array): { sha256: string; bytes: number } {
  return { sha256: createHash('sha256').update(blob).digest('hex'), bytes: blob.length };
}
