import { Problem } from '#model';

/**
 * Watches whether commits in any of a store's pools hang because a synchronous standby is lost.
 * While a commit hangs, the store immediately rejects every tenant transaction that may write, and
 * every ingest transaction, because each would leave another backend waiting. Writes to global
 * tables and `rarelyWrites` transactions are tried, and fail when their own commit hangs.
 */
export class CommitWatch {
  readonly #onChange: (commits: number) => void;
  readonly #counts: number[] = [];

  /** `onChange` is called with the number of hanging commits. */
  constructor(onChange: (commits: number) => void = () => undefined) {
    this.#onChange = onChange;
  }

  /** Returns the function that another pool calls with its number of hanging commits. */
  counterOf(): (commits: number) => void {
    const pool = this.#counts.push(0) - 1;
    return (commits) => {
      this.#counts[pool] = commits;
      this.#onChange(this.#hanging);
    };
  }

  /** Throws `store-unavailable` while a commit hangs. */
  assertNoneHangs(): void {
    if (this.#hanging > 0) throw hang();
  }

  /**
   * Returns the error about hanging commits if a hanging commit caused `error`; otherwise returns
   * `error`.
   */
  explain(error: unknown): unknown {
    const isEffect = this.#hanging > 0 && error instanceof Problem && error.code === 'store-unavailable';
    return isEffect ? hang({ cause: error }) : error;
  }

  get #hanging(): number {
    return this.#counts.reduce((sum, commits) => sum + commits, 0);
  }
}

function hang(options?: ErrorOptions): Problem {
  return new Problem(
    'store-unavailable',
    'The database does not confirm writes: a synchronous standby is missing. Try again soon.',
    options,
  );
}
