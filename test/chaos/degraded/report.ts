/** How a scenario is run. */
export interface ScenarioOptions {
  readonly seed: number;
  /** With the numbers of the reliability tests; else scaled down, for every change. */
  readonly full: boolean;
  /** The times that criteria allow are multiplied by this; more than 1 where the machine does other things, too. */
  readonly patience?: number;
  /** Told how it goes, a line at a time. */
  readonly say: (line: string) => void;
}

/** One reliability test, by its number in docs/reliability.md. */
export interface Scenario {
  readonly test: number;
  readonly name: string;
  readonly run: (options: ScenarioOptions) => Promise<Report>;
}

/** What a scenario found: figures for people, and criteria that did not hold. */
export class Report {
  readonly figures: string[] = [];
  readonly faults: string[] = [];
  readonly #say: (line: string) => void;
  readonly #patience: number;

  constructor({ say, patience = 1 }: Pick<ScenarioOptions, 'say' | 'patience'>) {
    this.#say = say;
    this.#patience = patience;
  }

  get passed(): boolean {
    return this.faults.length === 0;
  }

  figure(line: string): void {
    this.figures.push(line);
    this.#say(`  ${line}`);
  }

  /** Notes a time that is longer than its criterion allows; NaN: it never came to an end. */
  mustTake(what: string, tookMs: number, limitMs: number): void {
    this.must(
      tookMs <= limitMs * this.#patience,
      `${what}: ${Number.isNaN(tookMs) ? 'it never was' : `after ${Math.round(tookMs)} ms`}, not within ${limitMs} ms`,
    );
  }

  /** How many of these times are too long. */
  tooLong(times: readonly number[], limitMs: number): number {
    return times.filter((time) => !(time <= limitMs * this.#patience)).length;
  }

  /** Notes a criterion that does not hold. */
  must(holds: boolean, criterion: string): void {
    if (holds) return;
    this.faults.push(criterion);
    this.#say(`  FAILED: ${criterion}`);
  }
}
