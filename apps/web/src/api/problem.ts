/** A request that was refused, or never answered. `message` is for people. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  /** 0: there was no answer. */
  readonly status: number;
  /** Stable, see docs/api.md; empty without one. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** Reads the problem of an answer that is no success. */
  static async of(response: Response): Promise<ApiProblem> {
    const problem: unknown = await response.json().catch(() => null);
    const field = (name: string): string => {
      const value: unknown = typeof problem === 'object' && problem !== null ? Reflect.get(problem, name) : null;
      return typeof value === 'string' ? value : '';
    };
    return new ApiProblem(response.status, field('code'), field('detail') || `The server answered ${response.status}.`);
  }
}

/** What to tell of a request that failed. */
export function problemText(error: unknown): string {
  if (error instanceof ApiProblem) return error.message;
  return 'The server cannot be reached. Try again.';
}

/** Whether asking again may help: not when the answer was a clear no. */
export function mayRetry(error: unknown): boolean {
  return !(error instanceof ApiProblem) || error.status === 429 || error.status >= 500;
}
