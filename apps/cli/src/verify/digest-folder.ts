import { ContentDigest, type DigestedContent, SeriesDigest } from '#citations';
import type { RunName, SeriesBatch } from '#model';
import { isEvent, PointCollector } from '#points';
import { RecordReader } from '#records';
import { CliError, exitCodes } from '../exit.ts';
import { groupBy } from '../group-by.ts';
import { EventFile } from '../local/event-file.ts';
import { pathFilter } from '../local/path-filter.ts';
import { type FoundFile, scan } from '../local/scan.ts';
import { digestOfBlob } from './digest-service.ts';

const readBytes = 8 * 1024 * 1024;

/**
 * The content digest of exported event files (`plotline export --format events`), without a server.
 * `runOf`: the names of runs with a different folder name. Throws if a file cannot be read
 * completely.
 */
export async function digestFolder(
  logdir: string,
  runOf: ReadonlyMap<string, string>,
  progress: (runs: number) => void,
): Promise<DigestedContent> {
  const content = new ContentDigest();
  const { files } = await scan(logdir, pathFilter([], []));
  if (files.length === 0) throw new CliError(exitCodes.failed, `${logdir} has no event files.`);
  let done = 0;
  for (const [folder, ofRun] of groupBy(files, ({ run }) => run)) {
    const collector = new PointCollector();
    // Sorted by name, which is the order in which they were written: the first file decides the
    // class of a tag.
    for (const file of ofRun) await addFile(content, collector, runOf.get(folder) ?? folder, file);
    progress(++done);
  }
  return content.finish();
}

/** Adds an exported file, which is one writer and contains complete series. */
async function addFile(content: ContentDigest, collector: PointCollector, run: RunName, { path, bytes }: FoundFile): Promise<void> {
  const digests = new Map<string, SeriesDigest>();
  const reader = new RecordReader({ isEvent });
  const file = await EventFile.open(path);
  let at = 0;
  try {
    while (at < bytes && reader.ended === null) {
      // Each range has its own buffer, because the collector may keep views of it until `take`.
      const buffer = new Uint8Array(Math.min(readBytes, bytes - at));
      const read = await file.read(buffer, at);
      if (read === 0) break;
      at += read;
      reader.push(buffer.subarray(0, read), (buf, start, end, offset) => collector.event(buf, start, end, offset));
      const { series, problems } = collector.take({ records: 0, problems: reader.takeProblems() });
      const [problem] = problems;
      if (problem)
        throw new CliError(exitCodes.failed, `${path}, byte ${problem.offset}: ${problem.detail} The file changed after the export.`);
      for (const batch of series) addBatch(digests, run, batch);
    }
  } finally {
    await file.close();
  }
  if (reader.offset < bytes) throw new CliError(exitCodes.failed, `${path} ends inside a record. The file changed after the export.`);
  for (const digest of digests.values()) content.add(digest);
}

function addBatch(digests: Map<string, SeriesDigest>, run: RunName, { meta, scalars, tensors, blobSequences }: SeriesBatch): void {
  const key = `${meta.twin ? 1 : 0} ${meta.tag}`;
  const digest = digests.get(key) ?? new SeriesDigest({ run, tag: meta.tag }, meta.dataClass);
  digests.set(key, digest);
  if (scalars && meta.dataClass === 'scalar') digest.scalars(scalars.steps, scalars.wallTimes, scalars.values);
  for (const { step, wallTime, dtype, shape, data } of tensors) digest.tensor(step, wallTime, dtype, shape, data);
  for (const { step, wallTime, blobs } of blobSequences) digest.blobs(step, wallTime, blobs.map(digestOfBlob));
}
