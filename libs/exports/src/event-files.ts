import { blobKey } from '#blobs';
import type { DataClass, ExperimentId, RunName, SeriesId, TagName, View } from '#model';
import { EventRecords } from '#points';
import { summaryMetadataMessage, tensorMessage } from '#protocols';
import { type PartBounds, type SeriesPart, walkExperiment } from '#series';
import type { SnapshotPlace } from '#snapshots';
import { listRuns, listSeries, type PickedTensor, type RunSummary, type SeriesSummary, type Snapshot } from '#store';
import type { ExportedFile } from './export-elements.ts';

/** Sources of event files. */
export interface EventSource {
  readonly database: Snapshot;
  readonly experimentId: ExperimentId;
  readonly runs: readonly RunName[] | null;
  readonly tags: readonly TagName[] | null;
  readonly place: SnapshotPlace;
  /** Called with the number of scalars in each part; throws to stop. */
  readonly onScalars: (points: number) => void;
}

/** A run, with the data that its files need before their first value. */
interface RunHead {
  readonly run: RunSummary;
  readonly writers: number;
  /** By tag. The first series of a tag determines its class. */
  readonly metadata: ReadonlyMap<string, Uint8Array>;
}

const atOnce = 500;
const bounds: PartBounds = { points: 100_000, tensorBytes: 8 * 1024 * 1024, blobs: 64 };
/**
 * Values that do not fit their tag's class are tensors. They follow the value that determines the
 * class.
 */
const passes: readonly (readonly DataClass[])[] = [['scalar', 'blob_sequence'], ['tensor']];
const byName = [{ field: 'name', argument: null, descending: false }];

/**
 * Writes every effective value of an experiment to event files, one per run and writer, like
 * `plotline export --format events`. Holds one part of a series in memory.
 */
export async function* eventFiles(source: EventSource): AsyncGenerator<ExportedFile> {
  const { database, experimentId, runs, tags } = source;
  const view: View | null = runs === null && tags === null ? null : { runs, tags, anonymous: false };
  for (let after: RunSummary['runId'] | null = null; ;) {
    const page: RunSummary[] =
      (await listRuns(database, { experimentId, filter: null, order: byName, limit: atOnce, after, live: [], view })) ?? [];
    for (const run of page) {
      const head = await headOf(source, run);
      for (let writer = 0; writer < head.writers; writer++) yield { path: pathOf(run, writer), pieces: piecesOf(source, head, writer) };
    }
    if (page.length < atOnce) return;
    after = page.at(-1)!.runId;
  }
}

async function headOf({ database, experimentId, tags }: EventSource, run: RunSummary): Promise<RunHead> {
  const metadata = new Map<string, Uint8Array>();
  let writers = 1;
  for (let after: SeriesId | null = null; ;) {
    const request = { experimentId, runs: null, tags: null, plugins: null, unlisted: true, limit: atOnce, after, view: viewOf(run, tags) };
    const page: SeriesSummary[] = (await listSeries(database, request)) ?? [];
    for (const series of page) {
      if (series.firstStep !== null && !metadata.has(series.tag)) metadata.set(series.tag, metadataOf(series));
      writers = Math.max(writers, series.writer + 1);
    }
    if (page.length < atOnce) return { run, writers, metadata };
    after = page.at(-1)!.seriesId;
  }
}

async function* piecesOf(source: EventSource, { run, metadata }: RunHead, writer: number): AsyncGenerator<Uint8Array> {
  const { database, experimentId, tags } = source;
  const head = new EventRecords(64);
  // Files of a run that start at the same time are separate writers, ordered by name.
  head.version(run.startTime ?? 0);
  yield head.finish();
  const described = new Set<string>();
  for (const classes of passes)
    for await (const part of walkExperiment(database, { experimentId, view: viewOf(run, tags), classes, unlisted: true }, bounds)) {
      if (part.series.writer !== writer) continue;
      const { tag } = part.series;
      const first = described.has(tag) ? null : metadata.get(tag)!;
      described.add(tag);
      yield* recordsOf(source, part, first);
    }
}

async function* recordsOf(source: EventSource, part: SeriesPart, metadata: Uint8Array | null): AsyncGenerator<Uint8Array> {
  const tag = Buffer.from(part.series.tag);
  let next = metadata;
  const place = (step: bigint, wallTime: number) => {
    const own = next;
    next = null;
    return { tag, step, wallTime, metadata: own };
  };
  const { blobs, tenantId } = source.place;
  if ('points' in part) {
    const { steps } = part.points;
    const records = new EventRecords(Math.min(steps.length * 80 + 1024, bounds.tensorBytes));
    records.scalars(tag, part.points, metadata);
    source.onScalars(steps.length);
    yield records.finish();
  } else if ('tensors' in part) {
    for (const tensor of part.tensors) {
      const packed = tensor.body ?? (await blobs.get(tenantId, tensor.objectKey!));
      const records = new EventRecords();
      records.tensor(place(tensor.step, tensor.wallTime), messageOf(tensor, packed));
      yield records.finish();
    }
  } else {
    for (const { step, wallTime, sha256 } of part.sequences) {
      const bytes: Uint8Array[] = [];
      for (const hash of sha256)
        bytes.push(hash === null ? new Uint8Array() : await blobs.get(tenantId, blobKey(Buffer.from(hash, 'hex'))));
      const records = new EventRecords();
      records.blobs(place(step, wallTime), bytes);
      yield records.finish();
    }
  }
}

/** A TensorProto. Bytes that could not be decoded are already a TensorProto. */
function messageOf({ dtype, shape }: PickedTensor, packed: Uint8Array): Uint8Array {
  return tensorMessage(dtype, shape, packed) ?? packed;
}

function metadataOf({ plugin, pluginContent, displayName, description, listed, dataClass }: SeriesSummary): Uint8Array {
  return summaryMetadataMessage({ plugin, pluginContent, displayName, description, dataClass: listed ? dataClass : null });
}

function viewOf({ run }: RunSummary, tags: readonly TagName[] | null): View {
  return { runs: [run], tags, anonymous: false };
}

/** The same name as in the CLI's exports. */
function pathOf({ run, startTime }: RunSummary, writer: number): string {
  const seconds = String(Math.floor(startTime ?? 0)).padStart(10, '0');
  const name = `events.out.tfevents.${seconds}.plotline${writer === 0 ? '' : `.${String(writer).padStart(4, '0')}`}`;
  return run === '.' ? name : `${run}/${name}`;
}
