/** Options of a scenario run. */
export interface ScenarioOptions {
  readonly seed: number;
  /**
   * Whether to use the sizes of the reliability tests instead of the smaller sizes that run for
   * every change.
   */
  readonly full: boolean;
  /** Factor for the time limits of criteria; more than 1 on machines with other load. */
  readonly timeFactor?: number;
  /** Called with progress lines. */
  readonly say: (line: string) => void;
}

/** A reliability test with degraded parts, with its number in docs/reliability.md. */
export interface DegradedScenario {
  readonly test: number;
  readonly name: string;
  readonly run: (options: ScenarioOptions) => Promise<Report>;
}

/** The results of a scenario: figures, and criteria that were not met. */
export class Report {
  readonly figures: string[] = [];
  readonly faults: string[] = [];
  readonly #say: (line: string) => void;
  readonly #timeFactor: number;

  constructor({ say, timeFactor = 1 }: Pick<ScenarioOptions, 'say' | 'timeFactor'>) {
    this.#say = say;
    this.#timeFactor = timeFactor;
  }

  get passed(): boolean {
    return this.faults.length === 0;
  }

  figure(line: string): void {
    this.figures.push(line);
    this.#say(`  ${line}`);
  }

  /** Records a time that exceeds its limit; NaN if it never ended. */
  mustTake(what: string, tookMs: number, limitMs: number): void {
    this.must(
      tookMs <= limitMs * this.#timeFactor,
      `${what}: ${Number.isNaN(tookMs) ? 'never' : `after ${Math.round(tookMs)} ms`}, not within ${limitMs} ms`,
    );
  }

  /** Returns the number of these times that exceed the limit. */
  tooLong(times: readonly number[], limitMs: number): number {
    return times.filter((time) => !(time <= limitMs * this.#timeFactor)).length;
  }

  /** Records a criterion that is not met. */
  must(holds: boolean, criterion: string): void {
    if (holds) return;
    this.faults.push(criterion);
    this.#say(`  FAILED: ${criterion}`);
  }
}
