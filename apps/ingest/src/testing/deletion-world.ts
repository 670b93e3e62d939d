import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { crc32c } from '@node-rs/crc32';
import type { BlobStore } from '#blobs';
import { decodeBody, ordinalAt } from '#chunks';
import { encodeBlock } from '#columns';
import type { ExperimentId, FileId, TenantId } from '#model';
import { experimentIdOf, tenantIdOf } from '#model/testing';
import { completeFile, insertExperiment, insertMember, insertPerson, insertWorkspace, lockFiles, type Store } from '#store';
import { bytesField, type EventSpec, floatField, joinBytes, stringField, varintField, writeEventFile } from '#testing';
import { Dispatcher, type IngestRun } from '#jobs';
import { Acknowledger, type AppendOutcome } from '../../../upload/src/files/acknowledger.ts';
import { openFile } from '../../../upload/src/files/open-file.ts';
import { storeRange } from '../../../upload/src/files/store-range.ts';
import { ingestRun } from '../ingest-run/ingest-run.ts';

/** Ignores offers, because the test itself looks for pending work. */
class Silence extends Dispatcher {
  override offer(): void {}
  override start(): void {}
  override async close(): Promise<void> {}
}

const bounds = { maxBatchBytes: 16 * 1024 * 1024, tail: { maxPoints: 65_536, maxAgeMs: 3_600_000 } };

/** A value in a test event: a scalar, a tensor of these floats, or images with these bytes. */
export type TestValue =
  | { readonly tag: string; readonly scalar: number }
  | { readonly tag: string; readonly tensor: readonly number[] }
  | { readonly tag: string; readonly text: string }
  | { readonly tag: string; readonly images: readonly Uint8Array[] };

/** An event. If it has no values, it only has a step. */
export interface TestEvent {
  readonly step: bigint;
  readonly start?: boolean;
  /** A log message. If it is set, `values` is empty. */
  readonly says?: string;
  readonly values: readonly TestValue[];
}

/**
 * The records of these events. If `first`, a version record precedes them. `begin`: the wall time
 * at which the file starts, in seconds.
 */
export function recordsOf(events: readonly TestEvent[], first: boolean, begin = 1_700_000_000): Uint8Array {
  const version: EventSpec = { wallTime: begin, fileVersion: 'brain.Event:2' };
  const specs = events.map(({ step, start = false, says, values }): EventSpec => ({
    step,
    wallTime: begin + Number(step % 1_000_000n),
    sessionStart: start,
    ...(says !== undefined && { logMessage: says }),
    ...(values.length > 0 && { more: bytesField(5, joinBytes(...values.map((value) => bytesField(1, summaryValue(value))))) }),
  }));
  const bytes = writeEventFile([version, ...specs]);
  return first ? bytes : bytes.subarray(writeEventFile([version]).length);
}

/**
 * Summary.Value: tag = 1, tensor = 8, metadata = 9 {plugin_data = 1 {plugin_name = 1}, data_class =
 * 4: 1 scalar, 2 tensor, 3 blob sequence}.
 */
function summaryValue(value: TestValue): Uint8Array {
  const metadata = (plugin: string, dataClass: number): Uint8Array =>
    bytesField(9, joinBytes(bytesField(1, stringField(1, plugin)), varintField(4, dataClass)));
  const shape = (length: number): Uint8Array => bytesField(2, bytesField(2, varintField(1, length)));
  if ('scalar' in value) {
    const tensor = joinBytes(varintField(1, 1), bytesField(2, new Uint8Array()), floatField(5, value.scalar));
    return joinBytes(stringField(1, value.tag), bytesField(8, tensor), metadata('scalars', 1));
  }
  if ('tensor' in value) {
    const content = new Uint8Array(Float32Array.from(value.tensor).buffer);
    const tensor = joinBytes(varintField(1, 1), shape(value.tensor.length), bytesField(4, content));
    return joinBytes(stringField(1, value.tag), bytesField(8, tensor), metadata('test', 2));
  }
  if ('text' in value) {
    const tensor = joinBytes(varintField(1, 7), shape(1), stringField(8, value.text));
    return joinBytes(stringField(1, value.tag), bytesField(8, tensor), metadata('text', 2));
  }
  const strings = [Buffer.from('1'), Buffer.from('1'), ...value.images];
  const tensor = joinBytes(varintField(1, 7), shape(strings.length), ...strings.map((bytes) => bytesField(8, bytes)));
  return joinBytes(stringField(1, value.tag), bytesField(8, tensor), metadata('images', 3));
}

/** A test's workspace and person. */
export interface TestTenant {
  readonly tenantId: TenantId;
  readonly personId: string;
}

/**
 * Uploads with the code that acknowledges, and ingests with the ingest code. Both run in this
 * process, on demand.
 */
export class DeletionWorld {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly #acknowledger: Acknowledger;

  constructor(store: Store, blobs: BlobStore) {
    this.store = store;
    this.blobs = blobs;
    this.#acknowledger = new Acknowledger(store, new Silence());
  }

  async tenant(name = 'Lab', person = 'Ada'): Promise<TestTenant> {
    const tenant = { tenantId: tenantIdOf(randomUUID()), personId: randomUUID() };
    await insertPerson(this.store.global, tenant.personId, person);
    await this.store.withTenant(tenant.tenantId, async (scope) => {
      await insertWorkspace(scope, name);
      await insertMember(scope, tenant.personId, 'owner');
    });
    return tenant;
  }

  async experiment({ tenantId, personId }: TestTenant, name = '', description = ''): Promise<ExperimentId> {
    const experimentId = experimentIdOf(randomBytes(11).toString('hex'));
    await this.store.withTenant(tenantId, (scope) =>
      insertExperiment(scope, { experimentId, name, description, ownerId: personId, labels: [] }),
    );
    return experimentId;
  }

  /** Announces a file, like a client. */
  async open({ tenantId }: TestTenant, experimentId: ExperimentId, run: string, name: string, afterDeletion = false): Promise<FileId> {
    const announced = { experimentId, run, name, prefix: null, newVersion: false, afterDeletion };
    const room = { take: () => undefined, made: () => undefined };
    return (await this.store.withTenant(tenantId, (scope) => openFile(scope, this.blobs, announced, room))).fileId;
  }

  /** Stores a range, optionally as a block of columns, and acknowledges it. */
  async append(
    { tenantId }: TestTenant,
    experimentId: ExperimentId,
    fileId: FileId,
    offset: number,
    bytes: Uint8Array,
    { columns = false }: { readonly columns?: boolean } = {},
  ): Promise<AppendOutcome> {
    const block = columns ? await encodeBlock(bytes, crc32c(bytes)) : null;
    const coded = block && { body: block, encoding: 3 as const };
    const range = { fileId, offset, length: bytes.length, crc32c: crc32c(bytes), pieces: [Buffer.from(bytes)], coded };
    const location = await storeRange(this.blobs, tenantId, range);
    return this.#acknowledger.append(tenantId, experimentId, { fileId, offset, length: range.length, crc32c: range.crc32c, location });
  }

  async complete({ tenantId }: TestTenant, fileId: FileId, bytes: number): Promise<void> {
    await this.store.withTenant(tenantId, async (scope) => {
      await lockFiles(scope, [fileId]);
      await completeFile(scope, fileId, bytes);
    });
  }

  /** Ingests all pending work of the tenant that may run. */
  async ingest({ tenantId }: TestTenant): Promise<void> {
    const jobs = await this.store.withTenant(tenantId, ({ trx }) =>
      trx.selectFrom('pending_segment').select(['experiment_id', 'run_id']).where('tenant_id', '=', tenantId).distinct().execute(),
    );
    for (const job of jobs) await this.ingestJob({ tenantId, experimentId: job.experiment_id, runId: job.run_id });
  }

  async ingestJob(job: IngestRun): Promise<void> {
    while ((await ingestRun(this.store, this.blobs, job, bounds)).outcome === 'more');
  }

  /**
   * The logical content of an experiment, without internal ids and offsets: its series with their
   * statistics and points (in log order), its runs, and its frontier.
   */
  async logical({ tenantId }: TestTenant, experimentId: ExperimentId) {
    return this.store.withTenant(tenantId, async ({ trx }) => {
      const files = await trx
        .selectFrom('event_file')
        .select(['file_id', 'name', 'version'])
        .where('tenant_id', '=', tenantId)
        .where('experiment_id', '=', experimentId)
        .execute();
      const placeOf = new Map(files.map((file) => [file.file_id, `${file.name}@${file.version}`]));
      const series = await trx
        .selectFrom('series as s')
        .innerJoin('run as r', (join) => join.onRef('r.tenant_id', '=', 's.tenant_id').onRef('r.run_id', '=', 's.run_id'))
        .leftJoin('series_stats as v', (join) => join.onRef('v.tenant_id', '=', 's.tenant_id').onRef('v.series_id', '=', 's.series_id'))
        .selectAll('v')
        .select(['s.series_id', 's.tag', 's.twin', 's.writer', 's.data_class', 's.plugin', 'r.name as run'])
        .where('s.tenant_id', '=', tenantId)
        .where('s.experiment_id', '=', experimentId)
        .execute();
      const told = [];
      for (const { series_id: seriesId, tenant_id: _, ...stats } of series) {
        const chunks = await trx
          .selectFrom('scalar_chunk')
          .selectAll()
          .where('tenant_id', '=', tenantId)
          .where('series_id', '=', seriesId)
          .execute();
        const scalars = chunks.flatMap((chunk) => {
          const { points, ordinals } = decodeBody(chunk.body);
          return [...points.steps].map((step, i) => ({
            file: placeOf.get(chunk.file_id)!,
            ordinal: ordinalAt(ordinals, i),
            step,
            wall: points.wallTimes[i],
            value: points.values[i],
            superseded: chunk.superseded,
          }));
        });
        const tensors = await trx
          .selectFrom('tensor_value')
          .selectAll()
          .where('tenant_id', '=', tenantId)
          .where('series_id', '=', seriesId)
          .execute();
        const blobs = await trx
          .selectFrom('blob_sequence_value')
          .selectAll()
          .where('tenant_id', '=', tenantId)
          .where('series_id', '=', seriesId)
          .execute();
        const values = [...tensors, ...blobs].map((row) => ({
          file: placeOf.get(row.file_id)!,
          ordinal: Number(row.ordinal),
          step: BigInt(row.step),
          wall: row.wall_time,
          value:
            'dtype' in row
              ? `${row.dtype} ${row.object_key ?? createHash('sha256').update(row.body!).digest('hex')}`
              : row.blob_sha256.map((hash) => hash?.toString('hex')),
          superseded: row.superseded,
        }));
        const all = [...scalars, ...values].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.ordinal - b.ordinal));
        told.push({ ...stats, all: all.map(({ ordinal: _ordinal, ...point }) => point) });
      }
      const runs = await trx
        .selectFrom('run as r')
        .innerJoin('run_state as s', (join) => join.onRef('s.tenant_id', '=', 'r.tenant_id').onRef('s.run_id', '=', 'r.run_id'))
        .select(['r.name', 's.events', 's.start_time', 's.last_time', 's.status', 's.group_name', 's.hparams'])
        .where('r.tenant_id', '=', tenantId)
        .where('r.experiment_id', '=', experimentId)
        .execute();
      const key = (one: { run: string; tag: string; twin: boolean; writer: number }) =>
        `${one.run}\0${one.tag}\0${one.twin}\0${one.writer}`;
      return {
        series: told.sort((a, b) => (key(a) < key(b) ? -1 : 1)),
        runs: runs.sort((a, b) => (a.name < b.name ? -1 : 1)),
      };
    });
  }

  /** The keys of a tenant's objects. */
  async objects({ tenantId }: TestTenant): Promise<string[]> {
    const keys = [];
    for await (const { key } of this.blobs.list(tenantId, '')) keys.push(key);
    return keys.sort();
  }
}
