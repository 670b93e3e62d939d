/** Exit codes of the CLI: an interface for scripts. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notSignedIn: 3,
  notFound: 4,
  overLimit: 5,
  interrupted: 130,
} as const;

/** One of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/**
 * An error that ends the command: `message` is for the user, `code` is stable for scripts (the
 * problem code, if the server sent it).
 */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly requestId: string | null;

  constructor(exitCode: ExitCode, message: string, options: { code?: string; requestId?: string | null; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'CliError';
    this.exitCode = exitCode;
    this.code = options.code ?? 'failed';
    this.requestId = options.requestId ?? null;
  }
}

/** Wrong usage: exit 2. */
export function usageError(message: string): CliError {
  return new CliError(exitCodes.usage, message, { code: 'usage' });
}
