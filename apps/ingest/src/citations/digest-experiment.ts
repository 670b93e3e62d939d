import type { BlobStore } from '#blobs';
import { ContentDigest, type DigestedContent, SeriesDigest } from '#citations';
import type { ExperimentId } from '#model';
import { type PartBounds, type SeriesPart, walkExperiment } from '#series';
import type { PickedTensor, Snapshot } from '#store';

const bounds: PartBounds = { points: 100_000, tensorBytes: 8 * 1024 * 1024, blobs: 4_096 };

/**
 * The digest of everything that an experiment shows: all effective values, including unlisted
 * series. Blobs are stored by their SHA-256, so their bytes are not read. `onPart` is called after
 * each part, and can throw to stop.
 */
export async function digestExperiment(
  database: Snapshot,
  blobs: BlobStore,
  experimentId: ExperimentId,
  onPart: () => void,
): Promise<DigestedContent> {
  const content = new ContentDigest();
  let current = null as { readonly seriesId: string; readonly digest: SeriesDigest } | null;
  for await (const part of walkExperiment(database, { experimentId, view: null, unlisted: true }, bounds)) {
    const { seriesId, dataClass } = part.series;
    if (current?.seriesId !== seriesId) {
      if (current) content.add(current.digest);
      current = { seriesId, digest: new SeriesDigest(part.series, dataClass) };
    }
    await addPart(current.digest, part, async ({ body, objectKey }) => body ?? blobs.get(database.tenantId, objectKey!));
    onPart();
  }
  if (current) content.add(current.digest);
  return content.finish();
}

async function addPart(digest: SeriesDigest, part: SeriesPart, bodyOf: (tensor: PickedTensor) => Promise<Uint8Array>): Promise<void> {
  if ('points' in part) {
    const { steps, wallTimes, values } = part.points;
    digest.scalars(steps, wallTimes, values);
  } else if ('tensors' in part) {
    for (const tensor of part.tensors) digest.tensor(tensor.step, tensor.wallTime, tensor.dtype, tensor.shape, await bodyOf(tensor));
  } else {
    for (const { step, wallTime, sha256, bytes } of part.sequences)
      digest.blobs(
        step,
        wallTime,
        sha256.map((hash, i) => (hash === null ? null : { sha256: hash, bytes: bytes[i]! })),
      );
  }
}
