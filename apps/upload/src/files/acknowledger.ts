import { originalBytes } from '#blobs';
import type { ExperimentId, FileId, RunId, TenantId } from '#model';
import type { Dispatcher } from '#jobs';
import {
  addStoredBytes,
  advanceEpoch,
  advanceFiles,
  insertPendingSegments,
  insertSegments,
  type LedgerFile,
  lockFiles,
  type NewSegment,
  readAcknowledgedEpoch,
  readOverlaps,
  readRangesFrom,
  stampSegments,
  type SegmentRange,
  type Store,
  type StoredBytes,
  type TenantScope,
} from '#store';
import { activeSpan, count, failpoint, type Span } from '#telemetry';
import { inCommitTries } from './commit-tries.ts';
import { type AppendPlan, type KeptRange, planAppends, type Range, type Verdict } from './plan-appends.ts';

/** A durable range that is to be acknowledged. */
export interface Append extends Range {
  readonly fileId: FileId;
  readonly location: StoredBytes;
  /** Whether the sender declares that the file ends with this range. */
  readonly last?: boolean;
}

/** The result of an append. `durableOffset`: the end of the prefix after the batch. */
export type AppendOutcome =
  /**
   * The range is acknowledged. `epoch`: the epoch of the commit in which the range became part of
   * the prefix; null while the range is beyond the prefix.
   */
  | {
      readonly kind: 'acknowledged';
      readonly durableOffset: number;
      readonly epoch: number | null;
      /**
       * False if the range had already been acknowledged; then its bytes are at another location.
       */
      readonly isNew: boolean;
      /**
       * Whether the file is complete: it ends with this range, and all earlier bytes are durable.
       */
      readonly complete: boolean;
    }
  /**
   * The range is inside bytes whose segments were or may have been joined, so the caller compares
   * the bytes. `epoch` covers all of these bytes.
   */
  | { readonly kind: 'in-original'; readonly durableOffset: number; readonly epoch: number }
  | { readonly kind: 'conflict' | 'beyond-window'; readonly durableOffset: number; readonly kept: readonly KeptRange[] }
  | { readonly kind: 'file-not-found' | 'experiment-not-found' | 'run-deleted' };

/**
 * Commits acknowledgements in groups. Appends to an experiment that arrive while the experiment's
 * last group is being committed form the next group. So an idle service responds immediately, and a
 * busy one needs few commits. A group is one transaction and one epoch. Files are locked in ID
 * order, and the epoch counter last.
 *
 * If the connection breaks during a commit, the transaction fails although its appends may have
 * been committed. The client then sends the range again, and it is recognized as the same range.
 */
export class Acknowledger {
  readonly #store: Store;
  readonly #dispatcher: Dispatcher;
  readonly #groups = new Map<string, Group>();

  constructor(store: Store, dispatcher: Dispatcher) {
    this.#store = store;
    this.#dispatcher = dispatcher;
  }

  /** Resolves when the append is committed or rejected. */
  append(tenantId: TenantId, experimentId: ExperimentId, append: Append): Promise<AppendOutcome> {
    const key = `${tenantId}/${experimentId}`;
    let group = this.#groups.get(key);
    if (!group) {
      group = { tenantId, experimentId, waiting: [] };
      this.#groups.set(key, group);
      const started = group;
      // Waits one turn of the event loop, so that requests that are read from their sockets
      // together form one group.
      setImmediate(() => void this.#drain(key, started));
    }
    const { promise, resolve, reject } = Promise.withResolvers<AppendOutcome>();
    group.waiting.push({ append, resolve, reject, span: activeSpan() });
    return promise;
  }

  async #drain(key: string, group: Group): Promise<void> {
    while (group.waiting.length > 0) {
      const batch = takeBatch(group.waiting);
      try {
        const commit = () =>
          this.#commit(
            group,
            batch.map(({ append }) => append),
          );
        const { span } = batch[0]!;
        const outcomes = await (span ? span.run(commit) : commit());
        batch.forEach((waiter, index) => waiter.resolve(outcomes[index]!));
      } catch (error) {
        for (const waiter of batch) waiter.reject(error);
      }
    }
    this.#groups.delete(key);
  }

  #commit(group: Group, appends: readonly Append[]): Promise<AppendOutcome[]> {
    return inCommitTries(async () => {
      const { outcomes, grownRuns, grownBytes } = await this.#store.withTenant(group.tenantId, (scope) =>
        acknowledge(scope, group.experimentId, appends),
      );
      await failpoint('after-ledger-commit');
      count('acknowledgedBytes', grownBytes);
      for (const runId of grownRuns) this.#dispatcher.offer({ tenantId: group.tenantId, experimentId: group.experimentId, runId });
      return outcomes;
    });
  }
}

interface Waiter {
  readonly append: Append;
  readonly resolve: (outcome: AppendOutcome) => void;
  readonly reject: (error: unknown) => void;
  /** The traced request. The commit of a batch belongs to the trace of its first request. */
  readonly span: Span | null;
}

interface Group {
  readonly tenantId: TenantId;
  readonly experimentId: ExperimentId;
  readonly waiting: Waiter[];
}

// Estimates: large enough that all waiting appends share an fsync, and small enough that a
// transaction takes well below a second.
const maxAppendsPerCommit = 256;
const maxInlineBytesPerCommit = 4 * 1024 * 1024;

function takeBatch(waiting: Waiter[]): Waiter[] {
  let taken = 0;
  for (let bytes = 0; taken < Math.min(waiting.length, maxAppendsPerCommit); taken++) {
    bytes += waiting[taken]!.append.location.body?.length ?? 0;
    if (taken > 0 && bytes > maxInlineBytesPerCommit) break;
  }
  return waiting.splice(0, taken);
}

/**
 * Adds appends to files of one experiment to the ledger, in one epoch. Locks the files in ID order.
 */
export async function acknowledge(
  scope: TenantScope,
  experimentId: ExperimentId,
  appends: readonly Append[],
): Promise<{ outcomes: AppendOutcome[]; grownRuns: Set<RunId>; grownBytes: number }> {
  const files = await lockFiles(scope, [...new Set(appends.map(({ fileId }) => fileId))]);
  const open = files.filter((file) => !file.experimentDeleted && !file.runDeleted);
  const known = await readKnownRanges(scope, open, appends);
  const planned = open.map((file) => {
    const asked = appends.filter(({ fileId }) => fileId === file.fileId);
    return { file, asked, plan: planAppends(stateOf(file, known), asked) };
  });

  const grown = planned.filter(({ file, plan }) => plan.durableOffset > file.durableOffset);
  const grownBytes = grown.reduce((sum, { file, plan }) => sum + plan.durableOffset - file.durableOffset, 0);
  const storedBytes = planned.reduce((sum, { asked, plan }) => sum + newBytes(asked, plan), 0);
  const epoch = grown.length > 0 ? await advanceEpoch(scope, experimentId, { acknowledged: grownBytes, stored: storedBytes }) : null;
  if (epoch === null) await addStoredBytes(scope, experimentId, storedBytes);
  await write(scope, experimentId, planned, epoch);
  await failpoint('before-ledger-commit');

  // The latest epoch covers ranges that were acknowledged before the segments were joined.
  const needsLatest = planned.some(({ plan }) => plan.verdicts.some(({ kind }) => kind === 'in-original'));
  const latest = epoch ?? (needsLatest ? await readAcknowledgedEpoch(scope, experimentId) : 0);
  const outcomes = new Map<Append, AppendOutcome>();
  for (const { asked, plan } of planned)
    asked.forEach((append, index) => outcomes.set(append, outcomeOf(plan, plan.verdicts[index]!, append, epoch, latest)));
  const rejected = new Map(files.map((file) => [file.fileId, file.experimentDeleted ? 'experiment-not-found' : 'run-deleted'] as const));
  return {
    outcomes: appends.map((append) => outcomes.get(append) ?? { kind: rejected.get(append.fileId) ?? 'file-not-found' }),
    grownBytes,
    grownRuns: new Set(grown.map(({ file }) => file.runId)),
  };
}

interface PlannedFile {
  readonly file: LedgerFile;
  readonly asked: readonly Append[];
  readonly plan: AppendPlan;
}

/** Bytes that this append adds, inside or beyond the contiguous prefix. */
function newBytes(asked: readonly Append[], { verdicts }: AppendPlan): number {
  return asked.reduce((sum, { length }, index) => sum + (verdicts[index]!.kind === 'new' ? length : 0), 0);
}

async function readKnownRanges(
  scope: TenantScope,
  files: readonly LedgerFile[],
  appends: readonly Append[],
): Promise<Map<string, SegmentRange[]>> {
  const byFile = new Map<string, SegmentRange[]>(files.map(({ fileId }) => [fileId, []]));
  if (files.length === 0) return byFile;
  const beyond = await readRangesFrom(
    scope,
    files.map(({ fileId, durableOffset }) => ({ fileId, from: durableOffset })),
  );
  for (const range of beyond) byFile.get(range.fileId)!.push(range);
  const prefixes = new Map(files.map(({ fileId, durableOffset }) => [fileId, durableOffset]));
  // Only appends that start inside the prefix can overlap its segments. These are rare repetitions
  // and mistakes.
  const inside = appends.filter(({ fileId, offset }) => offset < (prefixes.get(fileId) ?? 0));
  if (inside.length === 0) return byFile;
  const overlaps = await readOverlaps(
    scope,
    inside.map(({ fileId, offset, length }) => ({ fileId, start: offset, end: offset + length })),
  );
  for (const range of overlaps) if (range.offset < prefixes.get(range.fileId)!) byFile.get(range.fileId)!.push(range);
  return byFile;
}

function stateOf(file: LedgerFile, known: ReadonlyMap<string, SegmentRange[]>) {
  return {
    durableOffset: file.durableOffset,
    crc32c: file.crc32c,
    originalEnd: file.originalKey === null ? file.droppedBytes : originalBytes(file.originalKey),
    known: known.get(file.fileId) ?? [],
  };
}

async function write(scope: TenantScope, experimentId: ExperimentId, planned: readonly PlannedFile[], epoch: number | null): Promise<void> {
  const segments: NewSegment[] = [];
  const pending: { runId: RunId; fileId: FileId; offset: number; length: number }[] = [];
  const reached: { fileId: FileId; offset: number }[] = [];
  const changed: { fileId: FileId; durableOffset: number; crc32c: number; complete: boolean }[] = [];
  for (const { file, asked, plan } of planned) {
    const complete = asked.some((append, index) => completes(plan, plan.verdicts[index]!, append));
    const { fileId, runId } = file;
    asked.forEach((append, index) => {
      if (plan.verdicts[index]!.kind !== 'new') return;
      const { offset, length, crc32c, location } = append;
      const contiguous = offset < plan.durableOffset;
      segments.push({ fileId, offset, length, crc32c, epoch: contiguous ? epoch : null, ...location });
      if (contiguous) pending.push({ runId, fileId, offset, length });
    });
    for (const { offset, length } of plan.reached) {
      reached.push({ fileId, offset });
      pending.push({ runId, fileId, offset, length });
    }
    if (plan.verdicts.some(({ kind }) => kind === 'new') || (complete && file.completedBytes === null))
      changed.push({ fileId, durableOffset: plan.durableOffset, crc32c: plan.crc32c, complete });
  }
  await insertSegments(scope, segments);
  if (epoch !== null) {
    await stampSegments(scope, reached, epoch);
    await insertPendingSegments(scope, experimentId, pending, epoch);
  }
  await advanceFiles(scope, changed);
}

/**
 * `epoch`: the epoch of this commit; null if nothing grew. `latest`: an epoch that covers
 * everything that is joined.
 */
function outcomeOf(plan: AppendPlan, verdict: Verdict, append: Append, epoch: number | null, latest: number): AppendOutcome {
  const { durableOffset, kept } = plan;
  const epochNow = append.offset < durableOffset ? epoch : null;
  const complete = completes(plan, verdict, append);
  if (verdict.kind === 'new') return { kind: 'acknowledged', durableOffset, epoch: epochNow, isNew: true, complete };
  if (verdict.kind === 'same') return { kind: 'acknowledged', durableOffset, epoch: verdict.epoch ?? epochNow, isNew: false, complete };
  if (verdict.kind === 'in-original') return { kind: 'in-original', durableOffset, epoch: latest };
  return { kind: verdict.kind, durableOffset, kept };
}

/** Whether the range is the last one, with nothing after it and nothing missing before it. */
function completes(plan: AppendPlan, verdict: Verdict, { offset, length, last }: Append): boolean {
  const there = verdict.kind === 'new' || verdict.kind === 'same';
  return last === true && there && offset + length === plan.durableOffset && plan.kept.length === 0;
}
