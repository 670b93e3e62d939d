import type { FileBatch, SeriesId } from '#model';
import type { IngestRun } from '#jobs';
import { PointCollector } from '#points';
import { insertSeries, readRunSeries, seriesKey, type IngestScope, type StoredSeries } from '#store';
import type { BatchSeries } from './store-values.ts';

/** The series of a run, read when first needed. */
export class KnownSeries {
  readonly #scope: IngestScope;
  readonly #job: IngestRun;
  /** By `seriesKey`. Null if they have not been read yet. */
  #series: Map<string, StoredSeries> | null;

  /** `known`: all series of the run, if they have already been read. */
  constructor(scope: IngestScope, job: IngestRun, known: readonly StoredSeries[] | null) {
    this.#scope = scope;
    this.#job = job;
    this.#series = known && byKey(known);
  }

  /** All series, by `seriesKey`. Callers may add or remove series. */
  async all(): Promise<Map<string, StoredSeries>> {
    return (this.#series ??= byKey(await readRunSeries(this.#scope, this.#job.runId)));
  }

  /** The ids of all series of one data class. */
  async ofClass(dataClass: string): Promise<SeriesId[]> {
    return [...(await this.all()).values()].filter(({ meta }) => meta.dataClass === dataClass).map(({ seriesId }) => seriesId);
  }

  /** The ids of all series that share a tag with these series, for all writers. */
  async withTagsOf(seriesIds: readonly SeriesId[]): Promise<Set<SeriesId>> {
    const known = [...(await this.all()).values()];
    const tags = new Set(known.filter(({ seriesId }) => seriesIds.includes(seriesId)).map(({ meta }) => meta.tag));
    return new Set(known.filter(({ meta }) => tags.has(meta.tag)).map(({ seriesId }) => seriesId));
  }

  /** A collector that knows the run's series: one per tag, for all writers. */
  async collector(): Promise<PointCollector> {
    const metas = new Map([...(await this.all()).values()].map(({ meta }) => [seriesKey(meta.tag, meta.twin, 0), meta]));
    return new PointCollector(metas.values());
  }

  /** Assigns an id to each series of the batch, and creates missing series. */
  async identify(batch: FileBatch, writer: number): Promise<BatchSeries[]> {
    const { experimentId, runId } = this.#job;
    const known = await this.all();
    const missing = batch.series.map((entry) => entry.meta).filter((meta) => !known.has(seriesKey(meta.tag, meta.twin, writer)));
    const ids = await insertSeries(this.#scope, experimentId, runId, missing, writer);
    const fresh = new Set(missing);
    missing.forEach((meta, i) => known.set(seriesKey(meta.tag, meta.twin, writer), { seriesId: ids[i]!, writer, meta }));
    return batch.series.map((entry, index) => ({
      batch: entry,
      index,
      isNew: fresh.has(entry.meta),
      seriesId: known.get(seriesKey(entry.meta.tag, entry.meta.twin, writer))!.seriesId,
    }));
  }
}

function byKey(stored: readonly StoredSeries[]): Map<string, StoredSeries> {
  return new Map(stored.map((series) => [seriesKey(series.meta.tag, series.meta.twin, series.writer), series]));
}
