import { tagNames } from './generate-logs.ts';
import { type Exchange, HttpClient } from './http.ts';
import type { Service } from './service.ts';

/** The points of a chart. */
export const buckets = 1_000;
/** The tag of every chart. */
export const tag = tagNames(1)[0]!;

export interface Curve {
  readonly runs: readonly string[];
  readonly points: number;
}

interface ScalarsResult {
  readonly series: readonly {
    readonly run: string;
    readonly source_points: number;
    readonly columns: { readonly count: readonly number[] };
  }[];
}

/** Requests an experiment's charts on a kept-alive connection. */
export class Reader {
  readonly #http = new HttpClient();
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(service: Service, experiment: string) {
    this.#url = `${service.origin}/api/v1/experiments/${experiment}/scalars/query`;
    this.#headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
  }

  /** Requests all columns, or only those needed to draw a line with its band. */
  chart({ runs }: Curve, columns?: readonly string[]): Promise<Exchange> {
    return this.#http.expect(this.#url, {
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify({ runs, tags: [tag], points: buckets, columns }),
    });
  }

  /**
   * Fails unless the buckets of every requested run cover all of its points: a fast but wrong
   * response is worthless.
   */
  async check(curve: Curve): Promise<void> {
    const { series } = JSON.parse((await this.chart(curve)).body.toString('utf8')) as ScalarsResult;
    const counted = series.reduce((sum, { columns }) => sum + columns.count.reduce((points, count) => points + count, 0), 0);
    const longest = Math.max(...series.map(({ columns }) => columns.count.length));
    if (series.length !== curve.runs.length || counted !== curve.points || longest > buckets) {
      throw new Error(
        `requested ${curve.runs.length} runs of ${curve.points} points, got ${series.length} series, ${counted} points in up to ${longest} buckets`,
      );
    }
  }

  close(): void {
    this.#http.close();
  }
}
