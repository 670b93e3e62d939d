import type { RunName, TagName } from '#model';
import type { ImportedMoment, ImportSink } from './import-sink.ts';

const pointsAtOnce = 262_144;

/** Collects single points into series, for readers of files with one row per step. */
export class ScalarBatch {
  readonly #sink: ImportSink;
  #series = new Map<
    string,
    { readonly run: RunName; readonly tag: TagName; readonly steps: bigint[]; readonly wallTimes: number[]; readonly values: number[] }
  >();
  #points = 0;

  constructor(sink: ImportSink) {
    this.#sink = sink;
  }

  /** Adds a point. The values of a row share one moment. */
  async add({ run, step, wallTime }: ImportedMoment, tag: TagName, value: number): Promise<void> {
    const key = `${run}\0${tag}`;
    let series = this.#series.get(key);
    if (!series) this.#series.set(key, (series = { run, tag, steps: [], wallTimes: [], values: [] }));
    series.steps.push(step);
    series.wallTimes.push(wallTime);
    series.values.push(value);
    if (++this.#points === pointsAtOnce) await this.flush();
  }

  /** Flushes the points in memory. */
  async flush(): Promise<void> {
    for (const { run, tag, steps, wallTimes, values } of this.#series.values())
      await this.#sink.scalars({
        run,
        tag,
        writer: 0,
        steps: BigInt64Array.from(steps),
        wallTimes: Float64Array.from(wallTimes),
        values: Float64Array.from(values),
      });
    this.#series = new Map();
    this.#points = 0;
  }
}
