/** A request that was rejected, or got no response. `message` is for display. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  /** 0 if there was no response. */
  readonly status: number;
  /** The problem code, which is stable (docs/api.md). Empty if there is none. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** Reads the problem from an error response. */
  static async of(response: Response): Promise<ApiProblem> {
    const problem: unknown = await response.json().catch(() => null);
    const field = (name: string): string => {
      const value: unknown = typeof problem === 'object' && problem !== null ? Reflect.get(problem, name) : null;
      return typeof value === 'string' ? value : '';
    };
    return new ApiProblem(response.status, field('code'), field('detail') || `The server responded with status ${response.status}.`);
  }
}

/** The message to show for a failed request. */
export function problemText(error: unknown): string {
  if (error instanceof ApiProblem) return error.message;
  return 'The server cannot be reached. Try again.';
}

/** Whether a retry may help. False after a permanent error. */
export function mayRetry(error: unknown): boolean {
  return !(error instanceof ApiProblem) || error.status === 429 || error.status >= 500;
}
