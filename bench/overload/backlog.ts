import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import pg from 'pg';
import { MemoryBlobStore } from '#blobs/testing';
import { startPostgres } from '#embedded-postgres';
import type { ExperimentId, FileId, RunId, TenantId } from '#model';
import { experimentIdOf, tenantIdOf } from '#model/testing';
import {
  advanceEpoch,
  advanceFiles,
  claimRun,
  ensureRun,
  insertExperiment,
  insertFile,
  insertPendingSegments,
  insertPerson,
  insertSegments,
  insertWorkspace,
  migrate,
  type PendingRun,
  prepareDatabase,
  readPendingBytes,
  readPendingRuns,
  readRunFiles,
  Store,
} from '#store';
import { ingestRun } from '../../apps/ingest/src/ingest-run/ingest-run.ts';
import { EventWriter, scalarTag } from '../lib/event-writer.ts';
import { quantile } from '../lib/stats.ts';
import { type Plan, plansOf } from './plans.ts';

export interface Backlog {
  readonly sweepP99Ms: number;
  readonly claimP99Ms: number;
  readonly countMs: number;
  readonly sweepPlans: readonly Plan[];
  readonly claimPlans: readonly Plan[];
  /** Per round. */
  readonly oneRun: readonly Drains[];
  readonly manyRuns: readonly Drains[];
  /** Like `whole` of `manyRuns`, with all other segments pending. */
  readonly manyRunsBeside: readonly number[];
}

/** Segments ingested per second, from a quarter of a backlog and from the whole backlog. */
interface Drains {
  readonly quarter: number;
  readonly whole: number;
}

const roles = ['plotline_app', 'plotline_ingest', 'plotline_sweeper', 'plotline_migrator'];
const runs = 1_000;
/**
 * The backlog of one run has this many times the segments of the backlog of many runs. Each ingest
 * transaction reads and writes the run's tail, which grows until it is cut at 65,536 points, so a
 * smaller backlog does not predict a larger one.
 */
const oneRunFactor = 8;
const looks = 200;
/**
 * Statements whose plans Postgres logs; a prepared statement gets its final plan at its sixth
 * execution.
 */
const explainedLooks = 10;

/**
 * Measures how long sweeps and claims take with very many pending segments, which plans they use,
 * and whether a long backlog of one run or of many runs drains as fast as a short backlog
 * (reliability test 58).
 */
export async function backlog(
  folder: string,
  options: { readonly pending: number; readonly drained: number; readonly rounds: number; readonly say: (line: string) => void },
): Promise<Backlog> {
  const { pending, drained, rounds, say } = options;
  const postgres = await startPostgres({ dataDir: folder, log: () => undefined });
  const passwords = Object.fromEntries(roles.map((role) => [role, 'bench']));
  let store: Store | null = null;
  try {
    const adminUrl = await prepareDatabase({ adminUrl: postgres.url(), database: 'plotline', passwords });
    const urlOf = (role: string): string => Object.assign(new URL(adminUrl), { username: role, password: 'bench' }).href;
    await migrate(urlOf('plotline_migrator'));
    const connect = (): Store =>
      new Store({ appUrl: urlOf('plotline_app'), ingestUrl: urlOf('plotline_ingest'), sweeperUrl: urlOf('plotline_sweeper') });
    store = connect();
    const admin = new pg.Client({ connectionString: adminUrl });
    await admin.connect();
    const tenantId = tenantIdOf(randomUUID());
    await insertPerson(store.global, tenantId, 'Bench');
    await store.withTenant(tenantId, (scope) => insertWorkspace(scope, 'Bench'));
    const rate = async (name: string, count: number, segments: number): Promise<number> => {
      const found = await drain(store!, tenantId, name, count, segments);
      say(`${name}: ${segments} segments of ${count} runs, ${found.toFixed(0)} per second`);
      return found;
    };
    const drains = async (name: string, count: number, segments: number): Promise<Drains> => ({
      quarter: await rate(`${name}-quarter`, Math.ceil(count / 4), segments / 4),
      whole: await rate(`${name}-whole`, count, segments),
    });
    await seed(admin, tenantId, pending);
    say(`${pending} segments are pending`);
    const measured = await look(store, tenantId, looks);
    const explained = await explain(admin, join(folder, 'postgres.log'), connect, tenantId);
    const [oneRun, manyRuns, manyRunsBeside]: [Drains[], Drains[], number[]] = [[], [], []];
    for (let round = 1; round <= rounds; round++) manyRunsBeside.push(await rate(`many-${round}-beside`, runs, drained));
    // The previous round drained its segments completely.
    await admin.query('truncate pending_segment');
    for (let round = 1; round <= rounds; round++) {
      oneRun.push(await drains(`one-${round}`, 1, oneRunFactor * drained));
      manyRuns.push(await drains(`many-${round}`, runs, drained));
    }
    await admin.end();
    return { ...measured, ...explained, oneRun, manyRuns, manyRunsBeside };
  } finally {
    await store?.close();
    await postgres.stop();
  }
}

/** Only pending rows, without files and segments, because sweeps and claims read nothing else. */
async function seed(admin: pg.Client, tenantId: TenantId, pending: number): Promise<void> {
  await admin.query('set session_replication_role = replica');
  const each = Math.ceil(pending / runs);
  await admin.query(
    `insert into experiment (tenant_id, experiment_id, name, description, owner_id)
     select $1::uuid, lpad(e::text, 22, '0'), '', '', $1::uuid from generate_series(0, 99) e`,
    [tenantId],
  );
  const run = `(10000000 + r)`;
  await admin.query(
    `insert into run (tenant_id, run_id, experiment_id, name, name_hash) overriding system value
     select $1::uuid, ${run}, lpad((r % 100)::text, 22, '0'), r::text, int4send(r) from generate_series(1, ${runs}) r`,
    [tenantId],
  );
  await admin.query(
    `insert into run_work (tenant_id, run_id, experiment_id) select $1::uuid, ${run}, lpad((r % 100)::text, 22, '0') from generate_series(1, ${runs}) r`,
    [tenantId],
  );
  await admin.query(
    `insert into event_file (tenant_id, file_id, experiment_id, run_id, name, name_hash, version) overriding system value
     select $1::uuid, ${run}, lpad((r % 100)::text, 22, '0'), ${run}, 'f', '\\x00', 1 from generate_series(1, ${runs}) r`,
    [tenantId],
  );
  await admin.query(
    `insert into file_progress (tenant_id, file_id, run_id, experiment_id)
     select $1::uuid, ${run}, ${run}, lpad((r % 100)::text, 22, '0') from generate_series(1, ${runs}) r`,
    [tenantId],
  );
  await admin.query(
    `insert into pending_segment (tenant_id, experiment_id, run_id, file_id, "offset", length, epoch)
     select $1::uuid, lpad((r % 100)::text, 22, '0'), ${run}, ${run}, s * 1000, 1000, s
     from generate_series(0, ${each - 1}) s, generate_series(1, ${runs}) r`,
    [tenantId],
  );
  await admin.query('vacuum analyze');
}

async function look(store: Store, tenantId: TenantId, times: number): Promise<Pick<Backlog, 'sweepP99Ms' | 'claimP99Ms' | 'countMs'>> {
  const sweeps: number[] = [];
  const found: PendingRun[] = [];
  let after: PendingRun | null = null;
  for (let n = 0; n < times; n++) {
    const started = performance.now();
    const swept: Awaited<ReturnType<typeof readPendingRuns>> = await readPendingRuns(store.sweeper, after, 1_000);
    sweeps.push(performance.now() - started);
    if (found.length < runs) found.push(...swept.runs);
    after = swept.next;
  }
  const claims: number[] = [];
  for (let n = 0; n < times; n++) {
    const { runId, experimentId } = found[(n * 7) % found.length]!;
    const started = performance.now();
    await store.withIngest(tenantId, async (ingest) => {
      if (!(await claimRun(ingest, runId))) throw new Error(`run ${runId} could not be claimed`);
      await readRunFiles(ingest, experimentId, runId);
    });
    claims.push(performance.now() - started);
  }
  const started = performance.now();
  await readPendingBytes(store.sweeper, 4_096);
  return { sweepP99Ms: quantile(sweeps, 0.99), claimP99Ms: quantile(claims, 0.99), countMs: performance.now() - started };
}

/**
 * Returns the plans of sweeps and claims, from new connections of the same roles with auto_explain.
 */
async function explain(
  admin: pg.Client,
  log: string,
  connect: () => Store,
  tenantId: TenantId,
): Promise<Pick<Backlog, 'sweepPlans' | 'claimPlans'>> {
  const plans = await plansOf(admin, log, ['plotline_sweeper', 'plotline_ingest'], async () => {
    const store = connect();
    try {
      await look(store, tenantId, explainedLooks);
    } finally {
      await store.close();
    }
  });
  const of = (pattern: RegExp): Plan[] => plans.filter(({ query }) => pattern.test(query));
  return { sweepPlans: of(/^with recursive pending/), claimPlans: of(/prepared: (claim-run|read-run-files) /) };
}

interface FileOfRun {
  readonly experimentId: ExperimentId;
  readonly runId: RunId;
  readonly fileId: FileId;
}

/**
 * Ingests runs with files that arrived in very small segments, one run after another, as a sweep
 * finds them. Returns ingested segments per second.
 */
async function drain(store: Store, tenantId: TenantId, name: string, count: number, segments: number): Promise<number> {
  const experimentId = experimentIdOf(name.padStart(22, '-'));
  await store.withTenant(tenantId, (scope) =>
    insertExperiment(scope, { experimentId, name, description: '', ownerId: tenantId, labels: [] }),
  );
  const files = await store.withTenant(tenantId, async (scope) => {
    const made: FileOfRun[] = [];
    for (let n = 0; n < count; n++) {
      const runId = (await ensureRun(scope, experimentId, `run-${n}`))!;
      const fileId = (await insertFile(scope, { experimentId, runId, name: 'events.out.tfevents.1', version: 1 }))!;
      made.push({ experimentId, runId, fileId });
    }
    return made;
  });
  for (const file of files) await acknowledge(store, tenantId, file, Math.ceil(segments / count));
  const bounds = { maxBatchBytes: 16 * 1024 * 1024, tail: { maxPoints: 65_536, maxAgeMs: 3_600_000 } };
  const blobs = new MemoryBlobStore();
  const started = performance.now();
  for (const { runId } of files) while ((await ingestRun(store, blobs, { tenantId, experimentId, runId }, bounds)).outcome === 'more');
  return (segments / (performance.now() - started)) * 1_000;
}

/** A durable and pending file with one point per segment. */
async function acknowledge(store: Store, tenantId: TenantId, { experimentId, runId, fileId }: FileOfRun, segments: number): Promise<void> {
  const bytes = eventFile(segments);
  const each = Math.ceil(bytes.length / segments);
  for (let start = 0; start < bytes.length; start += each * segmentsPerInsert) {
    const pieces: { fileId: FileId; offset: number; length: number; crc32c: number; body: Uint8Array }[] = [];
    for (let offset = start; offset < Math.min(bytes.length, start + each * segmentsPerInsert); offset += each) {
      const body = bytes.subarray(offset, offset + each);
      pieces.push({ fileId, offset, length: body.length, crc32c: crc32c(body), body });
    }
    await store.withTenant(tenantId, async (scope) => {
      const epoch = await advanceEpoch(scope, experimentId, { acknowledged: pieces.length * each, stored: pieces.length * each });
      await insertSegments(
        scope,
        pieces.map((piece) => ({ ...piece, epoch, encoding: 0, objectKey: null })),
      );
      await insertPendingSegments(
        scope,
        experimentId,
        pieces.map((piece) => ({ runId, ...piece })),
        epoch,
      );
      const durableOffset = Math.min(bytes.length, start + each * segmentsPerInsert);
      await advanceFiles(scope, [{ fileId, durableOffset, crc32c: crc32c(bytes.subarray(0, durableOffset)) }]);
    });
  }
}

const segmentsPerInsert = 1_000;

function eventFile(points: number): Buffer {
  const pieces: Buffer[] = [];
  const writer = new EventWriter((bytes) => pieces.push(Buffer.from(bytes)));
  const tag = scalarTag('loss', 'float-val');
  for (let step = 0; step < points; step++) writer.scalar(tag, step === 0, 1_780_000_000 + step, step, Math.sin(step));
  writer.flush();
  return Buffer.concat(pieces);
}
