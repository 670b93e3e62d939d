/** How a scenario is run. */
export interface ScenarioOptions {
  readonly seed: number;
  /** With the numbers of the reliability tests; else scaled down, for every change. */
  readonly full: boolean;
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

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  get passed(): boolean {
    return this.faults.length === 0;
  }

  figure(line: string): void {
    this.figures.push(line);
    this.#say(`  ${line}`);
  }

  /** Notes a criterion that does not hold. */
  must(holds: boolean, criterion: string): void {
    if (holds) return;
    this.faults.push(criterion);
    this.#say(`  FAILED: ${criterion}`);
  }
}
