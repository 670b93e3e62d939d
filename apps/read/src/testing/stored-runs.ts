import { createHash } from 'node:crypto';
import { encodeTail, type TailEntry } from '#chunks';
import type { ExperimentId, FileId, RunId, SeriesId } from '#model';
import { fileIdOf, runIdOf, seriesIdOf } from '#model/testing';
import { publishEpochs } from '../../../ingest/src/publish/publish-epochs.ts';
import { wakeReaders } from '../../../ingest/src/publish/published.ts';
import type { ReadService, TestTenant } from './read-service.ts';

/** The given properties of a run; other properties have defaults. */
export interface RunSpec {
  readonly events?: number;
  readonly startTime?: number | null;
  readonly lastTime?: number | null;
  readonly status?: string;
  readonly hparams?: Record<string, string | number | boolean>;
}

/** The given properties of a series. */
export interface SeriesSpec {
  readonly tag: string;
  readonly dataClass?: 'scalar' | 'tensor' | 'blob_sequence';
  readonly plugin?: string;
  readonly twin?: boolean;
  readonly writer?: number;
  readonly lastWallTime?: number;
  readonly listed?: boolean;
  readonly points?: number;
  readonly superseded?: number;
  readonly firstStep?: string | null;
  readonly lastStep?: string | null;
  readonly min?: number | null;
  readonly max?: number | null;
  /** Text for values that the driver would change: `-0`. */
  readonly last?: number | string | null;
  readonly nans?: number;
  readonly maxLength?: number | null;
}

/** Inserts rows of runs, series and files, as the worker and the upload do. */
export class StoredRuns {
  readonly #service: ReadService;
  readonly #tenant: TestTenant;
  readonly experimentId: ExperimentId;

  constructor(service: ReadService, tenant: TestTenant, experimentId: ExperimentId) {
    this.#service = service;
    this.#tenant = tenant;
    this.experimentId = experimentId;
  }

  /** Of a new experiment. */
  static async start(service: ReadService, tenant: TestTenant): Promise<StoredRuns> {
    const { json } = await service.call(tenant, 'POST', '/api/v1/experiments', { body: {} });
    return new StoredRuns(service, tenant, json.id);
  }

  async run(name: string, spec: RunSpec = {}): Promise<RunId> {
    const { tenantId } = this.#tenant;
    const [row] = await this.#service.sql(
      'insert into run (tenant_id, experiment_id, name, name_hash) values ($1, $2, $3, $4) returning run_id',
      [tenantId, this.experimentId, name, hash(name)],
    );
    const runId = runIdOf(String(row!.run_id));
    await this.#service.sql(
      'insert into run_state (tenant_id, run_id, experiment_id, events, start_time, last_time, status, hparams) values ($1, $2, $3, $4, $5, $6, $7, $8)',
      [
        tenantId,
        runId,
        this.experimentId,
        spec.events ?? 1,
        spec.startTime ?? null,
        spec.lastTime ?? null,
        spec.status ?? 'unknown',
        spec.hparams ? JSON.stringify(spec.hparams) : null,
      ],
    );
    return runId;
  }

  async series(runId: RunId, spec: SeriesSpec): Promise<SeriesId> {
    const { tenantId } = this.#tenant;
    const [row] = await this.#service.sql(
      `insert into series (tenant_id, experiment_id, run_id, tag, tag_hash, twin, data_class, listed, plugin, plugin_content, display_name, description, writer)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, '', $4, '', $10) returning series_id`,
      [
        tenantId,
        this.experimentId,
        runId,
        spec.tag,
        hash(spec.tag),
        spec.twin ?? false,
        spec.dataClass ?? 'scalar',
        spec.listed ?? !spec.twin,
        spec.plugin ?? 'scalars',
        spec.writer ?? 0,
      ],
    );
    const seriesId = seriesIdOf(String(row!.series_id));
    await this.#service.sql(
      `insert into series_stats (tenant_id, series_id, points, superseded_points, invalid_points, mismatched_points, rounded_points, first_step, last_step, last_wall_time,
         min_value, max_value, last_value, nan_count, max_length) values ($1, $2, $3, $4, 0, 0, 0, $5, $6, $12, $7, $8, $9, $10, $11)`,
      [
        tenantId,
        seriesId,
        spec.points ?? 1,
        spec.superseded ?? 0,
        spec.firstStep ?? null,
        spec.lastStep ?? null,
        spec.min ?? null,
        spec.max ?? null,
        spec.last ?? null,
        spec.nans ?? 0,
        spec.maxLength ?? null,
        spec.lastWallTime ?? 1000,
      ],
    );
    await this.#count(runId, (spec.points ?? 1) + (spec.superseded ?? 0));
    return seriesId;
  }

  async tail(runId: RunId, entries: readonly TailEntry[]): Promise<void> {
    const points = entries.reduce((sum, entry) => sum + entry.points.steps.length, 0);
    await this.#service.sql('insert into run_tail (tenant_id, run_id, tail_no, level, points, body) values ($1, $2, 1, 0, $3, $4)', [
      this.#tenant.tenantId,
      runId,
      points,
      encodeTail(entries),
    ]);
    await this.#count(runId, points);
  }

  /** Counts stored points of a run. */
  async #count(runId: RunId, points: number): Promise<void> {
    await this.#service.sql('update run_state set points = points + $3 where tenant_id = $1 and run_id = $2', [
      this.#tenant.tenantId,
      runId,
      points,
    ]);
  }

  /**
   * A file with `bytes` durable bytes in one segment; the first `parsed` of them are ingested;
   * `pending`: a worker must still ingest the file.
   */
  async file(
    runId: RunId,
    name: string,
    spec: {
      bytes: number;
      parsed?: number;
      complete?: boolean;
      pending?: boolean;
      ended?: boolean;
      rejected?: number;
      crc32c?: number;
      version?: number;
    },
  ): Promise<FileId> {
    const { tenantId } = this.#tenant;
    const [row] = await this.#service.sql(
      `insert into event_file (tenant_id, experiment_id, run_id, name, name_hash, version, durable_offset, crc32c, completed_bytes)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning file_id`,
      [
        tenantId,
        this.experimentId,
        runId,
        name,
        hash(name),
        spec.version ?? 1,
        spec.bytes,
        spec.crc32c ?? 0,
        spec.complete ? spec.bytes : null,
      ],
    );
    const fileId = fileIdOf(String(row!.file_id));
    const [{ epoch }] = (await this.#service.sql(
      'update experiment_epoch set acknowledged_epoch = acknowledged_epoch + 1, acknowledged_bytes = acknowledged_bytes + $3, acknowledged_at = now() where tenant_id = $1 and experiment_id = $2 returning acknowledged_epoch as epoch',
      [tenantId, this.experimentId, spec.bytes],
    )) as [{ epoch: string }];
    await this.#service.sql(
      'insert into file_progress (tenant_id, file_id, run_id, experiment_id, parsed_offset, records, rejected_bytes, ended) values ($1, $2, $3, $4, $5, 3, $6, $7)',
      [tenantId, fileId, runId, this.experimentId, spec.parsed ?? spec.bytes, spec.rejected ?? 0, spec.ended ?? false],
    );
    if (spec.bytes > 0) {
      await this.#service.sql(
        'insert into segment (tenant_id, file_id, "offset", length, crc32c, epoch, encoding, body) values ($1, $2, 0, $3, 0, $4, 0, $5)',
        [tenantId, fileId, spec.bytes, epoch, Buffer.alloc(spec.bytes)],
      );
      if (spec.pending) await this.pend(runId, fileId, spec.bytes, Number(epoch));
    }
    await this.publish();
    return fileId;
  }

  async pend(runId: RunId, fileId: FileId, length: number, epoch: number): Promise<void> {
    await this.#service.sql(
      'insert into pending_segment (tenant_id, experiment_id, run_id, file_id, "offset", length, epoch) values ($1, $2, $3, $4, 0, $5, $6)',
      [this.#tenant.tenantId, this.experimentId, runId, fileId, length, epoch],
    );
  }

  /**
   * Acts like a worker that has ingested everything: nothing is pending. Does not notify readers.
   */
  async settle(): Promise<void> {
    await this.#service.sql('delete from pending_segment where experiment_id = $1', [this.experimentId]);
  }

  /**
   * Acts like the publisher after the ingest. `wake`: also notifies waiting readers, so that they
   * need not poll.
   */
  async publish({ wake = false } = {}): Promise<void> {
    const listeners = wake ? [wakeReaders] : [];
    await publishEpochs(this.#service.store, this.#tenant.tenantId, this.experimentId, { listeners }, { rebuild: true });
  }

  async problem(runId: RunId, fileId: FileId, offset: number, reason: string): Promise<void> {
    await this.#service.sql(
      `insert into file_problem (tenant_id, file_id, "offset", problem_no, run_id, experiment_id, reason, detail, bytes, ends_file) values ($1, $2, $3, 0, $4, $5, $6, 'A sentence.', 10, false)`,
      [this.#tenant.tenantId, fileId, offset, runId, this.experimentId, reason],
    );
  }
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
