import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type BlobStore, openBlobStore } from '#blobs';
import { Problem } from '#model';
import { joinOriginal, joinSegments } from '#originals';
import { Store } from '#store';
import { causeInBrief, passObservationsOn, passStepsOn } from '#telemetry';
import type {
  IngestThreadObservation,
  IngestThreadOptions,
  IngestThreadReading,
  IngestThreadReply,
  IngestThreadRequest,
  IngestThreadStep,
  IngestThreadWarning,
  ThreadFailure,
  ThreadTracing,
} from './ingest-pool.ts';
import { workOnCitation } from './citations/work-on-citation.ts';
import { collectOrphans } from './deletion/collect-orphans.ts';
import { workOnDeletion } from './deletion/work-on-deletion.ts';
import { removeExports } from './exports/remove-exports.ts';
import { workOnExport } from './exports/work-on-export.ts';
import { joinBounds } from './ingest-bounds.ts';
import { IngestFailure, type RecordPlace } from './ingest-run/ingest-failure.ts';
import { ingestRun } from './ingest-run/ingest-run.ts';
import { rollUpRun } from './roll-up/roll-up-run.ts';

/*
 * A thread of an IngestPool. It has one connection, runs one job at a time, and sends one reply per
 * request.
 */

/** If a deletion's worker dies, another one takes over after the lease expires. */
const deletionBounds = { leaseMs: 15_000, retryMs: 1_000, rowsAtOnce: 500 };

const citationBounds = { leaseMs: 15_000, retryMs: 5_000 };

const exportBounds = { leaseMs: 15_000, retryMs: 1_000, maxAttempts: 5, maxClaims: 20 };

const port = parentPort;
if (!port) throw new Error('ingest-thread runs as a worker thread only');
const options = workerData as IngestThreadOptions & ThreadTracing;
/** Whether the current request is part of a trace. */
let isTraced = false;
if (options.traced) passStepsOn((step) => (isTraced ? port.postMessage({ step } satisfies IngestThreadStep) : undefined));
passObservationsOn((observed) => port.postMessage({ observed } satisfies IngestThreadObservation));
const store = new Store({
  appUrl: options.appUrl,
  appPoolSize: 1,
  ingestUrl: options.ingestUrl,
  ingestPoolSize: 1,
  onIngestConnect: (pid) => {
    if (options.stepBack === 'threads-and-backends') stepBack(pid);
  },
});
let opened: Promise<BlobStore> | null = null;

/**
 * Opens the blob store for the first job. If that fails, the job fails, and the next job tries
 * again.
 */
function openBlobs(): Promise<BlobStore> {
  opened ??= openBlobStore(options.blobs, warn).catch((error: unknown) => {
    opened = null;
    throw new Problem('store-unavailable', 'The object store is not available.', { cause: error });
  });
  return opened;
}

function warn(line: string): void {
  port!.postMessage({ warning: line } satisfies IngestThreadWarning);
}

/**
 * Next to a program that uses the whole CPU, a thread with this niceness gets 3 % of a processor,
 * which is enough for dozens of live runs. With 10, it gets 10 %, but threads that ingest for a
 * busy workspace slow the uploads of a quiet one by another 10 % (`bench overload`).
 */
const niceness = 15;

/**
 * Prioritizes requests when CPU time is scarce: a chart is faster by milliseconds, and an upload is
 * barely slower.
 */
function stepBack(pid: number): void {
  if (process.platform !== 'linux') return; // on other systems, a priority applies to the whole process
  try {
    setPriority(pid, niceness);
  } catch (error) {
    // Either this is not permitted here, or the backend is already gone. All backends then have the
    // same priority.
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SYSTEM_ERROR') throw error;
  }
}

if (options.stepBack !== 'no') stepBack(0); // on Linux, 0 means the calling thread

async function reply(request: IngestThreadRequest): Promise<IngestThreadReply> {
  try {
    const blobs = await openBlobs();
    if ('job' in request) {
      const onReading = (reading: RecordPlace | null): void => port!.postMessage({ reading } satisfies IngestThreadReading);
      return await ingestRun(store, blobs, request.job, options.bounds, onReading);
    }
    if ('rollUp' in request) return { rolledUp: await rollUpRun(store, request.rollUp) };
    if ('collect' in request) return { orphans: await collectOrphans(store, blobs, request.collect.graceMs) };
    if ('export' in request) await workOnExport(store, blobs, request.export, { ...exportBounds, keepMs: request.keepMs });
    else if ('removeExports' in request) await removeExports(store, blobs, request.removeExports);
    else if ('citation' in request) await workOnCitation(store, blobs, request.citation, citationBounds);
    else if ('deletion' in request) await workOnDeletion(store, blobs, request.deletion, deletionBounds);
    else if ('joinSegments' in request) await joinSegments(store, blobs, request.joinSegments, joinBounds);
    else await joinOriginal(store, blobs, request.join.tenantId, request.join.fileId);
    return { outcome: 'idle', committed: null };
  } catch (error) {
    if (error instanceof IngestFailure) return { failure: failureOf(error.cause), witnessed: error.witnessed, lost: error.lost };
    return { failure: failureOf(error), witnessed: { count: 0, bytes: 0, first: null }, lost: [] };
  }
}

function failureOf(error: unknown): ThreadFailure {
  if (!(error instanceof Error)) return { message: String(error), stack: null, code: null, problemCode: null, cause: null };
  return {
    message: error.message,
    stack: error.stack ?? null,
    code: 'code' in error && typeof error.code === 'string' ? error.code : null,
    problemCode: error instanceof Problem ? error.code : null,
    cause: causeInBrief(error),
  };
}

port.on('message', (request: IngestThreadRequest & Partial<ThreadTracing>) => {
  isTraced = request.traced === true;
  void reply(request).then((response) => port.postMessage(response));
});
