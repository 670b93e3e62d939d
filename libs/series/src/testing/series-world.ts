import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import {
  type ChunkBody,
  type ChunkDraft,
  decodeBody,
  encodeTailParts,
  headOf,
  markSuperseded,
  type PreparedUpdate,
  updateSeries,
} from '#chunks';
import type { DataClass, ExperimentId, FileId, PointColumns, RunId, SeriesId, TenantId } from '#model';
import { experimentIdOf, tenantIdOf } from '#model/testing';
import { copyChunks, insertExperiment, insertPerson, insertMember, insertTail, insertWorkspace, readTailHeads, Store } from '#store';
import { createTestDatabase, type TestDatabase } from '#testing';

/** Some points of one file, in log order. */
export interface LogPart {
  readonly fileId: FileId;
  readonly points: PointColumns;
}

/** The target of a world's rows. */
interface WorldPlace {
  readonly database: Pick<TestDatabase, 'appUrl' | 'ingestUrl' | 'adminUrl'>;
  readonly tenantId: TenantId;
  readonly experimentId: ExperimentId;
}

/** One experiment of a workspace, whose series are filled through #chunks, as a worker does. */
export class SeriesWorld {
  readonly store: Store;
  readonly admin: pg.Client;
  readonly tenantId: TenantId;
  readonly experimentId: ExperimentId;
  readonly #drop: () => Promise<void>;

  private constructor({ database, tenantId, experimentId }: WorldPlace, drop: () => Promise<void>) {
    this.tenantId = tenantId;
    this.experimentId = experimentId;
    this.#drop = drop;
    this.store = new Store({ appUrl: database.appUrl, ingestUrl: database.ingestUrl });
    this.admin = new pg.Client({ connectionString: database.adminUrl });
  }

  /** In an existing database. */
  static async over(place: WorldPlace): Promise<SeriesWorld> {
    const world = new SeriesWorld(place, async () => undefined);
    await world.admin.connect();
    return world;
  }

  /** Creates a separate workspace in a separate database. */
  static async make(): Promise<SeriesWorld> {
    const database = await createTestDatabase();
    const place = { database, tenantId: tenantIdOf(randomUUID()), experimentId: experimentIdOf(randomBytes(11).toString('hex')) };
    const world = new SeriesWorld(place, () => database.drop());
    await world.admin.connect();
    const { store, tenantId, experimentId } = world;
    const ownerId = randomUUID();
    await insertPerson(store.global, ownerId, 'Ada');
    await store.withTenant(tenantId, async (scope) => {
      await insertWorkspace(scope, 'Lab');
      await insertMember(scope, ownerId, 'owner');
      await insertExperiment(scope, { experimentId, name: '', description: '', ownerId, labels: [] });
    });
    return world;
  }

  async close(): Promise<void> {
    await this.admin.end();
    await this.store.close();
    await this.#drop();
  }

  /** Creates a run; its files are created by {@link file}. */
  async run(name: string): Promise<RunId> {
    const { rows } = await this.admin.query<{ run_id: RunId }>(
      `insert into run (tenant_id, experiment_id, name, name_hash) values ($1, $2, $3, sha256(convert_to($3, 'UTF8'))) returning run_id`,
      [this.tenantId, this.experimentId, name],
    );
    return rows[0]!.run_id;
  }

  async file(runId: RunId, name: string): Promise<FileId> {
    const { rows } = await this.admin.query<{ file_id: FileId }>(
      `insert into event_file (tenant_id, experiment_id, run_id, name, name_hash, version) values ($1, $2, $3, $4, sha256(convert_to($4, 'UTF8')), 1) returning file_id`,
      [this.tenantId, this.experimentId, runId, name],
    );
    return rows[0]!.file_id;
  }

  async series(
    runId: RunId,
    tag: string,
    given: { dataClass?: DataClass; listed?: boolean; plugin?: string; writer?: number } = {},
  ): Promise<SeriesId> {
    const { rows } = await this.admin.query<{ series_id: SeriesId }>(
      `insert into series (tenant_id, experiment_id, run_id, tag, tag_hash, twin, data_class, listed, plugin, plugin_content, display_name, description, writer)
       values ($1, $2, $3, $4, sha256(convert_to($4, 'UTF8')), false, $5, $6, $7, '', '', '', $8) returning series_id`,
      [
        this.tenantId,
        this.experimentId,
        runId,
        tag,
        given.dataClass ?? 'scalar',
        given.listed ?? true,
        given.plugin ?? 'scalars',
        given.writer ?? 0,
      ],
    );
    return rows[0]!.series_id;
  }

  /**
   * Stores points batch by batch: chunks grow, split and become superseded as in a worker. The
   * files are in log order.
   */
  async storePoints(seriesId: SeriesId, batches: readonly LogPart[]): Promise<void> {
    const chunks = new SeriesChunks();
    const files = [...new Set(batches.map((batch) => batch.fileId))];
    const ordinals = new Map<string, number>();
    for (const { fileId, points } of batches) {
      const firstOrdinal = ordinals.get(fileId) ?? 0;
      chunks.apply((heads) =>
        updateSeries(heads, { fileId, fileRank: files.indexOf(fileId), firstOrdinal, afterOffset: 0, points, starts: [], laterCut: null }),
      );
      ordinals.set(fileId, firstOrdinal + points.steps.length);
    }
    await this.store.withIngest(this.tenantId, (ingest) =>
      copyChunks(
        ingest,
        chunks.drafts.map((draft) => ({ seriesId, draft })),
      ),
    );
  }

  /** Appends blocks of a few points to a run's tail, like a commit. */
  async storeTail(
    runId: RunId,
    entries: readonly { seriesId: SeriesId; fileId: FileId; firstOrdinal: number; points: PointColumns }[],
  ): Promise<void> {
    const parts = encodeTailParts(
      entries.map((entry) => ({ ...entry, afterOffset: 0 })),
      5,
    );
    await this.store.withIngest(this.tenantId, async (ingest) => {
      const tailNo = ((await readTailHeads(ingest, runId)).at(-1)?.tailNo ?? 0) + 1;
      await insertTail(ingest, runId, { tailNo, level: 0, ageMs: 0 }, parts);
    });
  }
}

/** The chunks of one series, in memory. */
class SeriesChunks {
  drafts: ChunkDraft[] = [];

  apply(plan: (heads: ReturnType<typeof headOf>[]) => PreparedUpdate): void {
    const update = plan(this.drafts.map(headOf)).finish((key) => this.#body(key));
    const is = (draft: ChunkDraft, keys: typeof update.remove): boolean =>
      keys.some((key) => key.fileId === draft.fileId && key.firstOrdinal === draft.firstOrdinal);
    this.drafts = this.drafts
      .filter((draft) => !is(draft, update.remove))
      .map((draft) => (is(draft, update.flip) ? { ...draft, superseded: true, cells64: null, cells512: null } : draft));
    this.drafts.push(...update.insert);
  }

  #body({ fileId, firstOrdinal }: { fileId: FileId; firstOrdinal: number }): ChunkBody {
    return decodeBody(this.drafts.find((draft) => draft.fileId === fileId && draft.firstOrdinal === firstOrdinal)!.body);
  }
}

/** Points from rows `[step, wall time, value]`. */
export function pointsOf(rows: readonly (readonly [bigint | number, number, number])[]): PointColumns {
  return {
    steps: BigInt64Array.from(rows, ([step]) => BigInt(step)),
    wallTimes: Float64Array.from(rows, ([, wallTime]) => wallTime),
    values: Float64Array.from(rows, ([, , value]) => value),
  };
}

/**
 * The effective points among those passed to {@link SeriesWorld.storePoints}, in log order: applies
 * the rule for several files.
 */
export function effectiveOf(points: PointColumns): PointColumns {
  const { superseded } = markSuperseded(points.steps, [], null);
  const keep = (_: unknown, i: number): boolean => superseded[i] === 0;
  return { steps: points.steps.filter(keep), wallTimes: points.wallTimes.filter(keep), values: points.values.filter(keep) };
}

/**
 * The effective points of a tail above all chunks, in log order, literally by data rule 2 for one
 * file. A step that is logged again supersedes its point. Two such steps in one run of rising steps
 * are a restart, which supersedes everything logged before that run, from its first step on.
 */
export function effectiveOfTail(points: PointColumns): PointColumns {
  const { steps } = points;
  const superseded = new Uint8Array(steps.length);
  const current = new Map<bigint, number>();
  let phaseStart = 0;
  let again = 0;
  steps.forEach((step, i) => {
    if (i > 0 && step <= steps[i - 1]!) [phaseStart, again] = [i, 0];
    const replaced = current.get(step);
    if (replaced !== undefined) {
      superseded[replaced] = 1;
      if (++again === 2) {
        for (const [known, at] of current) {
          if (at >= phaseStart || known < steps[phaseStart]!) continue;
          superseded[at] = 1;
          current.delete(known);
        }
      }
    }
    current.set(step, i);
  });
  const keep = (_: unknown, i: number): boolean => superseded[i] === 0;
  return { steps: steps.filter(keep), wallTimes: points.wallTimes.filter(keep), values: points.values.filter(keep) };
}

/** The same points, sorted by step, as they are drawn. */
export function sortedBySteps({ steps, wallTimes, values }: PointColumns): PointColumns {
  const order = Uint32Array.from(steps, (_, i) => i).sort((a, b) => (steps[a]! < steps[b]! ? -1 : Number(steps[a]! > steps[b]!)));
  return {
    steps: BigInt64Array.from(order, (i) => steps[i]!),
    wallTimes: Float64Array.from(order, (i) => wallTimes[i]!),
    values: Float64Array.from(order, (i) => values[i]!),
  };
}
