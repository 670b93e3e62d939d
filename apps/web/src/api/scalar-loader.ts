import { chartColumns, readSeries, type ScalarSeries, type SeriesJson, stepJson } from '#charts';
import type { Api } from './api.ts';

/** What a chart wants to have. */
export interface ScalarWish {
  readonly tag: string;
  /** Null: all runs. */
  readonly runs: readonly string[] | null;
  /** Steps, both inclusive; null: all, or to the end. */
  readonly steps: { readonly from: number; readonly to: number | null } | null;
  /** Most entries of each series. */
  readonly points: number;
  /** Weight of the past in the moving average that comes with them; 0: none does. */
  readonly smoothing: number;
  /** How the entries are divided: evenly in steps, or on a logarithmic axis. */
  readonly spacing: 'linear' | 'log';
}

interface Waiting {
  readonly wish: ScalarWish;
  resolve(series: ScalarSeries[]): void;
  reject(error: unknown): void;
}

/** Entries that one request asks for at most: answers come, and are read, in pieces that do not hold the page up. A guess. */
const maxCells = 80_000;

/**
 * Loads scalars for charts: those that are wished for in one turn of the event loop go in as few requests as fit. `runs`: how many runs the experiment has,
 * which bounds the series of a tag.
 */
export class ScalarLoader {
  readonly #api: Api;
  readonly #path: string;
  readonly #runs: () => number;
  #waiting: Waiting[] = [];

  constructor(api: Api, experimentId: string, runs: () => number) {
    this.#api = api;
    this.#path = `/experiments/${experimentId}/scalars/query`;
    this.#runs = runs;
  }

  /** The series of a tag, by run. */
  load(wish: ScalarWish): Promise<ScalarSeries[]> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ wish, resolve, reject }) === 1) setTimeout(() => this.#flush(), 0);
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const group of Map.groupBy(waiting, ({ wish: { runs, steps, points, smoothing, spacing } }) =>
      JSON.stringify([runs, steps, points, smoothing, spacing]),
    ).values()) {
      const { runs, points } = group[0]!.wish;
      const most = Math.max(1, Math.floor(maxCells / (points * Math.max(1, runs?.length ?? this.#runs()))));
      for (let at = 0; at < group.length; at += most) void this.#ask(group.slice(at, at + most));
    }
  }

  async #ask(group: readonly Waiting[]): Promise<void> {
    const { runs, steps, points, smoothing, spacing } = group[0]!.wish;
    const tags = [...new Set(group.map(({ wish }) => wish.tag))];
    try {
      const body = {
        tags,
        ...(runs && { runs }),
        ...(steps && { steps: { from: stepJson(steps.from), ...(steps.to !== null && { to: stepJson(steps.to) }) } }),
        points,
        ...(smoothing > 0 && { smoothing }),
        ...(spacing !== 'linear' && { spacing }),
        columns: chartColumns,
      };
      const { series } = await this.#api.query<{ series: SeriesJson[] }>(this.#path, body);
      const byTag = Map.groupBy(series, ({ tag }) => tag);
      for (const { wish, resolve } of group) resolve((byTag.get(wish.tag) ?? []).map((one) => readSeries(one, smoothing)));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
