import { chartColumns, readSeries, type ScalarSeries, type SeriesJson, stepJson } from '#charts';
import type { Api } from './api.ts';

/** The data that a chart needs. */
export interface ScalarRequest {
  readonly tag: string;
  /** Null means all runs. */
  readonly runs: readonly string[] | null;
  /**
   * The range of steps, both ends included. Null means all steps; if `to` is null, the range
   * extends to the last step.
   */
  readonly steps: { readonly from: number; readonly to: number | null } | null;
  /** Maximum entries per series. */
  readonly points: number;
  /** Weight of the past in the requested moving average. 0 means no average. */
  readonly smoothing: number;
  /** How entries are spaced: evenly by step, or evenly on a logarithmic axis. */
  readonly spacing: 'linear' | 'log';
  /** The tag on the x axis. Null or absent if there is none. */
  readonly x?: string | null;
  /** Whether `tag` is an expression over tags. */
  readonly isFormula?: boolean;
}

interface Waiting {
  readonly request: ScalarRequest;
  resolve(series: ScalarSeries[]): void;
  reject(error: unknown): void;
}

/**
 * Maximum entries per request, so that responses arrive and are parsed in pieces that do not block
 * the page. A guess.
 */
const maxCells = 80_000;

/**
 * Loads scalars for charts. Combines requests made in one turn of the event loop into as few as
 * possible. `runs`: the number of runs in the experiment, which limits how many series a tag can
 * have.
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

  /** The series of a tag, one per run. */
  load(request: ScalarRequest): Promise<ScalarSeries[]> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ request, resolve, reject }) === 1) setTimeout(() => this.#flush(), 0);
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const group of Map.groupBy(waiting, ({ request: { tag, runs, steps, points, smoothing, spacing, x, isFormula } }) =>
      JSON.stringify([runs, steps, points, smoothing, spacing, x ?? null, isFormula === true ? tag : null]),
    ).values()) {
      const { runs, points } = group[0]!.request;
      const max = Math.max(1, Math.floor(maxCells / (points * Math.max(1, runs?.length ?? this.#runs()))));
      for (let at = 0; at < group.length; at += max) void this.#ask(group.slice(at, at + max));
    }
  }

  async #ask(group: readonly Waiting[]): Promise<void> {
    const { tag, runs, steps, points, smoothing, spacing, x = null, isFormula = false } = group[0]!.request;
    const tags = [...new Set(group.map(({ request }) => request.tag))];
    try {
      const body = {
        ...(isFormula ? { formula: tag } : { tags }),
        ...(runs && { runs }),
        ...(steps && { steps: { from: stepJson(steps.from), ...(steps.to !== null && { to: stepJson(steps.to) }) } }),
        points,
        ...(smoothing > 0 && { smoothing }),
        ...(spacing !== 'linear' && { spacing }),
        ...(x !== null && { x }),
        columns: chartColumns,
      };
      const { series } = await this.#api.query<{ series: SeriesJson[] }>(this.#path, body);
      const byTag = Map.groupBy(series, (one) => one.tag);
      for (const { request, resolve } of group) resolve((byTag.get(request.tag) ?? []).map((one) => readSeries(one, smoothing)));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
