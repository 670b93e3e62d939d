import { join } from 'node:path';
import type { DataClass, ExperimentId, PointColumns, RunName, TagName } from '#model';
import { EventRecords } from '#points';
import { tensorMessage } from '#protocols';
import type { Api } from '../http/api.ts';
import { stringField } from '../http/json.ts';
import type { ContentSelection } from './content-selection.ts';
import { EventLanes } from './event-lanes.ts';
import { placeFiles, type RenameReason } from './raw.ts';
import { scalarPages } from './scalar-pages.ts';
import { blobSequences, fetchBlobs, listRunSeries, type PackedTensor, type RunSeries, tensorPages } from './value-pages.ts';

/** A run whose path differs from its name. */
export interface RenamedRun {
  readonly run: RunName;
  readonly path: string;
  readonly reason: RenameReason;
}

/** The result of an event file export. */
export interface EventsExport {
  readonly files: number;
  readonly bytes: number;
  readonly points: number;
  readonly tensors: number;
  readonly blobSequences: number;
  /**
   * Number of superseded values that were left out: exported event files contain only effective
   * values.
   */
  readonly superseded: number;
  /** Number of blobs that the service does not have; empty blobs are written in their place. */
  readonly missingBlobs: number;
  /** Runs with a different folder or file name. */
  readonly renamed: readonly RenamedRun[];
}

/**
 * Writes every effective value of an experiment, or of some runs and tags, as event files, one per
 * run and writer. TensorBoard and every other reader of event files can read them. Numbers, tensors
 * and blobs are exact: uploading the files again stores the same points. Needs memory for one page.
 */
export async function exportEvents(
  api: Api,
  experimentId: ExperimentId,
  { runs: some, tags }: ContentSelection,
  outdir: string,
  progress: (runs: number) => void,
): Promise<EventsExport> {
  const total = { files: 0, bytes: 0, points: 0, tensors: 0, blobSequences: 0, superseded: 0, missingBlobs: 0 };
  const wanted = some && new Set(some);
  const runs: { run: RunName; startTime: number | null }[] = [];
  for await (const run of api.pages(`/experiments/${experimentId}/runs`, 'runs', 'Listing runs')) {
    if (wanted && !wanted.has(stringField(run, 'run'))) continue;
    runs.push({ run: stringField(run, 'run'), startTime: typeof run['start_time'] === 'number' ? run['start_time'] : null });
  }
  const placed = new Map(placeFiles(runs.map(({ run, startTime }) => fileOf(run, startTime))).map((one) => [one.file.run, one]));
  for (const [i, { run, startTime }] of runs.entries()) {
    const { path } = placed.get(run)!;
    const pathOf = (writer: number) => join(outdir, writer === 0 ? path : `${path}.${String(writer).padStart(4, '0')}`);
    const lanes = new EventLanes(pathOf, startTime);
    try {
      const part = await writeRun(api, experimentId, { run, tags }, lanes);
      if (part === null) continue;
      const { paths, bytes } = await lanes.finish();
      total.files += paths.length;
      total.bytes += bytes;
      for (const name of ['points', 'tensors', 'blobSequences', 'superseded', 'missingBlobs'] as const) total[name] += part[name];
    } catch (error) {
      await lanes.abort();
      throw error;
    }
    progress(i + 1);
  }
  const renamed = [...placed.values()].filter((one) => one.renamed).map(({ file, path, reason }) => ({ run: file.run, path, reason }));
  return { ...total, renamed };
}

/** Describes the event file of a run's first writer like a file listed by the API. */
function fileOf(run: RunName, startTime: number | null) {
  const seconds = String(Math.floor(startTime ?? 0)).padStart(10, '0');
  const name = `events.out.tfevents.${seconds}.plotline`;
  return { run, name, version: 1, rewritten: false };
}

/**
 * Writes the event files of a run. Returns null if the run has none of the tags, so no file is
 * written.
 */
async function writeRun(
  api: Api,
  experimentId: ExperimentId,
  { run, tags }: { readonly run: RunName; readonly tags: readonly TagName[] | undefined },
  lanes: EventLanes,
) {
  const { list, superseded } = await listRunSeries(api, experimentId, run, tags);
  if (tags && list.length === 0) return null;
  const writer = new RunWriter(list, lanes);
  const counts = { points: 0, tensors: 0, blobSequences: 0, superseded, missingBlobs: 0 };
  const ofClass = (dataClass: DataClass) => list.filter((series) => series.dataClass === dataClass);
  if (ofClass('scalar').length > 0) {
    for await (const { tag, writer: lane, steps, wallTimes, values } of scalarPages(api, experimentId, {
      superseded: false,
      runs: [run],
      ...(tags && { tags }),
    })) {
      counts.points += steps.length;
      await writer.writeScalars(tag, lane, { steps, wallTimes, values });
    }
  }
  for await (const { tag, writer: lane, points } of blobSequences(api, experimentId, run, ofClass('blob_sequence'))) {
    for (const { step, wallTime, blobs } of points) {
      counts.blobSequences++;
      counts.missingBlobs += blobs.filter((blob) => blob === null).length;
      const bytes = await fetchBlobs(api, blobs);
      await writer.write(tag, lane, [wallTime], (records, place) => records.blobs(place(step), bytes));
    }
  }
  // Written last: values that do not fit the class of their tag follow the value that decides the
  // class.
  for await (const { tag, writer: lane, steps, wallTimes, tensors } of tensorPages(api, experimentId, run, ofClass('tensor'))) {
    counts.tensors += steps.length;
    await writer.write(tag, lane, wallTimes, (records, place, i) => records.tensor(place(steps[i]!), messageOf(tensors[i]!)));
  }
  return counts;
}

/** Writes the values of a run, with a tag's metadata before its first value in each file. */
class RunWriter {
  readonly #lanes: EventLanes;
  readonly #metadata = new Map<string, Uint8Array>();
  readonly #described = new Set<string>();

  constructor(list: readonly RunSeries[], lanes: EventLanes) {
    this.#lanes = lanes;
    // The first series of a tag decides its class; the unlisted series after it has the values that
    // do not fit.
    for (const { tag, metadata } of list) if (!this.#metadata.has(tag)) this.#metadata.set(tag, metadata);
  }

  async writeScalars(tag: TagName, lane: number, points: PointColumns): Promise<void> {
    const bytes = Buffer.from(tag);
    const records = new EventRecords(Math.min(points.steps.length * (bytes.length + 60) + 1024, 8 * 1024 * 1024));
    records.scalars(bytes, points, this.#describe(lane, tag));
    await this.#lanes.append(lane, records.finish(), firstFinite(points.wallTimes));
  }

  async write(
    tag: TagName,
    lane: number,
    wallTimes: ArrayLike<number>,
    one: (records: EventRecords, place: (step: bigint) => Parameters<EventRecords['scalar']>[0], i: number) => void,
  ): Promise<void> {
    const bytes = Buffer.from(tag);
    const records = new EventRecords(Math.min(wallTimes.length * 80 + 1024, 8 * 1024 * 1024));
    for (let i = 0; i < wallTimes.length; i++) {
      const metadata = this.#describe(lane, tag);
      one(records, (step) => ({ tag: bytes, step, wallTime: wallTimes[i]!, metadata }), i);
    }
    await this.#lanes.append(lane, records.finish(), firstFinite(wallTimes));
  }

  /** A tag's metadata before its first value in a file; null before later values. */
  #describe(lane: number, tag: TagName): Uint8Array | null {
    const key = `${lane} ${tag}`;
    if (this.#described.has(key)) return null;
    this.#described.add(key);
    return this.#metadata.get(tag)!;
  }
}

/** The smallest finite wall time; null if there is none. */
function firstFinite(wallTimes: ArrayLike<number>): number | null {
  let first: number | null = null;
  for (let i = 0; i < wallTimes.length; i++) {
    const wallTime = wallTimes[i]!;
    if (Number.isFinite(wallTime) && (first === null || wallTime < first)) first = wallTime;
  }
  return first;
}

/** A TensorProto. Bytes that could not be decoded are already a TensorProto. */
function messageOf({ dtype, shape, packed }: PackedTensor): Uint8Array {
  return tensorMessage(dtype, shape, packed) ?? packed;
}
