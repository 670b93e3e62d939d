import type { ImportSink } from './import-sink.ts';

const pointsAtOnce = 262_144;

/** Collects single points into series, for readers of files that have a row per step. */
export class ScalarBatch {
  readonly #sink: ImportSink;
  #series = new Map<
    string,
    { readonly run: string; readonly tag: string; readonly steps: bigint[]; readonly wallTimes: number[]; readonly values: number[] }
  >();
  #points = 0;

  constructor(sink: ImportSink) {
    this.#sink = sink;
  }

  async add(run: string, tag: string, step: bigint, wallTime: number, value: number): Promise<void> {
    const key = `${run}\0${tag}`;
    let series = this.#series.get(key);
    if (!series) this.#series.set(key, (series = { run, tag, steps: [], wallTimes: [], values: [] }));
    series.steps.push(step);
    series.wallTimes.push(wallTime);
    series.values.push(value);
    if (++this.#points === pointsAtOnce) await this.flush();
  }

  /** Passes on what is in memory. */
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
