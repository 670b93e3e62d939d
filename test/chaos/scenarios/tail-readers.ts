import { setTimeout as sleep } from 'node:timers/promises';
import type { AckLog } from '../ack-log.ts';
import type { Violation } from '../checker.ts';
import { type PointsBySeries, Reader } from '../reader.ts';
import type { SentFile } from '../client.ts';
import { conclude, type Outcome, type Scenario, type ScenarioContext, times } from '../scenario.ts';
import type { Stack } from '../stack.ts';
import { bytesOf } from '../training.ts';
import { type RunShape, Workload } from '../workload.ts';

export const liveShape = (): RunShape => ({ events: 200, tags: 2, pace: { minBytes: 300, maxBytes: 3_000, pauseMs: 20 } });

/**
 * Tests 20 and 22: readers follow the frontier while eight clients write, and find everything that
 * it covers; measures the delay at nominal load.
 */
export const tailReaders: Scenario = {
  test: '20, 22',
  title: 'readers follow the frontier of live runs',
  counts: { short: 20, full: 600 },
  run: async ({ stack, seed, count }: ScenarioContext): Promise<Outcome> => {
    const workload = new Workload(stack, { seed, lanes: 8, shape: liveShape, runsPerExperiment: 8 }).start();
    const tail = new TailReader(stack, workload.log);
    while (tail.looks < count) await tail.lookAt(workload.files);
    const outcome = await conclude(workload, [`${tail.looks} reads, ${tail.compared} files compared with the frontier`]);
    return {
      ...outcome,
      figures: [...outcome.figures, `acknowledged to visible: ${times(workload.visibility.delays())}`],
      violations: [...outcome.violations, ...tail.violations],
    };
  },
};

/**
 * A reader that verifies the frontier: everything acknowledged in an epoch that the frontier covers
 * must be visible.
 */
export class TailReader {
  readonly violations: Violation[] = [];
  looks = 0;
  compared = 0;
  readonly #reader: Reader;
  readonly #log: AckLog;
  readonly #ends = new Map<string, number[]>();
  readonly #last = new Map<string, number>();

  constructor(stack: Stack, log: AckLog) {
    this.#reader = new Reader({ url: stack.parts.front.url, token: stack.token });
    this.#log = log;
  }

  /** Reads the most recent experiment once. */
  async lookAt(files: readonly SentFile[]): Promise<void> {
    const experimentId = files.at(-1)?.experimentId;
    if (experimentId === undefined) {
      await sleep(20);
      return;
    }
    const { epoch } = await this.#reader.json<{ epoch: number }>(`/experiments/${experimentId}/frontier`);
    // Computed before the points are requested, because this frontier does not cover later
    // acknowledgements.
    const promised = this.#promisedBy(epoch);
    this.#compare(experimentId, files, epoch, promised, countsOf(await this.#reader.points(experimentId)));
  }

  /**
   * Like {@link lookAt}, but with frontier and points from one response, and therefore from one
   * snapshot. The frontier must not have decreased.
   */
  async lookAtOnce(files: readonly SentFile[]): Promise<void> {
    const experimentId = files.at(-1)?.experimentId;
    if (experimentId === undefined) {
      await sleep(20);
      return;
    }
    const {
      frontier,
      series,
      next_page_token: more,
    } = await this.#reader.json<{
      frontier: { epoch: number };
      series: { run: string; tag: string; columns: { step: unknown[] } }[];
      next_page_token?: string;
    }>(`/experiments/${experimentId}/scalars/query`, { sampling: 'raw', superseded: true, page_size: 100_000 });
    if (more !== undefined) throw new Error('the points of an experiment do not fit into one response');
    const last = this.#last.get(experimentId) ?? 0;
    if (frontier.epoch < last)
      this.violations.push({
        kind: 'visible-too-early',
        detail: `the frontier of ${experimentId} moved from ${last} to ${frontier.epoch}`,
      });
    this.#last.set(experimentId, frontier.epoch);
    const counts = sumByTag(series.map(({ run, tag, columns }) => [`${run}\0${tag}`, columns.step.length]));
    // Epochs that the response covers contain everything that the log has for them by now.
    this.#compare(experimentId, files, frontier.epoch, this.#promisedBy(frontier.epoch), counts);
  }

  #compare(
    experimentId: string,
    files: readonly SentFile[],
    epoch: number,
    promised: ReadonlyMap<string, number>,
    stored: ReadonlyMap<string, number>,
  ): void {
    this.looks++;
    for (const [run, ofRun] of Map.groupBy(
      files.filter((file) => file.experimentId === experimentId),
      ({ plan }) => plan.run,
    )) {
      let wanted = 0;
      for (const file of ofRun) wanted += this.#recordsBefore(file, promised.get(file.fileId) ?? 0);
      this.compared += ofRun.length;
      for (const tag of ofRun[0]!.plan.tags) {
        const found = stored.get(`${run}\0${tag}`) ?? 0;
        if (found < wanted)
          this.violations.push({
            kind: 'visible-too-early',
            detail: `${run} ${tag}: epoch ${epoch} promises ${wanted} points, ${found} are there`,
          });
      }
    }
  }

  /**
   * Returns the durable offset of each file when this epoch was acknowledged. A file's ranges are
   * sent one after another.
   */
  #promisedBy(epoch: number): Map<string, number> {
    const ends = new Map<string, number>();
    for (const { fileId, offset, length, outcome, epoch: own } of this.#log.entries)
      if (outcome === 'ok' && own !== null && own <= epoch) ends.set(fileId, Math.max(ends.get(fileId) ?? 0, offset + length));
    return ends;
  }

  /**
   * Events with values, in records that end at or before `bytes`; the first record of a file has
   * only the version.
   */
  #recordsBefore(file: SentFile, bytes: number): number {
    let ends = this.#ends.get(file.fileId);
    if (!ends) this.#ends.set(file.fileId, (ends = recordEnds(bytesOf(file.plan))));
    return Math.max(0, ends.filter((end) => end <= bytes).length - 1);
  }
}

/** Counts the points per `run NUL tag`, over all writers. */
function countsOf(points: PointsBySeries): Map<string, number> {
  return sumByTag([...points].map(([key, { length }]) => [key.slice(0, key.lastIndexOf('\0')), length]));
}

function sumByTag(counts: readonly (readonly [key: string, points: number])[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [key, points] of counts) sums.set(key, (sums.get(key) ?? 0) + points);
  return sums;
}

/**
 * Returns the offsets at which an event file's records end: 8 bytes of length, 4 of its checksum,
 * the data, 4 of its checksum.
 */
function recordEnds(bytes: Buffer): number[] {
  const ends: number[] = [];
  for (let at = 0; at < bytes.length;) ends.push((at += 16 + Number(bytes.readBigUInt64LE(at))));
  return ends;
}
