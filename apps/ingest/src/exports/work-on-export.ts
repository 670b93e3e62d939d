import type { BlobStore } from '#blobs';
import { type ExportFormat, openExport, surveyExport, writeExport } from '#exports';
import { Problem, type ProblemCode } from '#model';
import type { SnapshotBlobs } from '#snapshots';
import {
  claimExport,
  type ExportJob,
  failExport,
  finishExport,
  isTransient,
  releaseExport,
  renewExport,
  type Store,
  type WaitingExport,
} from '#store';
import { failpoint } from '#telemetry';

/** Settings for a worker that writes an export. */
export interface ExportBounds {
  /**
   * Duration of the lease without renewal. If the process that works on an export dies, another
   * process continues after this time.
   */
  readonly leaseMs: number;
  readonly retryMs: number;
  /** An export that has failed this many times is not retried. */
  readonly maxAttempts: number;
  /** An export that was claimed this many times is killing its workers and counts as failed. */
  readonly maxClaims: number;
  /** How long results and failures are kept. */
  readonly keepMs: number;
}

/** The export was canceled, or another worker has claimed it. */
class ExportLost extends Error {}

/** Problems that retrying cannot solve. */
const hopeless: ReadonlySet<ProblemCode> = new Set(['experiment-not-found', 'quota-exceeded', 'stored-bytes-lost']);

/**
 * Interval between statements, in milliseconds: Postgres ends transactions that are idle for ten
 * seconds.
 */
const keepAliveMs = 3_000;

/**
 * Works on one export until it is stored. The row is the job: a worker leases it. If the worker
 * dies, it leaves an unfinished snapshot, which the next worker ends before it writes its own. So
 * there is only one result, no matter where a process dies.
 */
export async function workOnExport(
  store: Store,
  blobs: BlobStore,
  { tenantId, exportId }: WaitingExport,
  bounds: ExportBounds,
): Promise<void> {
  const { leaseMs } = bounds;
  const job = await store.withIngest(tenantId, (ingest) => claimExport(ingest, exportId, leaseMs));
  if (!job) return;
  const attempt = job.attempts;
  try {
    if (attempt > bounds.maxClaims) throw new Error(`${attempt} workers have not finished an export`);
    const outcome = await write(store, blobs, tenantId, job, bounds);
    if (outcome === 'elsewhere') await store.withIngest(tenantId, (ingest) => releaseExport(ingest, exportId, attempt, bounds.retryMs));
  } catch (error) {
    if (error instanceof ExportLost) return;
    const gone = error instanceof Problem && hopeless.has(error.code);
    const over = !isTransient(error) && attempt >= bounds.maxAttempts;
    const problem = gone ? error.code : over ? 'internal' : null;
    await store
      .withIngest(tenantId, (ingest) =>
        problem === null
          ? releaseExport(ingest, exportId, attempt, bounds.retryMs)
          : failExport(ingest, exportId, { attempt, problem, keepMs: bounds.keepMs }),
      )
      .catch(() => undefined); // the lease then expires, and another worker continues
    throw error;
  }
}

/** The object store, in the form that snapshot writers use. */
function withFailpoint(blobs: BlobStore): SnapshotBlobs {
  return {
    get: (...args) => blobs.get(...args),
    put: async (...args) => {
      await failpoint('during-export');
      return blobs.put(...args);
    },
    putIfAbsent: (...args) => blobs.putIfAbsent(...args),
    delete: (...args) => blobs.delete(...args),
    list: (...args) => blobs.list(...args),
  };
}

async function write(
  store: Store,
  blobs: BlobStore,
  tenantId: WaitingExport['tenantId'],
  job: ExportJob,
  { leaseMs, keepMs }: ExportBounds,
): Promise<'done' | 'elsewhere'> {
  const { exportId, experimentId, runs, tags, attempts: attempt } = job;
  const selection = { experimentId, format: job.format as ExportFormat, runs, tags };
  const place = { blobs: withFailpoint(blobs), tenantId, now: async () => (await blobs.now()).getTime() };
  let fingerprint = '';
  const state = await store.withSnapshot(tenantId, async (database) => {
    const survey = await surveyExport(database, selection);
    if (!survey) throw new Problem('experiment-not-found', 'The experiment was deleted.');
    fingerprint = survey.fingerprint;
    const progress = { points: 0, bytes: 0, lost: false };
    const renew = async (): Promise<void> => {
      const { points, bytes } = progress;
      const noted = { attempt, leaseMs, points, totalPoints: survey.points, bytes, totalBytes: survey.bytes, snapshot: fingerprint };
      progress.lost ||= !(await store.withIngest(tenantId, (ingest) => renewExport(ingest, exportId, noted)));
    };
    await renew(); // the row refers to the snapshot before the first object exists
    let validUntil = performance.now() + leaseMs;
    const timer = setInterval(
      () => {
        const asked = performance.now();
        renew().then(
          () => (validUntil = asked + leaseMs),
          () => undefined, // the lease then expires
        );
        void database.client.query('select 1').catch(() => undefined); // if it fails, the next statement fails too
      },
      Math.min(keepAliveMs, leaseMs / 3),
    );
    try {
      return await writeExport(database, selection, {
        place,
        survey,
        // An earlier worker recorded the snapshot but never released the row, so that worker is
        // dead.
        takesOver: job.snapshot === survey.fingerprint,
        originals: { blobs, inTenant: (read) => store.withIngest(tenantId, read) },
        onProgress: ({ points, bytes }) => {
          progress.points = points;
          progress.bytes = bytes;
          if (progress.lost || performance.now() > validUntil) throw new ExportLost('the export was canceled or taken over');
        },
      });
    } finally {
      clearInterval(timer);
    }
  });
  if (state.state === 'PASSTHROUGH' || !state.isFinal) return 'elsewhere';
  await failpoint('before-export-finished');
  const stored = await openExport({ ...place, fingerprint });
  if (!stored) return 'elsewhere';
  const { files, points = 0 } = stored.manifest;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  await store.withIngest(tenantId, (ingest) => finishExport(ingest, exportId, { attempt, points, files: files.length, bytes, keepMs }));
  return 'done';
}
