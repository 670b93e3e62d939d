import type { ScalarSeries } from '#charts';
import type { ScalarLoader, ScalarRequest } from '../api/scalar-loader.ts';
import { type Compared, namesIn } from './compared-run.ts';

/** The data that a chart needs from several experiments. */
export interface ComparingRequest extends ScalarRequest {
  readonly compared: readonly Compared[];
}

/**
 * Loads scalars of the page's experiment and of the compared experiments. Run names of compared
 * experiments get a prefix.
 */
export class ComparingLoader {
  readonly #own: ScalarLoader;
  readonly #loaderOf: (experimentId: string) => ScalarLoader;

  constructor(own: ScalarLoader, loaderOf: (experimentId: string) => ScalarLoader) {
    this.#own = own;
    this.#loaderOf = loaderOf;
  }

  /** The series of a tag, one per run. */
  async load({ compared, ...request }: ComparingRequest): Promise<ScalarSeries[]> {
    if (compared.length === 0) return this.#own.load(request);
    const responses = await Promise.all([
      this.#part(this.#own, '', request),
      ...compared.map(({ id, prefix }) => this.#part(this.#loaderOf(id), prefix, request)),
    ]);
    return responses.flat();
  }

  async #part(loader: ScalarLoader, prefix: string, request: ScalarRequest): Promise<ScalarSeries[]> {
    const runs = request.runs && namesIn(prefix, request.runs);
    if (runs?.length === 0) return [];
    const series = await loader.load({ ...request, runs });
    return prefix === '' ? series : series.map((one) => ({ ...one, run: prefix + one.run }));
  }
}
