import type { RunId } from '#model';
import type { Change } from './change-batch.ts';
import { ingestGraph, type IngestGraph } from './ingest-graph.ts';
import { ProgressView, type SavedView } from './progress-view.ts';
import { timestamp } from './timestamp.ts';

/** The only ingest graph, which never changes. */
const places: IngestGraph = ingestGraph();

const names = ['receive', 'received', 'stored', 'publish', 'toRollups', 'rollUp', 'rolledUp'] as const;
type PlaceName = (typeof names)[number];

/**
 * A change as stored: the name of its place in {@link IngestGraph}, the epoch, the difference, and
 * any loop counters.
 */
export type WrittenChange = readonly [place: PlaceName, epoch: number, diff: number, ...counters: number[]];

/** Thrown if the stored batches are impossible, i.e. damaged or incomplete. */
export class ChannelFault extends Error {
  override readonly name = 'ChannelFault';
}

/** A batch as read from the channel. */
export interface WrittenBatch {
  readonly worker: string;
  readonly number: number;
  readonly changes: unknown;
}

/** The worker that acknowledges. Its batch number is the epoch. */
export const receiveWorker = 'receive';

/** The worker that ingests a run, regardless of which process it is in. */
export function runWorker(runId: RunId): string {
  return `run-${runId}`;
}

/** Before the first epoch: the input holds epoch 1, and nothing else is outstanding. */
export const noProgress: readonly WrittenChange[] = [['receive', 1, 1]];

/**
 * An acknowledgement: `segments` became pending in the epoch, and the input advances to the next
 * one.
 */
export function acknowledgedChanges(epoch: number, segments: number): WrittenChange[] {
  const moved: WrittenChange[] = [
    ['receive', epoch + 1, 1],
    ['receive', epoch, -1],
  ];
  return segments > 0 ? [['received', epoch, segments], ...moved] : moved;
}

/**
 * An ingest of a run: this many pending segments of each epoch were processed and their points
 * stored. `publish` is notified of this.
 */
export function settledChanges(settled: ReadonlyMap<number, number>): WrittenChange[] {
  return [...settled].flatMap(([epoch, segments]): WrittenChange[] => [
    ['stored', epoch, 1],
    ['received', epoch, -segments],
  ]);
}

/**
 * The state derived from the ledger: the last assigned epoch, and the number of pending segments in
 * each epoch.
 */
export function ledgerChanges(acknowledgedEpoch: number, pending: Iterable<readonly [epoch: number, segments: number]>): WrittenChange[] {
  return [['receive', acknowledgedEpoch + 1, 1], ...[...pending].map(([epoch, segments]): WrittenChange => ['received', epoch, segments])];
}

/** The publisher's state after it received batches. */
export interface Heard {
  /** All nonzero counts. Nothing is outstanding at `stored`, because `publish` has consumed it. */
  readonly changes: WrittenChange[];
  /**
   * Everything up to this epoch is complete at `publish`: no outstanding event could result in an
   * event there.
   */
  readonly completeEpoch: number;
  /** The last batch number of each worker that sent a batch. */
  readonly numbers: ReadonlyMap<string, number>;
}

/**
 * Applies each worker's batches in numeric order, and consumes the items that they sent to
 * `publish`. `heardBefore` has the last numbers of these workers that the state includes. Throws
 * {@link ChannelFault}, or `BatchGap`, if the state contradicts the batches.
 */
export function hearBatches(state: unknown, heardBefore: ReadonlyMap<string, number>, batches: readonly WrittenBatch[]): Heard {
  const saved: SavedView = { heard: Object.fromEntries(heardBefore), changes: decode(state) };
  const view = new ProgressView(places.graph, saved);
  const numbers = new Map<string, number>();
  const taken: Change[] = [];
  for (const { worker, number, changes } of [...batches].sort((a, b) => a.number - b.number)) {
    const decoded = decode(changes);
    if (!view.hear({ worker, number, changes: decoded })) continue;
    numbers.set(worker, number);
    for (const change of decoded) if (change.location === places.stored) taken.push({ ...change, diff: -change.diff });
  }
  view.hear({ worker: 'publish', number: 1, changes: taken });
  const after = view.save().changes;
  // A worker sees a segment only after its acknowledgement is committed.
  if (after.some(({ diff }) => diff < 0)) throw new ChannelFault('more was taken than acknowledged');
  const [first] = view.frontier(places.publish).elements;
  if (!first) throw new ChannelFault('nobody holds the next epoch');
  return { changes: encode(after), completeEpoch: first.epoch - 1, numbers };
}

/** Whether anything besides the input is outstanding. */
export function isOutstanding(changes: readonly WrittenChange[]): boolean {
  return changes.some(([place]) => place !== 'receive');
}

function encode(changes: readonly Change[]): WrittenChange[] {
  return changes.map(({ location, time, diff }): WrittenChange => {
    const name = names.find((candidate) => places[candidate] === location);
    if (!name) throw new ChannelFault(`changes are not reported at ${places.graph.locations[location]?.name ?? location}`);
    return [name, time.epoch, diff, ...time.counters];
  });
}

function decode(written: unknown): Change[] {
  if (!Array.isArray(written)) throw new ChannelFault('changes must be a list');
  return written.map((entry: unknown): Change => {
    if (!Array.isArray(entry)) throw new ChannelFault('a change must be a list');
    const [place, epoch, diff, ...counters] = entry as unknown[];
    const name = names.find((candidate) => candidate === place);
    const isWhole = [epoch, diff, ...counters].every((part) => Number.isSafeInteger(part));
    if (!name || !isWhole) throw new ChannelFault(`not a change: ${JSON.stringify(entry).slice(0, 100)}`);
    return { location: places[name], time: timestamp(epoch as number, ...(counters as number[])), diff: diff as number };
  });
}
